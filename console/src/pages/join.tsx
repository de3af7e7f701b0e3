/** Where the link of an invitation leads: whoever accepts it gets his token, and is signed in. */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { acceptInvitation, type Joined } from '../gateway/operators.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

const DATE_LENGTH = 10;

export function JoinPage({ code, onDone }: { code: string; onDone: () => void }) {
  const t = useWords();
  const [joined, setJoined] = useState<Joined | undefined>();
  const joining = useAction();
  const isVoid = joining.refusal?.code === 'A002';
  return (
    <main class="sign-in">
      <div class="card sign-in-card">
        <img src="/console/beacon.svg" alt="" width="40" height="40" />
        <h1>{joined ? t.join.done : t.join.title}</h1>
        {joined ? (
          <>
            <p>{t.join.welcome(joined.name, t.roles.names[joined.role])}</p>
            <SecretOnce title={t.join.token} secret={joined.token} />
            <p class="muted">
              {t.join.ends} <time dateTime={joined.expiresAt}>{joined.expiresAt.slice(0, DATE_LENGTH)}</time>
            </p>
            <Button kind="main" onPress={onDone}>
              {t.join.open}
            </Button>
          </>
        ) : (
          <>
            <p class="muted">{t.join.intro}</p>
            {isVoid ? (
              <p class="notice notice-bad" role="alert">
                {t.join.isVoid}
              </p>
            ) : (
              <RefusalNotice refusal={joining.refusal} />
            )}
            {isVoid ? (
              <Button onPress={onDone}>{t.join.signIn}</Button>
            ) : (
              <Button
                kind="main"
                isDisabled={joining.isRunning}
                onPress={() => joining.run(async () => setJoined(await acceptInvitation(code)))}
              >
                {t.join.accept}
              </Button>
            )}
          </>
        )}
      </div>
    </main>
  );
}
