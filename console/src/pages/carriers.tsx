/** Carriers: their state and counters; pause, resume, reconnect and test. */

import type { CarrierLine } from '../../../src/operations/carriers.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { useCarrierActions } from '../carriers/carrier-actions.tsx';
import { Badge, type Tone } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Facts } from '../components/facts.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Time } from '../components/time.tsx';
import { askMember } from '../gateway/operations.ts';
import { lookUp, useWords } from '../words/words.tsx';

const LOOK_AGAIN_MS = 2000;

const TONES: Readonly<Record<CarrierLine['state'], Tone>> = {
  connecting: 'busy',
  up: 'good',
  full: 'bad',
  waiting: 'doubt',
  slowed: 'doubt',
  down: 'bad',
  gone: 'bad',
};

export function CarriersPage() {
  const t = useWords();
  const carriers = useAnswer(askMember('GET /carriers', 'carriers', {}), LOOK_AGAIN_MS);
  return (
    <>
      <PageHead title={t.carriers.title} intro={t.carriers.intro} />
      <Loaded of={carriers} empty={<EmptyState title={t.carriers.empty} hint={t.carriers.emptyHint} />}>
        {all => (
          <ul class="cards">
            {all.map(carrier => (
              <CarrierCard key={`${carrier.name}@${carrier.node}`} carrier={carrier} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function CarrierCard({ carrier }: { carrier: CarrierLine }) {
  const t = useWords();
  const { buttons, outcome } = useCarrierActions(carrier);
  const { accepted, permanent, temporary = 0, unknown } = carrier.sent;
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2>
            {carrier.name}{' '}
            <Badge tone={TONES[carrier.state]}>{lookUp(t.carriers.states, carrier.state)}</Badge>{' '}
            {carrier.paused && <Badge tone="doubt">{t.carriers.pausedBadge}</Badge>}
            {carrier.breakerOpenUntil && <Badge tone="bad">{t.carriers.breakerOpen}</Badge>}
          </h2>
          <p class="muted">
            {[carrier.kind, carrier.node, carrier.detail].filter(Boolean).join(' · ')}
            {carrier.since && (
              <>
                {' · '}
                {t.carriers.since.before}
                <Time at={carrier.since} />
                {t.carriers.since.after}
              </>
            )}
          </p>
        </div>
        <div class="card-actions">{buttons}</div>
      </header>
      <Facts
        facts={[
          [t.carriers.window, `${carrier.inFlight} / ${carrier.window}`],
          [t.carriers.rate, carrier.rate ? t.carriers.perSecond(carrier.rate) : t.carriers.unlimited],
          carrier.foundRate !== null && [
            t.carriers.foundRate,
            t.carriers.perSecond(carrier.foundRate < 10 ? carrier.foundRate : Math.round(carrier.foundRate)),
          ],
          [t.carriers.taken, count(accepted)],
          [t.carriers.permanent, count(permanent)],
          [t.carriers.temporary, count(Math.max(0, temporary - carrier.throttled))],
          [t.carriers.unknown, count(unknown)],
          [t.carriers.throttled, count(carrier.throttled)],
          [t.carriers.channels, carrier.channels.map(channel => lookUp(t.channels, channel)).join(', ')],
        ]}
      />
      {carrier.breakerOpenUntil && (
        <p class="notice notice-bad" role="status">
          <span>
            {t.carriers.breakerNotice.before}
            <Time at={carrier.breakerOpenUntil} />
            {t.carriers.breakerNotice.after}
          </span>
        </p>
      )}
      {carrier.hint && (
        <p class="notice" role="status">
          {t.carriers.hint}: {carrier.hint}
        </p>
      )}
      {outcome}
    </li>
  );
}

function count(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en');
}
