/** Name and value pairs for an approved template, whose names only the template defines. */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { useWords } from '../words/words.tsx';
import { isEntry, valueAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';
import { NameValueRow } from './name-value-row.tsx';

export function PairsField(props: FieldProps & { label: string; problem: string | undefined }) {
  const { row, entry, onChange, label, problem } = props;
  const t = useWords();
  const given = valueAt(entry, row.path);
  // Kept here as a list, so that a name can be empty or repeated while it is being typed.
  const [pairs, setPairs] = useState(() =>
    Object.entries(isEntry(given) ? given : {}).map(([name, value]) => ({ name, value: String(value) })),
  );
  const set = (next: typeof pairs) => {
    setPairs(next);
    onChange(withValue(entry, row.path, Object.fromEntries(next.map(({ name, value }) => [name, value]))));
  };
  return (
    <fieldset class="list-field field-wide">
      <legend>{label}</legend>
      {pairs.map((pair, index) => (
        <NameValueRow
          key={index}
          word={pair}
          onChange={next => set(pairs.map((other, place) => (place === index ? next : other)))}
          onRemove={() => set(pairs.filter((_, place) => place !== index))}
        />
      ))}
      {problem && <p class="field-problem">{problem}</p>}
      <Button kind="quiet" isSmall icon="add" onPress={() => set([...pairs, { name: '', value: '' }])}>
        {t.compose.addRow}
      </Button>
    </fieldset>
  );
}
