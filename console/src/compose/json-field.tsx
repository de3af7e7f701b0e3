/** A part of a message that only JSON can express, such as an RCS body in the carriers' form. */
import { useState } from 'preact/hooks';
import { jsonText } from '../components/code-block.tsx';
import { TextField } from '../components/field.tsx';
import { useWords } from '../words/words.tsx';
import { valueAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';

export function JsonField(props: FieldProps & { label: string; problem: string | undefined }) {
  const { row, entry, onChange } = props;
  const t = useWords();
  // Kept here as text, so that it may be no JSON while it is being typed.
  const [text, setText] = useState(() => jsonText(valueAt(entry, row.path)));
  const value = parsed(text);
  return (
    <TextField
      label={props.label}
      class="field-wide"
      value={text}
      rows={8}
      problem={value === undefined ? t.compose.jsonBroken : props.problem}
      onInput={written => {
        setText(written);
        const next = parsed(written);
        if (next !== undefined) onChange(withValue(entry, row.path, next));
      }}
      isCode
    />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
