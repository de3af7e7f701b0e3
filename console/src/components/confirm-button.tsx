/** A button that asks for confirmation on the first press and acts on the second. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';

export function ConfirmButton(props: {
  label: string;
  question: string;
  onConfirm: () => void;
  /** Before the label, such as an icon. */
  children?: ComponentChildren;
  isMain?: boolean;
  isDisabled?: boolean;
}) {
  const t = useWords();
  const [isAsking, setAsking] = useState<boolean | undefined>();
  const opener = useRef<HTMLButtonElement>(null);
  const wayOut = useRef<HTMLButtonElement>(null);
  // The pressed button is gone: the focus moves to the harmless answer, and back when that was given.
  useEffect(() => {
    if (isAsking !== undefined) (isAsking ? wayOut : opener).current?.focus();
  }, [isAsking]);
  if (!isAsking) {
    return (
      <button
        ref={opener}
        type="button"
        class={props.isMain ? 'button button-main' : 'button button-quiet button-small'}
        disabled={props.isDisabled}
        onClick={() => setAsking(true)}
      >
        {props.children} {props.label}
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
      <button
        ref={wayOut}
        type="button"
        class="button button-quiet button-small"
        onClick={() => setAsking(false)}
      >
        {t.common.cancel}
      </button>
    </fieldset>
  );
}
