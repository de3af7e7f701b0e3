/** The webhook of one account: its address and state, a test with its exchange, retry and replay, a new secret. */
import { useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { SelectField } from '../components/field.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { TimeField } from '../components/time-field.tsx';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import {
  readWebhook,
  replayWebhook,
  resumeWebhook,
  retryWebhook,
  rotateSecret,
  testWebhook,
  type WebhookTest,
} from '../gateway/webhooks.ts';
import { useWords } from '../words/words.tsx';
import { TroubleNotice } from './delivery-state.tsx';
import { ExchangeView } from './exchange.tsx';

export function AccountWebhook({ account, onChanged }: { account: string; onChanged: () => void }) {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => readWebhook(account, signal), [account]);
  const action = useAction();
  const [tested, setTested] = useState<WebhookTest | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const changed = () => {
    reload();
    onChanged();
  };
  const test = () => action.run(async () => setTested(await testWebhook(account)));
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
        <div>
          <dt>{t.webhooks.secrets}</dt>
          <dd>{answer.secrets.map(({ id }) => id).join(', ') || '—'}</dd>
        </div>
      </dl>
      {secret && <SecretOnce title={t.webhooks.secretOf(account)} secret={secret} />}
      {answer.trouble && <TroubleNotice trouble={answer.trouble} />}
      {tested && <TestResult tested={tested} />}
      <RefusalNotice refusal={action.refusal} />
      <SendAgain account={account} onSent={changed} />
    </section>
  );
}

function TestResult({ tested }: { tested: WebhookTest }) {
  const t = useWords();
  const { isOk, status, detail, durationMs, at, exchange } = tested;
  return (
    <>
      <p class={isOk ? 'notice notice-good' : 'notice notice-bad'} role="status">
        {isOk ? `HTTP ${status} · ${t.webhookAttempts.testOk}` : detail}
      </p>
      {exchange && (
        <ExchangeView attempt={{ at, status, error: isOk ? null : detail, durationMs }} exchange={exchange} />
      )}
    </>
  );
}

/** The reports of a period once more: what was not delivered, or all. */
function SendAgain({ account, onSent }: { account: string; onSent: () => void }) {
  const t = useWords();
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const [which, setWhich] = useState<'undelivered' | 'all'>('undelivered');
  const [records, setRecords] = useState<number | undefined>();
  const action = useAction();
  const send = (event: Event) => {
    event.preventDefault();
    setRecords(undefined);
    action.run(async () => {
      const period = { from, until };
      const sent =
        which === 'all' ? await replayWebhook(account, period) : await retryWebhook(account, period);
      setRecords(sent.records);
      onSent();
    });
  };
  return (
    <details class="extras">
      <summary>{t.webhooks.replay}</summary>
      <p class="field-hint">{t.webhookAttempts.whichHint}</p>
      <form class="inline-form" onSubmit={send}>
        <Needs least="operator">
          <SelectField
            label={t.webhookAttempts.which}
            value={which}
            options={[
              { value: 'undelivered', label: t.webhookAttempts.undelivered },
              { value: 'all', label: t.webhookAttempts.allReports },
            ]}
            onChange={value => setWhich(value === 'all' ? 'all' : 'undelivered')}
          />
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
