/** An input for a time. Its value is an instant, `2026-11-15T05:03:00.000Z` or empty; a person types it in the chosen zone. */
import { cityOf, fromLocalInput, toLocalInput } from '../times.ts';
import { useZone } from '../zone.tsx';
import { TextField } from './field.tsx';

export function TimeField(props: {
  label: string;
  value: string;
  onInput: (instant: string) => void;
  class?: string;
}) {
  const { zone } = useZone();
  return (
    <TextField
      label={props.label}
      aside={
        <span class="muted" title={zone}>
          {cityOf(zone)}
        </span>
      }
      type="datetime-local"
      value={toLocalInput(props.value, zone)}
      onInput={local => props.onInput(fromLocalInput(local, zone))}
      class={`field-time ${props.class ?? ''}`}
    />
  );
}
