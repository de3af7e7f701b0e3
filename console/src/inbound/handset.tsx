/** A handset of the simulated network: writes to a number, as the recipient of a message would. */
import { useState } from 'preact/hooks';
import { TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { simulateInbound } from '../gateway/inbound.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link } from '../router.tsx';
import { useMay, useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';

/** Where both numbers are given, only the text is asked for. */
export function Handset(props: { from?: string | undefined; to?: string | undefined; onSaid?: () => void }) {
  const t = useWords();
  const { mode } = useSession();
  const mayWrite = useMay('operator');
  const [from, setFrom] = useState(props.from ?? '');
  const [to, setTo] = useState(props.to ?? '');
  const [text, setText] = useState('');
  const [said, setSaid] = useState<string | undefined>();
  const saying = useAction();
  if (mode !== 'sandbox' || !mayWrite) return null;
  const isAnswer = props.from !== undefined && props.to !== undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    saying.run(async () => {
      const { account } = await simulateInbound({ from: digits(from), to: digits(to), text });
      setSaid(account === null ? t.inbound.saidToNobody : t.inbound.saidTo(account));
      setText('');
      props.onSaid?.();
    });
  };
  return (
    <form class="card handset" aria-label={isAnswer ? t.inbound.answer : t.inbound.write} onSubmit={submit}>
      <h2>{isAnswer ? t.inbound.answer : t.inbound.write}</h2>
      <p class="muted">{isAnswer ? t.inbound.answerHint : t.inbound.writeHint}</p>
      <div class="fields">
        {!isAnswer && (
          <>
            <TextField
              label={t.inbound.from}
              type="tel"
              value={from}
              onInput={setFrom}
              placeholder="01012345678"
            />
            <TextField label={t.inbound.to} type="tel" value={to} onInput={setTo} placeholder="15881234" />
          </>
        )}
        <TextField label={t.inbound.text} value={text} onInput={setText} />
      </div>
      <RefusalNotice refusal={saying.refusal} />
      <div class="form-end">
        <button
          type="submit"
          class="button button-main"
          disabled={saying.isRunning || digits(from) === '' || digits(to) === '' || text === ''}
        >
          {t.inbound.say}
        </button>
        <span role="status" class="muted">
          {said}
        </span>
        {said !== undefined && isAnswer && <Link to="/inbound">{t.inbound.title}</Link>}
      </div>
    </form>
  );
}

/** Without the blanks and dashes of people. */
function digits(number: string): string {
  return number.replace(/[\s-]/g, '');
}
