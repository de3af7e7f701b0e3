/** Buttons, rows and cards: a list of small forms. Which fields an item has may depend on the item. */
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button, IconButton } from '../components/button.tsx';
import { useWords } from '../words/words.tsx';
import { isEntry, listAt, withValue } from './entry.ts';
import type { FieldProps } from './field-props.ts';
import type { FieldRow } from './field-row.ts';

type ListRow = Extract<FieldRow, { kind: 'list' }>;

export function ListField(
  props: FieldProps & {
    row: ListRow;
    label: string;
    problem: string | undefined;
    /** Passed in, because importing the editor here would be a circle. */
    editor: ComponentType<FieldProps>;
  },
) {
  const { row, entry, onChange, label, problem, editor: Editor } = props;
  const t = useWords();
  const items = listAt(entry, row.path);
  const shown = [...items, ...Array.from({ length: Math.max(0, row.min - items.length) }, () => row.blank)];
  const set = (next: readonly unknown[]) =>
    onChange(withValue(entry, row.path, next.length > 0 ? next : undefined));
  // The least that there must be is in the message from the start: the phone shows it, and what it lacks is said at its fields.
  const isShort = items.length < row.min;
  useEffect(() => {
    if (isShort) set(shown);
  }, [isShort, row.path]);

  return (
    <fieldset class="list-field field-wide">
      <legend>{label}</legend>
      {shown.map((item, index) => {
        const value = isEntry(item) ? item : {};
        return (
          <div class="list-item" key={index}>
            <span class="list-number" aria-hidden="true">
              {index + 1}
            </span>
            <div class="list-fields">
              {row.item(value).map(field => (
                <Editor
                  {...props}
                  key={field.path}
                  row={field}
                  entry={value}
                  head={`${props.head}${row.path}.${index}.`}
                  onChange={next => set(shown.map((other, place) => (place === index ? next : other)))}
                />
              ))}
            </div>
            {shown.length > row.min && (
              <IconButton
                label={`${t.common.remove}: ${label} ${index + 1}`}
                onPress={() => set(shown.filter((_, place) => place !== index))}
                icon="close"
              />
            )}
          </div>
        );
      })}
      {problem && <p class="field-problem">{problem}</p>}
      {shown.length < row.max && (
        <Button kind="quiet" isSmall icon="add" onPress={() => set([...shown, row.blank])}>
          {t.compose[row.adds]}
        </Button>
      )}
    </fieldset>
  );
}
