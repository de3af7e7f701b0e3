/** Compose: write a flow, see it on the phone, send it for an account, follow it. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { type AccountChoice, AccountPicker, useAccountChoice } from '../components/account-picker.tsx';
import { CodeBlock, jsonText } from '../components/code-block.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { TextField } from '../components/field.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Tabs } from '../components/tabs.tsx';
import { clientCodeOf, curlOf } from '../compose/code.ts';
import { type Draft, draftOf, isDraftable, requestOf, type SendRequest } from '../compose/draft.ts';
import { isEntry } from '../compose/entry.ts';
import { newEntry } from '../compose/examples.ts';
import { feedbackOf } from '../compose/field-feedback.ts';
import { FlowEditor } from '../compose/flow-editor.tsx';
import type { Composition, Mode } from '../compose/kept-drafts.ts';
import { previewOf } from '../compose/preview.ts';
import { Recipient } from '../compose/recipient.tsx';
import { SendBar } from '../compose/send-bar.tsx';
import { SendLater } from '../compose/send-later.tsx';
import { sentKey } from '../compose/sent-key.ts';
import { useCheck } from '../compose/use-check.ts';
import { useComposition } from '../compose/use-composition.ts';
import { useLike } from '../compose/use-like.ts';
import { useResend } from '../compose/use-resend.ts';
import { useSendKeys } from '../compose/use-send-keys.ts';
import { useSendOnce } from '../compose/use-send-once.ts';
import type { Envelope } from '../gateway/call.ts';
import { revealMessage } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { Reveal } from '../message/reveal.tsx';
import { Phone } from '../phone/phone.tsx';
import { Link, useRouter } from '../router.tsx';
import { useMay, useSession } from '../session.tsx';
import { type Language, useLanguage, useWords } from '../words/words.tsx';

export function ComposePage() {
  const t = useWords();
  const { language } = useLanguage();
  const session = useSession();
  const maySend = useMay('operator');
  const { go, query } = useRouter();
  const choice = useAccountChoice();
  const isSandbox = session.mode === 'sandbox';
  const resend = useResend(query);
  const likeKey = query.get('like') ?? resend?.like ?? null;
  const compositions = useComposition(() => freshComposition(language, isSandbox), likeKey !== null);
  const { composition, change: recompose } = compositions;
  const { draft, mode, json } = composition;
  const [askedForWords, setAskedForWords] = useState(0);
  const sending = useAction();
  const sendOnce = useSendOnce();
  /** When it is to go out; undefined for now, empty while no time is given. */
  const [later, setLater] = useState<string | undefined>();

  const begin = useCallback(
    (like: Draft, account: string) => recompose({ draft: like, mode: 'form', json: '', account }),
    [recompose],
  );
  const like = useLike(compositions.isContinued ? null : likeKey, begin);

  // The account goes with the draft: both ways.
  useEffect(() => {
    if (composition.account && composition.account !== choice.account) choice.choose(composition.account);
  }, [composition.account]);
  const chosen: AccountChoice = {
    ...choice,
    choose: account => {
      choice.choose(account);
      recompose({ account });
    },
  };

  const written = useMemo(() => requestOf(draft), [draft]);
  const given = mode === 'form' ? written : parseRequest(written, json);
  const request = given && later ? { ...given, body: { ...given.body, resvSendTime: later } } : given;
  const { checked, refusal, isChecking } = useCheck(choice.account, request);
  // What was refused is not what is written any more.
  const asked = JSON.stringify([choice.account, request]);
  useEffect(() => sending.clear(), [asked]);
  const feedback = feedbackOf(checked);
  const steps = request ? previewOf(request) : [];
  const url = session.publicUrl ?? location.origin;

  const change = (part: Partial<Draft>) => recompose(last => ({ draft: { ...last.draft, ...part } }));

  const canShowForm = mode === 'form' || (request !== undefined && isDraftable(request));
  const show = (next: Mode) => {
    if (next === 'json') recompose({ mode: next, json: jsonText(written.body) });
    else if (request && canShowForm) recompose({ mode: next, draft: draftOf(request.kind, request.body) });
  };

  const fillIn = () => setAskedForWords(times => times + 1);

  const send = () =>
    sending.run(async () => {
      if (!choice.account || !request) return;
      const sent = resend
        ? await resend.send(request, t)
        : addressOf(await sendOnce(choice.account, request), later);
      compositions.sent();
      go(sent);
    });
  const isComplete = request !== undefined && choice.account !== undefined && later !== '';
  useSendKeys(maySend && isComplete ? send : undefined);

  if (choice.accounts?.length === 0) {
    return (
      <>
        <PageHead title={t.compose.title} intro={t.compose.intro} />
        <EmptyState title={t.common.noAccounts} hint={t.accounts.emptyHint}>
          <Link to="/accounts" class="button">
            {t.nav.accounts}
          </Link>
        </EmptyState>
      </>
    );
  }

  return (
    <>
      <PageHead title={t.compose.title} intro={t.compose.intro}>
        {compositions.isChanged && (
          <ConfirmButton
            label={t.composing.startOver}
            question={t.composing.confirmStartOver}
            onConfirm={compositions.startOver}
          />
        )}
        {!resend && <AccountPicker choice={chosen} />}
        <Tabs
          label={t.compose.title}
          tabs={[
            { id: 'form', label: t.compose.asForm },
            { id: 'json', label: t.compose.asJson },
          ]}
          current={mode}
          onPick={show}
        />
      </PageHead>
      {resend && (
        <p class="notice" role="status">
          {t.desk.copyTo(resend.msgKeys.length)}
        </p>
      )}
      <RefusalNotice refusal={like.asked.refusal} onRetry={like.asked.reload} />
      {like.state === 'removed' && (
        <p class="notice" role="status">
          {t.compose.likeRemoved}
        </p>
      )}
      {like.state === 'masked' && (
        <div class="notice" role="status">
          <span>{t.compose.likeMasked}</span>
          <Reveal reveal={reason => revealMessage(like.msgKey, reason)} onRevealed={like.start} />
        </div>
      )}
      <div class="compose">
        <div class="compose-form">
          {mode === 'form' ? (
            <>
              <FlowEditor
                account={choice.account ?? ''}
                steps={draft.steps}
                feedback={feedback}
                hasExamples={isSandbox}
                onChange={steps => change({ steps })}
              />
              {!resend && (
                <Recipient
                  draft={draft}
                  problem={feedback.recipient}
                  askedForWords={askedForWords}
                  onChange={change}
                />
              )}
            </>
          ) : (
            <section class="card">
              <TextField
                label={`POST /v1/send/${written.kind}`}
                hint={canShowForm || !request ? t.compose.jsonHint : t.composing.jsonOnly}
                problem={request ? undefined : t.compose.jsonBroken}
                value={json}
                rows={22}
                onInput={value => recompose({ json: value })}
                isCode
              />
            </section>
          )}
          {!resend && <SendLater later={later} onChange={setLater} />}
          <SendBar
            feedback={feedback}
            isChecking={isChecking}
            isUnchecked={refusal !== undefined}
            isSending={sending.isRunning}
            isReady={request !== undefined && choice.account !== undefined && later !== ''}
            isLater={later !== undefined}
            onSend={send}
            {...(mode === 'form' && !resend && request?.kind !== 'international' && { onFill: fillIn })}
          />
          <RefusalNotice refusal={sending.refusal ?? refusal} />
          {request && (
            <details class="extras code-samples">
              <summary>{t.compose.code}</summary>
              <CodeBlock
                title={t.compose.curl}
                code={curlOf(url, `/v1/send/${request.kind}`, request.body)}
              />
              <CodeBlock title={t.compose.client} code={clientCodeOf(url, choice.account ?? '', request)} />
            </details>
          )}
        </div>
        <aside class="compose-phones" aria-label={t.compose.preview}>
          {steps.map((step, index) => (
            <figure key={index} class="phone-figure">
              <Phone step={step} account={choice.account} />
              {steps.length > 1 && (
                <figcaption>
                  {index + 1}. {t.channels[step.channel]}
                </figcaption>
              )}
            </figure>
          ))}
        </aside>
      </div>
    </>
  );
}

function addressOf(sent: Envelope, later: string | undefined): string {
  return later ? '/reservations' : `/messages/${sentKey(sent)}`;
}

function freshComposition(language: Language, isSandbox: boolean): Composition {
  return {
    draft: {
      steps: [{ id: 0, channel: 'sms', entry: newEntry('sms', language, isSandbox) }],
      to: isSandbox ? '01012345678' : '',
      ref: '',
      words: [],
    },
    mode: 'form',
    json: '',
    account: undefined,
  };
}

function parseRequest(written: SendRequest, json: string): SendRequest | undefined {
  try {
    const body: unknown = JSON.parse(json);
    return isEntry(body) ? { kind: written.kind, body } : undefined;
  } catch {
    return undefined;
  }
}
