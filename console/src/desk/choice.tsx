/** How many messages are chosen; buttons that choose those shown, or none, and whatever else chooses some. */
import type { ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import type { MessageRow } from '../gateway/messages.ts';
import { useWords } from '../words/words.tsx';
import type { Selection } from './selection.ts';

export function Choice(props: {
  selection: Selection;
  /** Those of the shown messages that can be chosen. */
  shown: readonly MessageRow[];
  /** Of the button that chooses them. */
  label: string;
  children?: ComponentChildren;
}) {
  const t = useWords();
  const { selection, shown } = props;
  const chosen = [...selection.rows.values()];
  return (
    <div class="resend-choice">
      {chosen.length > 0 && <strong>{t.desk.selected(chosen.length)}</strong>}
      {shown.some(({ msgKey }) => !selection.rows.has(msgKey)) && (
        <Button kind="quiet" isSmall onPress={() => selection.set([...chosen, ...shown])}>
          {props.label}
        </Button>
      )}
      {props.children}
      {chosen.length > 0 && (
        <Button kind="quiet" isSmall onPress={() => selection.set([])}>
          {t.desk.unselect}
        </Button>
      )}
    </div>
  );
}
