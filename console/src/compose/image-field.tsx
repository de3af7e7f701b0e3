/** An image of a message, stored as the reference that its channel expects. */
import { TextField } from '../components/field.tsx';
import { textAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';
import type { FieldRow } from './field-row.ts';
import { ImagePicker } from './image-picker.tsx';

type ImageRow = Extract<FieldRow, { kind: 'image' }>;

export function ImageField(
  props: FieldProps & { row: ImageRow; label: string; problem: string | undefined },
) {
  const { row, entry, onChange, label } = props;
  const set = (value: string) => onChange(withValue(entry, row.path, value));
  return (
    <div class="image-field field-wide">
      <TextField
        label={label}
        value={textAt(entry, row.path)}
        problem={props.problem}
        placeholder={row.refers === 'media' ? 'maapfile://…' : 'https://…'}
        onInput={set}
        isCode
      />
      <ImagePicker
        account={props.account}
        purpose={row.purpose}
        label={label}
        onPick={picked => set(picked[row.refers])}
      />
    </div>
  );
}
