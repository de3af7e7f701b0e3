/** A button that asks for confirmation on the first press and acts on the second. */
import { useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';

export function ConfirmButton(props: { label: string; question: string; onConfirm: () => void }) {
  const t = useWords();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" class="button button-quiet button-small" onClick={() => setAsking(true)}>
        {props.label}
      </button>
    );
  }
  return (
    <fieldset class="confirm" aria-label={props.question}>
      <span>{props.question}</span>
      <button
        type="button"
        class="button button-danger button-small"
        onClick={() => {
          setAsking(false);
          props.onConfirm();
        }}
      >
        {props.label}
      </button>
      <button type="button" class="button button-quiet button-small" onClick={() => setAsking(false)}>
        {t.common.cancel}
      </button>
    </fieldset>
  );
}
