/** Calls the gateway that serves this page, with what is kept for this tab, and shows its answer. */
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import type { Authorisation } from './authorisation.ts';
import { Code } from './code.tsx';
import type { ApiReference, Operation } from './document.ts';
import { takesFile, urlOf, type Values } from './sample-call.ts';
import { ReferenceLanguage, useReferenceWords } from './words.ts';

interface Outcome {
  readonly status: string;
  readonly tookMs: number;
  readonly text: string;
}

/** More of an answer than this is not shown. */
const LONGEST_SHOWN = 100_000;

export function TryIt(props: {
  operation: Operation;
  reference: ApiReference;
  authorisation: Authorisation;
  values: Values;
  onValues: (values: Values) => void;
  body: string;
  onBody: (body: string) => void;
}) {
  const t = useReferenceWords();
  const language = useContext(ReferenceLanguage);
  const { operation, authorisation, values } = props;
  const [outcome, setOutcome] = useState<Outcome>();
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  const isMissing =
    (operation.access === 'token' && authorisation.token === undefined) ||
    (operation.access === 'operatorToken' && authorisation.operatorToken === undefined);

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const abort = new AbortController();
    asking.current = abort;
    setSending(true);
    const startedAt = performance.now();
    const answered = await callGateway(
      props,
      new FormData(form.current ?? undefined),
      language,
      abort.signal,
    );
    if (abort.signal.aborted) return;
    const tookMs = Math.round(performance.now() - startedAt);
    setOutcome(answered ? { ...answered, tookMs } : { status: t.unreachable, tookMs, text: '' });
    setSending(false);
  };

  return (
    <form class="try" ref={form} onSubmit={send} aria-labelledby="try-title">
      <h2 id="try-title">{t.tryIt}</h2>
      <p class="muted">
        {t.tryHint} {operation.path.startsWith('/v1/send/') && t.tryLive}
      </p>
      {operation.access === 'credentials' && (
        <>
          <label class="try-field">
            {t.accountId}
            <input name="account" autocomplete="off" required />
          </label>
          <label class="try-field">
            {t.password}
            <input name="password" type="password" autocomplete="off" required />
          </label>
        </>
      )}
      {operation.parameters.map(({ name, required, example }) => (
        <label class="try-field" key={name}>
          <code>{name}</code>
          <input
            value={values[name] ?? ''}
            placeholder={example}
            required={required}
            autocomplete="off"
            spellcheck={false}
            onInput={event => props.onValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      {takesFile(operation) && (
        <label class="try-field">
          {t.file}
          <input type="file" name="file" accept="image/*" required />
        </label>
      )}
      {operation.body && !takesFile(operation) && (
        <label class="try-field">
          {t.body}
          <textarea
            value={props.body}
            rows={Math.min(18, props.body.split('\n').length + 1)}
            spellcheck={false}
            onInput={event => props.onBody(event.currentTarget.value)}
          />
        </label>
      )}
      {isMissing && <p class="muted">{t.needsAuthorisation}</p>}
      <Button kind="main" isSubmit isDisabled={isSending || isMissing}>
        {isSending ? t.sending : t.send}
      </Button>
      <div aria-live="polite">
        {outcome && (
          <>
            <p>
              <strong>{outcome.status}</strong> <span class="muted">{t.took(outcome.tookMs)}</span>
            </p>
            {outcome.text && <Code title={t.answer} code={outcome.text} />}
          </>
        )}
      </div>
    </form>
  );
}

/** Undefined where nothing answers. */
async function callGateway(
  props: {
    readonly operation: Operation;
    readonly reference: ApiReference;
    readonly authorisation: Authorisation;
    readonly values: Values;
    readonly body: string;
  },
  given: FormData,
  language: string,
  signal: AbortSignal,
): Promise<Omit<Outcome, 'tookMs'> | undefined> {
  const { operation, reference, authorisation, values, body } = props;
  const headers = new Headers({ 'Accept-Language': language });
  for (const { name, in: place } of operation.parameters) {
    if (place === 'header' && values[name]) headers.set(name, values[name]);
  }
  const { access } = operation;
  if (access === 'token' || access === 'operatorToken') {
    headers.set('Authorization', `Bearer ${authorisation[access] ?? ''}`);
  }
  if (access === 'credentials') {
    headers.set(reference.credentials.id, String(given.get('account')));
    headers.set(reference.credentials.password, String(given.get('password')));
  }
  const upload = takesFile(operation);
  if (operation.body && !upload) headers.set('Content-Type', operation.body.type);
  let form: FormData | undefined;
  if (upload) {
    form = new FormData();
    form.append('file', given.get('file') ?? '');
  }
  try {
    const response = await fetch(urlOf(operation, '', values), {
      method: operation.method,
      credentials: 'omit',
      headers,
      ...(operation.body && { body: form ?? body }),
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    const status = `${response.status} ${response.statusText}`.trim();
    return { status, text: await shownAnswer(response, type) };
  } catch {
    return undefined;
  }
}

async function shownAnswer(response: Response, type: string): Promise<string> {
  // The live feed never ends; its beginning shows what it is.
  if (type.startsWith('text/event-stream')) return firstOf(response);
  if (type.startsWith('image/')) return `${type}, ${(await response.blob()).size} B`;
  const text = (await response.text()).slice(0, LONGEST_SHOWN);
  if (!type.startsWith('application/json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
