/** A handset of the simulated network: writes to a number, as the recipient of a message would. */

import { useState } from 'preact/hooks';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { simulateInbound } from '../gateway/inbound.ts';
import { Link } from '../router.tsx';
import { useMay, useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';

/** Where both numbers are given, only the text is asked for. */
export function Handset(props: { from?: string | undefined; to?: string | undefined }) {
  const t = useWords();
  const { mode } = useSession();
  const mayWrite = useMay('operator');
  const [from, setFrom] = useState(props.from ?? '');
  const [to, setTo] = useState(props.to ?? '');
  const [text, setText] = useState('');
  const [said, setSaid] = useState<string | undefined>();
  if (mode !== 'sandbox' || !mayWrite) return null;
  const isAnswer = props.from !== undefined && props.to !== undefined;
  return (
    <Form
      class="card handset"
      label={isAnswer ? t.inbound.answer : t.inbound.write}
      submit={t.inbound.say}
      isReady={digits(from) !== '' && digits(to) !== '' && text !== ''}
      said={said}
      others={said !== undefined && isAnswer && <Link to="/inbound">{t.inbound.title}</Link>}
      onSubmit={async () => {
        const { account } = await simulateInbound({ from: digits(from), to: digits(to), text });
        setSaid(account === null ? t.inbound.saidToNobody : t.inbound.saidTo(account));
        setText('');
      }}
    >
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
    </Form>
  );
}

/** Without the blanks and dashes of people. */
function digits(number: string): string {
  return number.replace(/[\s-]/g, '');
}
