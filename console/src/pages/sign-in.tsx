/** Sign in with the admin token. The link of the terminal signs in by itself (session.tsx). */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { signIn } from '../gateway/session.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

export function SignInPage(props: { why: 'wrongCode' | 'ended' | undefined; onSignedIn: () => void }) {
  const t = useWords();
  const [token, setToken] = useState('');
  const { run, refusal, isRunning } = useAction();
  const isWrong = refusal?.code === 'A002';
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run(async () => void (await signIn({ token: token.trim() })))) props.onSignedIn();
  };
  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={submit}>
        <img src="/console/beacon.svg" alt="" width="40" height="40" />
        <h1>Bongsu</h1>
        <p class="muted">{t.signIn.intro}</p>
        {props.why === 'wrongCode' && (
          <p class="notice notice-bad" role="alert">
            {t.signIn.wrongCode}
          </p>
        )}
        {props.why === 'ended' && (
          <p class="notice" role="alert">
            {t.signIn.ended}
          </p>
        )}
        <TextField
          label={t.signIn.token}
          type="password"
          value={token}
          hint={t.signIn.hint}
          problem={isWrong ? t.signIn.wrongToken : undefined}
          autocomplete="current-password"
          onInput={setToken}
        />
        <Button kind="main" isSubmit isDisabled={isRunning || token.trim() === ''}>
          {t.signIn.submit}
        </Button>
        {!isWrong && <RefusalNotice refusal={refusal} />}
      </form>
    </main>
  );
}
