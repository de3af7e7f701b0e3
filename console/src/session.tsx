/** The session. The gateway sets and checks the cookie; the console only knows whether it was accepted. */
import { type ComponentChildren, createContext, type FunctionComponent } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { type Role, reaches } from '../../src/domain/operator/role.ts';
import { AnswersProvider } from './answers/use-answer.tsx';
import { Loading } from './components/loading.tsx';
import { RefusalNotice } from './components/refusal-notice.tsx';
import { asRefusal, callsOfSession, isSessionOver, type Refusal } from './gateway/call.ts';
import { readSession, type Session, signIn } from './gateway/session.ts';
import { SignInPage } from './pages/sign-in.tsx';

interface SignedIn {
  readonly session: Session;
  readonly signedOut: () => void;
}

const SessionContext = createContext<SignedIn | undefined>(undefined);

/** While nothing answers. */
const ASK_AGAIN_MS = 3000;

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'invited'; readonly code: string }
  | { readonly kind: 'failed'; readonly refusal: Refusal }
  | { readonly kind: 'signedOut'; readonly why?: 'wrongCode' | 'ended' }
  | { readonly kind: 'signedIn'; readonly session: Session };

export function SessionGate({ children }: { children: ComponentChildren }) {
  const [state, setState] = useState<State>({ kind: 'asking' });

  const ask = useCallback(async (why?: 'wrongCode') => {
    try {
      setState({ kind: 'signedIn', session: await readSession() });
    } catch (error) {
      const refusal = asRefusal(error);
      if (isSessionOver(refusal)) setState({ kind: 'signedOut', ...(why && { why }) });
      else setState({ kind: 'failed', refusal });
    }
  }, []);

  /** False where the address has neither a code nor an invitation. */
  const enter = useCallback((): boolean => {
    const invitation = takeFromAddress('invite');
    if (invitation !== undefined) {
      setState({ kind: 'invited', code: invitation });
      return true;
    }
    const code = takeFromAddress('code');
    if (code === undefined) return false;
    signIn({ code }).then(
      () => ask(),
      () => ask('wrongCode'),
    );
    return true;
  }, [ask]);

  useEffect(() => {
    if (!enter()) ask();
    // A link that is pasted into a tab with the console loads no page.
    addEventListener('hashchange', enter);
    return () => removeEventListener('hashchange', enter);
  }, [ask, enter]);

  useEffect(() => {
    const ended = () =>
      setState(last => (last.kind === 'signedIn' ? { kind: 'signedOut', why: 'ended' } : last));
    callsOfSession.addEventListener('end', ended);
    return () => callsOfSession.removeEventListener('end', ended);
  }, []);

  useEffect(() => {
    if (state.kind !== 'failed') return;
    const timer = setTimeout(() => ask(), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state, ask]);

  const signedOut = useCallback(() => setState({ kind: 'signedOut' }), []);
  switch (state.kind) {
    case 'asking':
      return <Loading />;
    case 'failed':
      return (
        <main class="sign-in">
          <div class="card sign-in-card">
            <RefusalNotice refusal={state.refusal} onRetry={() => ask()} />
          </div>
        </main>
      );
    case 'invited':
      return <Invited code={state.code} onDone={() => ask()} />;
    case 'signedOut':
      return <SignInPage why={state.why} onSignedIn={() => ask()} />;
    case 'signedIn':
      return (
        <SessionContext.Provider value={{ session: state.session, signedOut }}>
          <AnswersProvider>{children}</AnswersProvider>
        </SessionContext.Provider>
      );
  }
}

export function useSession(): Session {
  const signedIn = useContext(SessionContext);
  if (!signedIn) throw new Error('used outside of SessionGate');
  return signedIn.session;
}

/** Whether the operator may do what needs this role. */
export function useMay(role: Role): boolean {
  return reaches(useSession().role, role);
}

/** Shows the sign-in page: the operator has ended the session. One that the gateway has ended is seen at any call. */
export function useSignedOut(): () => void {
  return useContext(SessionContext)?.signedOut ?? (() => {});
}

/** Few ever see this page, so it is loaded when it is needed. */
function Invited(props: { code: string; onDone: () => void }) {
  const [Page, setPage] = useState<FunctionComponent<typeof props> | undefined>();
  useEffect(() => {
    import('./pages/join.tsx').then(
      ({ JoinPage }) => setPage(() => JoinPage),
      () => location.reload(),
    );
  }, []);
  return Page ? <Page {...props} /> : <Loading />;
}

/**
 * The one-time code of the terminal's link, or that of an invitation. It is removed from the address before anything else
 * can read it.
 */
function takeFromAddress(name: 'code' | 'invite'): string | undefined {
  if (!location.hash.startsWith(`#${name}=`)) return undefined;
  const code = /^#\w+=([\w-]+)$/.exec(location.hash)?.[1];
  history.replaceState(null, '', location.pathname + location.search);
  return code ?? '';
}
