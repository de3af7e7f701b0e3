/** One webhook delivery: what became of it, each attempt with its request and answer, and a button to try again now. */
import { useState } from 'preact/hooks';
import type { AttemptView, DeliveryDetailView } from '../../../src/operations/webhooks.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Facts } from '../components/facts.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { decoded, Link, useRouter } from '../router.tsx';
import { DeliveryBadge, NextAttempt, TroubleNotice } from '../webhooks/delivery-state.tsx';
import { ExchangeView } from '../webhooks/exchange.tsx';
import { useWords } from '../words/words.tsx';

const FOLLOW_MS = 1000;

export function WebhookDeliveryPage() {
  const t = useWords();
  const { path } = useRouter();
  const id = decoded(path.split('/').at(-1) ?? '');
  // What is in hand, or was just asked for, ends in a moment.
  const delivery = useAnswer(ask('GET /webhooks/{deliveryId}', { deliveryId: id }), ({ waitsFor }) =>
    waitsFor === 'call' || waitsFor === 'turn' ? FOLLOW_MS : undefined,
  );
  const { answer, refusal } = delivery;
  const action = useAction();
  const [isAsked, setAsked] = useState(false);
  const retry = () =>
    action.run(async () => {
      await operate('POST /webhooks/{deliveryId}/retry', { deliveryId: id });
      setAsked(true);
    });
  if (refusal?.status === 404) {
    return (
      <>
        <PageHead title={t.webhookAttempts.title} />
        <EmptyState title={t.webhookAttempts.none} hint={t.webhookAttempts.noneHint}>
          <Link to="/webhooks" class="button">
            {t.webhookAttempts.back}
          </Link>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <p class="crumb">
        <Link to="/webhooks">
          <Icon name="left" /> {t.webhookAttempts.back}
        </Link>
      </p>
      <PageHead title={t.webhookAttempts.title}>
        {answer && (
          <>
            <DeliveryBadge state={answer.state} />
            <Needs least="operator">
              <Button icon="refresh" isDisabled={action.isRunning} onPress={retry}>
                {t.webhookAttempts.retry}
              </Button>
            </Needs>
          </>
        )}
      </PageHead>
      <RefusalNotice refusal={action.refusal} />
      <p class="sr-only" role="status">
        {isAsked && answer ? t.webhookAttempts.retried(t.webhookAttempts.states[answer.state]) : ''}
      </p>
      <Loaded of={delivery}>{shown => <Details delivery={shown} />}</Loaded>
    </>
  );
}

function Details({ delivery }: { delivery: DeliveryDetailView }) {
  const t = useWords();
  const { trouble, offReason, history } = delivery;
  const isWaiting = delivery.waitsFor !== null;
  return (
    <>
      <Facts
        facts={[
          [
            t.webhooks.message,
            <Link key="message" to={`/messages/${delivery.msgKey}`} class="key">
              {delivery.msgKey}
            </Link>,
          ],
          [t.common.account, delivery.account],
          [t.webhookAttempts.reported, <Time key="reported" at={delivery.reportedAt} />],
          [t.webhooks.attempts, delivery.attempts],
          isWaiting && [t.webhooks.next, <NextAttempt key="next" delivery={delivery} />],
          isWaiting && [t.webhookAttempts.giveUp, <Time key="end" at={delivery.giveUpAt} />],
        ]}
      />
      {isWaiting && offReason && <p class="notice notice-bad">{offReason}</p>}
      {isWaiting && trouble && <TroubleNotice trouble={trouble} />}
      <section class="card" aria-label={t.webhookAttempts.history}>
        <h2>{t.webhookAttempts.history}</h2>
        {history.length === 0 && <p class="muted">{t.webhookAttempts.noAttempts}</p>}
        <ol class="attempts">
          {history.map((attempt, index) => (
            <AttemptRow
              key={`${attempt.at}-${history.length - index}`}
              attempt={attempt}
              isOpen={index === 0}
            />
          ))}
        </ol>
      </section>
    </>
  );
}

function AttemptRow({ attempt, isOpen }: { attempt: AttemptView; isOpen: boolean }) {
  const t = useWords();
  const { at, status, error, durationMs, exchange } = attempt;
  const head = (
    <>
      <Time at={at} />
      <Badge tone={error === null ? 'good' : 'bad'}>
        {status === null ? t.webhookAttempts.unanswered : `HTTP ${status}`}
      </Badge>
      <span class="muted">{t.webhookAttempts.milliseconds(durationMs)}</span>
      {error !== null && <span class="attempt-error">{error}</span>}
    </>
  );
  return (
    <li>
      {exchange ? (
        <details class="attempt" open={isOpen}>
          <summary>{head}</summary>
          <ExchangeView attempt={attempt} exchange={exchange} />
        </details>
      ) : (
        <p class="attempt-head">{head}</p>
      )}
    </li>
  );
}
