/** Shows a masked message in clear: asks for the reason, which the audit log keeps. */
import { useState } from 'preact/hooks';
import { DialogForm } from '../components/dialog-form.tsx';
import { TextField } from '../components/field.tsx';
import { Needs } from '../components/needs.tsx';
import { useWords } from '../words/words.tsx';

const SHORTEST_REASON = 5;

export function Reveal<T>(props: {
  reveal: (reason: string) => Promise<T>;
  onRevealed: (message: T) => void;
}) {
  const t = useWords();
  const [reason, setReason] = useState('');
  return (
    <Needs least="operator">
      <DialogForm
        button={{ children: t.reveal.open }}
        onOpen={() => setReason('')}
        title={t.reveal.title}
        submit={t.reveal.submit}
        isReady={reason.trim().length >= SHORTEST_REASON}
        onSubmit={async () => props.onRevealed(await props.reveal(reason.trim()))}
      >
        <p class="muted">{t.reveal.intro}</p>
        <TextField label={t.reveal.reason} hint={t.reveal.hint} value={reason} onInput={setReason} />
      </DialogForm>
    </Needs>
  );
}
