/** The webhook of one account: its address and state, a test, a replay, a new secret. */
import { useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { TimeField } from '../components/time-field.tsx';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { readWebhook, replayWebhook, resumeWebhook, rotateSecret, testWebhook } from '../gateway/webhooks.ts';
import { useWords } from '../words/words.tsx';

export function AccountWebhook({ account, onChanged }: { account: string; onChanged: () => void }) {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => readWebhook(account, signal), [account]);
  const action = useAction();
  const [said, setSaid] = useState<{ isOk: boolean; text: string } | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const changed = () => {
    reload();
    onChanged();
  };
  const test = () =>
    action.run(async () => {
      const { isOk, status, detail } = await testWebhook(account);
      setSaid({ isOk, text: [status, detail].filter(Boolean).join(' · ') });
    });
  if (!answer) return <RefusalNotice refusal={refusal} onRetry={reload} />;
  return (
    <section class="card" aria-label={t.webhooks.settings}>
      <header class="card-head">
        <div>
          <h2>
            {t.webhooks.settings}{' '}
            <Badge tone={answer.isOff ? 'bad' : 'good'}>
              {answer.isOff ? t.webhooks.off : t.webhooks.on}
            </Badge>
          </h2>
          <p class="muted">{answer.url ?? t.webhooks.noUrl}</p>
          {answer.offReason && <p class="muted">{answer.offReason}</p>}
        </div>
        <div class="card-actions">
          <Needs least="operator">
            {answer.isOff && (
              <button
                type="button"
                class="button button-small"
                onClick={() =>
                  action.run(async () => {
                    await resumeWebhook(account);
                    changed();
                  })
                }
              >
                {t.webhooks.resume}
              </button>
            )}
            <button
              type="button"
              class="button button-small"
              disabled={action.isRunning || answer.url === null}
              onClick={test}
            >
              {t.webhooks.test}
            </button>
          </Needs>
          <Needs least="admin">
            <ConfirmButton
              label={t.webhooks.rotate}
              question={t.webhooks.confirmRotate}
              onConfirm={() =>
                action.run(async () => {
                  setSecret((await rotateSecret(account)).secret);
                  reload();
                })
              }
            />
          </Needs>
        </div>
      </header>
      <dl class="summary">
        <div>
          <dt>{t.webhooks.pending}</dt>
          <dd>{answer.pending}</dd>
        </div>
        {answer.circuit && (
          <div>
            <dt>{t.webhooks.circuit}</dt>
            <dd>{answer.circuit}</dd>
          </div>
        )}
        <div>
          <dt>{t.webhooks.secrets}</dt>
          <dd>{answer.secrets.map(({ id }) => id).join(', ') || '—'}</dd>
        </div>
      </dl>
      {secret && <SecretOnce title={t.webhooks.secretOf(account)} secret={secret} />}
      {said && (
        <p class={said.isOk ? 'notice notice-good' : 'notice notice-bad'} role="status">
          {said.text}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
      <Replay account={account} onReplayed={changed} />
    </section>
  );
}

function Replay({ account, onReplayed }: { account: string; onReplayed: () => void }) {
  const t = useWords();
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const [records, setRecords] = useState<number | undefined>();
  const action = useAction();
  const replay = (event: Event) => {
    event.preventDefault();
    action.run(async () => {
      setRecords((await replayWebhook(account, { from, until })).records);
      onReplayed();
    });
  };
  return (
    <details class="extras">
      <summary>{t.webhooks.replay}</summary>
      <p class="field-hint">{t.webhooks.replayHint}</p>
      <form class="inline-form" onSubmit={replay}>
        <Needs least="operator">
          <TimeField label={t.messages.from} value={from} onInput={setFrom} />
          <TimeField label={t.messages.until} value={until} onInput={setUntil} />
          <button type="submit" class="button button-main" disabled={action.isRunning || !from || !until}>
            {t.webhooks.replay}
          </button>
        </Needs>
      </form>
      {records !== undefined && (
        <p class="notice notice-good" role="status">
          {t.webhooks.replayed(records)}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
    </details>
  );
}
