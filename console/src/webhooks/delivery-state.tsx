/** The state of a delivery in a word, and what it waits for in another. */

import type { DeliverySummary, TroubleView } from '../../../src/operations/webhooks.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Time } from '../components/time.tsx';
import { lookUp, useWords } from '../words/words.tsx';

const TONES: Readonly<Record<DeliverySummary['state'], Tone>> = {
  pending: 'busy',
  retrying: 'doubt',
  delivered: 'good',
  failed: 'bad',
  off: 'plain',
};

export function DeliveryBadge({ state }: { state: DeliverySummary['state'] }) {
  const t = useWords();
  return <Badge tone={TONES[state]}>{lookUp(t.webhookAttempts.states, state)}</Badge>;
}

/** When it is tried next; or why there is no such time. */
export function NextAttempt({ delivery }: { delivery: Pick<DeliverySummary, 'nextAt' | 'waitsFor'> }) {
  const t = useWords();
  const { waitsFor, nextAt } = delivery;
  if (waitsFor === null) return null;
  if (nextAt === null) return <span class="muted">{t.webhookAttempts.waitsFor[waitsFor]}</span>;
  return (
    <>
      <Time at={nextAt} />
      {waitsFor === 'circuit' && <span class="muted"> {t.webhookAttempts.waitsFor.circuit}</span>}
    </>
  );
}

/** Why the receiver is not called, since when, and what comes next. */
export function TroubleNotice({ trouble }: { trouble: TroubleView }) {
  const t = useWords();
  const { before, between, after } = t.webhookAttempts.trouble(trouble.failures);
  return (
    <div class="notice notice-bad trouble" role="status">
      <p>
        <strong>{t.webhookAttempts.troubleTitle}</strong>
      </p>
      <p>
        {before}
        <Time at={trouble.since} />
        {between}
        <Time at={trouble.lastAt} />
        {after} <code>{trouble.error}</code>
      </p>
      <p>
        {trouble.nextAt ? (
          <>
            {t.webhookAttempts.nextCall.before}
            <Time at={trouble.nextAt} />
            {t.webhookAttempts.nextCall.after}
          </>
        ) : (
          t.webhookAttempts.nextDue
        )}
      </p>
    </div>
  );
}
