/** A button that opens a form in a dialog, which is closed when the form has done its work. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { Button, type ButtonProps } from './button.tsx';
import { Form } from './form.tsx';

export function DialogForm(props: {
  /** Opens it. */
  button: ButtonProps;
  /** What is typed begins anew. */
  onOpen?: () => void;
  title: string;
  submit: string;
  isReady: boolean;
  isDanger?: boolean;
  onSubmit: () => Promise<unknown>;
  children: ComponentChildren;
}) {
  const t = useWords();
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => dialog.current?.close();
  // There may be one for each of a thousand rows: what nobody looks at is not drawn.
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <>
      <Button
        {...props.button}
        onPress={() => {
          props.onOpen?.();
          setOpen(true);
        }}
      />
      {isOpen && (
        <dialog ref={dialog} class="dialog" aria-labelledby={title} onClose={() => setOpen(false)}>
          <Form
            submit={props.submit}
            isReady={props.isReady}
            isDanger={props.isDanger ?? false}
            others={
              <Button kind="quiet" onPress={close}>
                {t.common.cancel}
              </Button>
            }
            onSubmit={async () => {
              await props.onSubmit();
              close();
            }}
          >
            <h2 id={title}>{props.title}</h2>
            {props.children}
          </Form>
        </dialog>
      )}
    </>
  );
}
