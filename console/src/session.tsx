/** The session. The gateway sets and checks the cookie; the console only knows whether it was accepted. */
import { type ComponentChildren, createContext, type FunctionComponent } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { Loading } from './components/loading.tsx';
import { Refusal } from './gateway/call.ts';
import { ROLES, type Role, readSession, type Session, signIn } from './gateway/session.ts';
import { SignInPage } from './pages/sign-in.tsx';

interface SignedIn {
  readonly session: Session;
  readonly signedOut: () => void;
}

const SessionContext = createContext<SignedIn | undefined>(undefined);

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'invited'; readonly code: string }
  | { readonly kind: 'signedOut'; readonly why?: 'wrongCode' | 'unreachable' }
  | { readonly kind: 'signedIn'; readonly session: Session };

export function SessionGate({ children }: { children: ComponentChildren }) {
  const [state, setState] = useState<State>({ kind: 'asking' });

  const ask = useCallback(async (why?: 'wrongCode') => {
    try {
      setState({ kind: 'signedIn', session: await readSession() });
    } catch (error) {
      const isUnreachable = error instanceof Refusal && error.status !== 401;
      setState({ kind: 'signedOut', ...(why ? { why } : isUnreachable && { why: 'unreachable' }) });
    }
  }, []);

  useEffect(() => {
    const invitation = takeFromAddress('invite');
    if (invitation !== undefined) return setState({ kind: 'invited', code: invitation });
    const code = takeFromAddress('code');
    if (code === undefined) ask();
    else
      signIn({ code }).then(
        () => ask(),
        () => ask('wrongCode'),
      );
  }, [ask]);

  const signedOut = useCallback(() => setState({ kind: 'signedOut' }), []);
  switch (state.kind) {
    case 'asking':
      return <Loading />;
    case 'invited':
      return <Invited code={state.code} onDone={() => ask()} />;
    case 'signedOut':
      return <SignInPage why={state.why} onSignedIn={() => ask()} />;
    case 'signedIn':
      return (
        <SessionContext.Provider value={{ session: state.session, signedOut }}>
          {children}
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
  return ROLES.indexOf(useSession().role) >= ROLES.indexOf(role);
}

/** Shows the sign-in page, such as when the gateway answers 401. */
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
