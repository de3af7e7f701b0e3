/** Shows a masked message in clear: asks for the reason, which the audit log keeps. */
import { useId, useRef, useState } from 'preact/hooks';
import { TextField } from '../components/field.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

const SHORTEST_REASON = 5;

export function Reveal<T>(props: {
  reveal: (reason: string) => Promise<T>;
  onRevealed: (message: T) => void;
}) {
  const t = useWords();
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const revealing = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    revealing.run(async () => {
      const message = await props.reveal(reason.trim());
      dialog.current?.close();
      setReason('');
      props.onRevealed(message);
    });
  };
  return (
    <>
      <Needs least="operator">
        <button type="button" class="button" onClick={() => dialog.current?.showModal()}>
          {t.reveal.open}
        </button>
      </Needs>
      <dialog ref={dialog} class="dialog" aria-labelledby={title}>
        <form onSubmit={submit}>
          <h2 id={title}>{t.reveal.title}</h2>
          <p class="muted">{t.reveal.intro}</p>
          <TextField label={t.reveal.reason} hint={t.reveal.hint} value={reason} onInput={setReason} />
          <RefusalNotice refusal={revealing.refusal} />
          <div class="form-end">
            <button
              type="submit"
              class="button button-main"
              disabled={revealing.isRunning || reason.trim().length < SHORTEST_REASON}
            >
              {t.reveal.submit}
            </button>
            <button type="button" class="button button-quiet" onClick={() => dialog.current?.close()}>
              {t.common.cancel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
