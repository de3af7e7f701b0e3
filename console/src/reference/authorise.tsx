/** The dialog in which calls from this page are authorised. */
import { useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import type { KeptAuthorisation } from './authorisation.ts';
import type { Api, ApiReference } from './document.ts';
import { useReferenceWords } from './words.ts';

export function Authorise(props: { api: Api; reference: ApiReference; authorisation: KeptAuthorisation }) {
  const t = useReferenceWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const { api, authorisation } = props;
  const isDone = (api === 'client' ? authorisation.token : authorisation.operatorToken) !== undefined;
  const close = () => dialog.current?.close();
  return (
    <>
      <Button isSmall onPress={() => dialog.current?.showModal()}>
        {isDone ? t.authorised : t.authorise}
      </Button>
      <dialog ref={dialog} class="authorise" aria-labelledby="authorise-title">
        <h2 id="authorise-title">
          {t.authorise}: {api === 'client' ? t.client : t.operator}
        </h2>
        <p class="muted">{t.authoriseHint}</p>
        {api === 'client' ? (
          <ClientForms {...props} onDone={close} />
        ) : (
          <TokenForm
            label={t.operatorTokenLabel}
            isKept={authorisation.operatorToken !== undefined}
            note={t.keptToken}
            onKeep={operatorToken => {
              authorisation.keep({ operatorToken });
              close();
            }}
            onForget={() => authorisation.forget('operatorToken')}
          />
        )}
        <Button kind="quiet" onPress={close}>
          {t.close}
        </Button>
      </dialog>
    </>
  );
}

function ClientForms(props: {
  reference: ApiReference;
  authorisation: KeptAuthorisation;
  onDone: () => void;
}) {
  const t = useReferenceWords();
  const { reference, authorisation, onDone } = props;
  const [problem, setProblem] = useState('');
  const issue = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const account = String(given.get('account'));
    const outcome = await issueToken(reference, account, String(given.get('password')), t.unreachable);
    if ('problem' in outcome) return setProblem(outcome.problem);
    setProblem('');
    form.reset();
    authorisation.keep({ token: outcome.token, account });
    onDone();
  };
  return (
    <>
      <form class="authorise-form" onSubmit={issue}>
        <label>
          {t.accountId}
          <input name="account" autocomplete="off" required />
        </label>
        <label>
          {t.password}
          <input name="password" type="password" autocomplete="off" required />
        </label>
        <Button kind="main" isSubmit>
          {t.getToken}
        </Button>
        <p role="alert" class="authorise-problem">
          {problem}
        </p>
      </form>
      <TokenForm
        label={t.clientToken}
        isKept={authorisation.token !== undefined}
        note={authorisation.account === undefined ? t.keptToken : t.kept(authorisation.account)}
        onKeep={token => {
          authorisation.forget('account');
          authorisation.keep({ token });
          onDone();
        }}
        onForget={() => authorisation.forget('token', 'account')}
      />
    </>
  );
}

function TokenForm(props: {
  label: string;
  isKept: boolean;
  note: string;
  onKeep: (token: string) => void;
  onForget: () => void;
}) {
  const t = useReferenceWords();
  const keep = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get('token')).trim();
    form.reset();
    if (token) props.onKeep(token);
  };
  return (
    <form class="authorise-form" onSubmit={keep}>
      <label>
        {props.label}
        <input name="token" type="password" autocomplete="off" required />
      </label>
      <Button isSubmit>{t.keep}</Button>
      {props.isKept && (
        <p>
          {props.note}{' '}
          <Button kind="quiet" isSmall onPress={props.onForget}>
            {t.forget}
          </Button>
        </p>
      )}
    </form>
  );
}

async function issueToken(
  { credentials }: ApiReference,
  account: string,
  password: string,
  unreachable: string,
): Promise<{ readonly token: string } | { readonly problem: string }> {
  try {
    const response = await fetch('/v1/auth/token', {
      method: 'POST',
      credentials: 'omit',
      headers: { [credentials.id]: account, [credentials.password]: password },
    });
    const answer: {
      readonly code: string;
      readonly result: string;
      readonly data?: { readonly token: string };
    } = await response.json();
    return answer.data ? { token: answer.data.token } : { problem: `${answer.result} (${answer.code})` };
  } catch {
    return { problem: unreachable };
  }
}
