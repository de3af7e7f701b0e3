/** The images of an MMS: up to three keys, each with its own remove button. */
import { IconButton } from '../components/button.tsx';
import { contentUrl } from '../gateway/files.ts';
import { useWords } from '../words/words.tsx';
import { listAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';
import type { FieldRow } from './field-row.ts';
import { ImagePicker } from './image-picker.tsx';

type ImagesRow = Extract<FieldRow, { kind: 'images' }>;

export function ImagesField(
  props: FieldProps & { row: ImagesRow; label: string; problem: string | undefined },
) {
  const { row, entry, onChange, label } = props;
  const t = useWords();
  const keys = listAt(entry, row.path).map(String);
  const set = (next: readonly string[]) =>
    onChange(withValue(entry, row.path, next.length > 0 ? next : undefined));
  return (
    <fieldset class="list-field field-wide">
      <legend>{label}</legend>
      {keys.length > 0 && (
        <ul class="thumbs">
          {keys.map((key, index) => (
            <li key={index}>
              <img src={contentUrl(key)} alt={key} />
              <IconButton
                label={`${t.common.remove}: ${key}`}
                onPress={() => set(keys.filter((_, place) => place !== index))}
                icon="close"
              />
            </li>
          ))}
        </ul>
      )}
      {props.problem && <p class="field-problem">{props.problem}</p>}
      {keys.length < row.max && (
        <ImagePicker
          account={props.account}
          purpose={row.purpose}
          label={label}
          onPick={({ fileKey }) => set([...keys, fileKey])}
        />
      )}
    </fieldset>
  );
}
