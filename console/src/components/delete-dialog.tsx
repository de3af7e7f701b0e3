/** Deletes what cannot be had back: says what goes, and asks for its name. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';
import { TextField } from './field.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

export function DeleteDialog(props: {
  label: string;
  title: string;
  /** What has to be typed. */
  name: string;
  /** Why it cannot be deleted now. */
  obstacle?: string | undefined;
  onDelete: () => Promise<void>;
  children: ComponentChildren;
}) {
  const t = useWords();
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const deleting = useAction();
  // There may be one for each of a thousand accounts: what nobody looks at is not drawn.
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const submit = (event: Event) => {
    event.preventDefault();
    deleting.run(async () => {
      await props.onDelete();
      dialog.current?.close();
    });
  };
  return (
    <>
      <button
        type="button"
        class="button button-quiet button-small"
        onClick={() => {
          setTyped('');
          deleting.clear();
          setOpen(true);
        }}
      >
        {props.label}
      </button>
      {isOpen && (
        <dialog ref={dialog} class="dialog" aria-labelledby={title} onClose={() => setOpen(false)}>
          <form onSubmit={submit}>
            <h2 id={title}>{props.title}</h2>
            {props.children}
            {props.obstacle ? (
              <p class="notice">{props.obstacle}</p>
            ) : (
              <TextField label={t.deleting.type(props.name)} value={typed} onInput={setTyped} />
            )}
            <RefusalNotice refusal={deleting.refusal} />
            <div class="form-end">
              <button
                type="submit"
                class="button button-danger"
                disabled={deleting.isRunning || props.obstacle !== undefined || typed.trim() !== props.name}
              >
                {props.label}
              </button>
              <button type="button" class="button button-quiet" onClick={() => dialog.current?.close()}>
                {t.common.cancel}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  );
}
