/** The webhook of one account: its address and state, a test with its exchange, retry and replay, a new secret. */

import { useState } from 'preact/hooks';
import type { WebhookTestView } from '../../../src/operations/webhooks.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Facts } from '../components/facts.tsx';
import { SelectField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { TimeField } from '../components/time-field.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';
import { TroubleNotice } from './delivery-state.tsx';
import { ExchangeView } from './exchange.tsx';

const WEBHOOK = 'POST /accounts/{id}/webhook';

export function AccountWebhook({ account }: { account: string }) {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(ask('GET /accounts/{id}/webhook', { id: account }));
  const action = useAction();
  const [tested, setTested] = useState<WebhookTestView | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const test = () => action.run(async () => setTested(await operate(`${WEBHOOK}/test`, { id: account })));
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
              <Button isSmall onPress={() => action.run(() => operate(`${WEBHOOK}/resume`, { id: account }))}>
                {t.webhooks.resume}
              </Button>
            )}
            <Button isSmall isDisabled={action.isRunning || answer.url === null} onPress={test}>
              {t.webhooks.test}
            </Button>
          </Needs>
          <Needs least="admin">
            <ConfirmButton
              label={t.webhooks.rotate}
              question={t.webhooks.confirmRotate}
              onConfirm={() =>
                action.run(async () =>
                  setSecret((await operate(`${WEBHOOK}/secret`, { id: account })).secret),
                )
              }
            />
          </Needs>
        </div>
      </header>
      <Facts
        facts={[
          [t.webhooks.pending, answer.pending],
          [t.webhooks.secrets, answer.secrets.map(({ id }) => id).join(', ') || '—'],
        ]}
      />
      {secret && <SecretOnce title={t.webhooks.secretOf(account)} secret={secret} />}
      {answer.trouble && <TroubleNotice trouble={answer.trouble} />}
      {tested && <TestResult tested={tested} />}
      <RefusalNotice refusal={action.refusal} />
      <SendAgain account={account} />
    </section>
  );
}

function TestResult({ tested }: { tested: WebhookTestView }) {
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
function SendAgain({ account }: { account: string }) {
  const t = useWords();
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const [which, setWhich] = useState<'undelivered' | 'all'>('undelivered');
  const [records, setRecords] = useState<number | undefined>();
  return (
    <details class="extras">
      <summary>{t.webhooks.replay}</summary>
      <p class="field-hint">{t.webhookAttempts.whichHint}</p>
      <Form
        isInline
        least="operator"
        submit={t.webhooks.replay}
        isReady={from !== '' && until !== ''}
        onSubmit={async () => {
          setRecords(undefined);
          const again = which === 'all' ? (`${WEBHOOK}/replay` as const) : (`${WEBHOOK}/retry` as const);
          setRecords((await operate(again, { id: account, from, until })).records);
        }}
      >
        <SelectField
          label={t.webhookAttempts.which}
          value={which}
          options={optionsOf({
            undelivered: t.webhookAttempts.undelivered,
            all: t.webhookAttempts.allReports,
          })}
          onChange={value => setWhich(value === 'all' ? 'all' : 'undelivered')}
        />
        <TimeField label={t.messages.from} value={from} onInput={setFrom} />
        <TimeField label={t.messages.until} value={until} onInput={setUntil} />
      </Form>
      {records !== undefined && (
        <p class="notice notice-good" role="status">
          {t.webhooks.replayed(records)}
        </p>
      )}
    </details>
  );
}
