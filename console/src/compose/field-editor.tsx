/** The input of one field of a message, whatever its kind. */
import { SelectField, TextField } from '../components/field.tsx';
import { useWords } from '../words/words.tsx';
import { Counter } from './counter.tsx';
import { textAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';
import { ImageField } from './image-field.tsx';
import { ImagesField } from './images-field.tsx';
import { JsonField } from './json-field.tsx';
import { ListField } from './list-field.tsx';
import { PairsField } from './pairs-field.tsx';

export function FieldEditor(props: FieldProps) {
  const { row, entry, onChange, feedback } = props;
  const t = useWords();
  const label = t.fields[row.word];
  const full = props.head + row.path;
  const problem = feedback.problemAt(props.step, full);
  const set = (value: unknown) => onChange(withValue(entry, row.path, value));

  switch (row.kind) {
    case 'text':
    case 'long':
      return (
        <TextField
          label={label}
          value={textAt(entry, row.path)}
          problem={problem}
          {...(row.kind === 'long' && { rows: 5, class: 'field-wide' })}
          aside={<Counter measures={feedback.measuresAt(props.step, full)} />}
          onInput={set}
        />
      );
    case 'number':
      return (
        <TextField
          label={label}
          type="number"
          value={textAt(entry, row.path)}
          problem={problem}
          onInput={value => set(value === '' ? undefined : Number(value))}
        />
      );
    case 'choice': {
      const options = row.options(t);
      const value = textAt(entry, row.path) || row.fallback;
      const isKnown = options.some(option => option.value === value);
      return (
        <SelectField
          label={label}
          value={isKnown ? value : (row.otherwise ?? value)}
          options={options}
          problem={problem}
          onChange={picked => (row.pick ? onChange(row.pick(entry, picked)) : set(picked))}
        />
      );
    }
    case 'image':
      return <ImageField {...props} row={row} label={label} problem={problem} />;
    case 'images':
      return <ImagesField {...props} row={row} label={label} problem={problem} />;
    case 'list':
      return <ListField {...props} row={row} label={label} problem={problem} editor={FieldEditor} />;
    case 'json':
      return <JsonField {...props} label={label} problem={problem} />;
    case 'pairs':
      return <PairsField {...props} row={row} label={label} problem={problem} />;
  }
}
