/** One webhook delivery: what became of it, each attempt with its request and answer, and a button to try again now. */
import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { type Attempt, type DeliveryDetail, readDelivery, retryDelivery } from '../gateway/webhooks.ts';
import { Link, useRouter } from '../router.tsx';
import { DeliveryBadge, NextAttempt, TroubleNotice } from '../webhooks/delivery-state.tsx';
import { ExchangeView } from '../webhooks/exchange.tsx';
import { useWords } from '../words/words.tsx';

const FOLLOW_MS = 1000;

export function WebhookDeliveryPage() {
  const t = useWords();
  const { path } = useRouter();
  const id = decodeURIComponent(path.split('/').at(-1) ?? '');
  const { answer, refusal, reload } = useAnswer(signal => readDelivery(id, signal), [id]);
  const action = useAction();
  const [isAsked, setAsked] = useState(false);
  // What is in hand, or was just asked for, ends in a moment.
  const isFollowed = answer?.waitsFor === 'call' || answer?.waitsFor === 'turn';

  useEffect(() => {
    if (!isFollowed) return;
    const timer = setTimeout(reload, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [answer, isFollowed, reload]);

  const retry = () =>
    action.run(async () => {
      await retryDelivery(id);
      setAsked(true);
      reload();
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
              <button type="button" class="button" disabled={action.isRunning} onClick={retry}>
                <Icon name="refresh" /> {t.webhookAttempts.retry}
              </button>
            </Needs>
          </>
        )}
      </PageHead>
      <RefusalNotice refusal={action.refusal} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      <p class="sr-only" role="status">
        {isAsked && answer ? t.webhookAttempts.retried(t.webhookAttempts.states[answer.state]) : ''}
      </p>
      {answer ? <Details delivery={answer} /> : !refusal && <Loading />}
    </>
  );
}

function Details({ delivery }: { delivery: DeliveryDetail }) {
  const t = useWords();
  const { trouble, offReason, history } = delivery;
  const isWaiting = delivery.waitsFor !== null;
  return (
    <>
      <dl class="summary">
        <div>
          <dt>{t.webhooks.message}</dt>
          <dd>
            <Link to={`/messages/${delivery.msgKey}`} class="key">
              {delivery.msgKey}
            </Link>
          </dd>
        </div>
        <div>
          <dt>{t.common.account}</dt>
          <dd>{delivery.account}</dd>
        </div>
        <div>
          <dt>{t.webhookAttempts.reported}</dt>
          <dd>
            <Time at={delivery.reportedAt} />
          </dd>
        </div>
        <div>
          <dt>{t.webhooks.attempts}</dt>
          <dd>{delivery.attempts}</dd>
        </div>
        {isWaiting && (
          <div>
            <dt>{t.webhooks.next}</dt>
            <dd>
              <NextAttempt delivery={delivery} />
            </dd>
          </div>
        )}
        {isWaiting && (
          <div>
            <dt>{t.webhookAttempts.giveUp}</dt>
            <dd>
              <Time at={delivery.giveUpAt} />
            </dd>
          </div>
        )}
      </dl>
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

function AttemptRow({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
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
