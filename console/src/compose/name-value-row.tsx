import { IconButton } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { useWords } from '../words/words.tsx';
import type { Word } from './draft.ts';

/** A name and its value. */
export function NameValueRow(props: { word: Word; onChange: (word: Word) => void; onRemove: () => void }) {
  const { word, onChange } = props;
  const t = useWords();
  return (
    <div class="name-value-row">
      <TextField label={t.compose.wordName} value={word.name} onInput={name => onChange({ ...word, name })} />
      <TextField
        label={t.compose.wordValue}
        value={word.value}
        onInput={value => onChange({ ...word, value })}
      />
      <IconButton label={`${t.common.remove}: ${word.name}`} onPress={props.onRemove} icon="close" />
    </div>
  );
}
