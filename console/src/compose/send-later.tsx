/** Above the button that sends: whether what is written goes out now, or at a time. */
import { CheckField } from '../components/field.tsx';
import { TimeField } from '../components/time-field.tsx';
import { useWords } from '../words/words.tsx';

const HOUR_MS = 3_600_000;

export function SendLater({
  later,
  onChange,
}: {
  /** An instant; undefined for now, empty while no time is given. */
  later: string | undefined;
  onChange: (later: string | undefined) => void;
}) {
  const t = useWords();
  return (
    <div class="send-later">
      <CheckField
        label={t.reservations.later}
        isOn={later !== undefined}
        onChange={isLater => onChange(isLater ? inAnHour() : undefined)}
      />
      {later !== undefined && <TimeField label={t.reservations.laterTime} value={later} onInput={onChange} />}
    </div>
  );
}

/** On the minute. */
function inAnHour(): string {
  return new Date(Math.ceil((Date.now() + HOUR_MS) / 60_000) * 60_000).toISOString();
}
