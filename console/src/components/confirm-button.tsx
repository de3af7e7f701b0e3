/** A button that asks for confirmation on the first press and acts on the second. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

export function ConfirmButton(props: {
  label: string;
  question: string;
  onConfirm: () => void;
  icon?: IconName;
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
      <Button
        kind={props.isMain ? 'main' : 'quiet'}
        isSmall={!props.isMain}
        {...(props.icon && { icon: props.icon })}
        {...(props.isDisabled && { isDisabled: true })}
        at={opener}
        onPress={() => setAsking(true)}
      >
        {props.label}
      </Button>
    );
  }
  return (
    <fieldset
      class="confirm"
      aria-label={props.question}
      onKeyDown={event => {
        if (event.key === 'Escape') setAsking(false);
      }}
    >
      <span>{props.question}</span>
      <Button
        kind="danger"
        isSmall
        onPress={() => {
          setAsking(false);
          props.onConfirm();
        }}
      >
        {props.label}
      </Button>
      <Button kind="quiet" isSmall at={wayOut} onPress={() => setAsking(false)}>
        {t.common.cancel}
      </Button>
    </fieldset>
  );
}
