/** Carriers: their state and counters; pause, resume and test. */
import { useState } from 'preact/hooks';
import { Badge, type Tone } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { type Carrier, listCarriers, pauseCarrier, resumeCarrier, testCarrier } from '../gateway/carriers.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { useRepeated } from '../gateway/use-repeated.ts';
import { lookUp, useWords } from '../words/words.tsx';

const LOOK_AGAIN_MS = 2000;

const TONES: Readonly<Record<Carrier['state'], Tone>> = {
  connecting: 'busy',
  up: 'good',
  slowed: 'doubt',
  down: 'bad',
};

export function CarriersPage() {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => listCarriers(signal), []);
  useRepeated(reload, LOOK_AGAIN_MS);
  return (
    <>
      <PageHead title={t.carriers.title} intro={t.carriers.intro} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer?.carriers.length === 0 && <EmptyState title={t.carriers.empty} hint={t.carriers.emptyHint} />}
      <ul class="cards">
        {answer?.carriers.map(carrier => (
          <CarrierCard key={`${carrier.name}@${carrier.node ?? ''}`} carrier={carrier} onChanged={reload} />
        ))}
      </ul>
    </>
  );
}

function CarrierCard({ carrier, onChanged }: { carrier: Carrier; onChanged: () => void }) {
  const t = useWords();
  const action = useAction();
  const [tested, setTested] = useState<{ isOk: boolean; detail: string } | undefined>();
  const toggle = () =>
    action.run(async () => {
      await (carrier.paused ? resumeCarrier(carrier.name) : pauseCarrier(carrier.name));
      onChanged();
    });
  const test = () => action.run(async () => setTested(await testCarrier(carrier.name)));
  const { sent } = carrier;
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2>
            {carrier.name}{' '}
            <Badge tone={TONES[carrier.state] ?? 'plain'}>{lookUp(t.carriers.states, carrier.state)}</Badge>{' '}
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
        <div class="card-actions">
          <Needs least="operator">
            {carrier.paused ? (
              <button type="button" class="button button-small" disabled={action.isRunning} onClick={toggle}>
                <Icon name="play" /> {t.carriers.resume}
              </button>
            ) : (
              <ConfirmButton
                label={t.carriers.pause}
                question={t.carriers.confirmPause}
                isDisabled={action.isRunning}
                onConfirm={toggle}
              >
                <Icon name="pause" />
              </ConfirmButton>
            )}
            <button
              type="button"
              class="button button-quiet button-small"
              disabled={action.isRunning}
              onClick={test}
            >
              {t.carriers.test}
            </button>
          </Needs>
        </div>
      </header>
      <dl class="summary">
        <Fact name={t.carriers.window} value={`${carrier.inFlight} / ${carrier.window}`} />
        <Fact
          name={t.carriers.rate}
          value={carrier.rate ? t.carriers.perSecond(carrier.rate) : t.carriers.unlimited}
        />
        {carrier.foundRate !== null && (
          <Fact
            name={t.carriers.foundRate}
            value={t.carriers.perSecond(
              carrier.foundRate < 10 ? carrier.foundRate : Math.round(carrier.foundRate),
            )}
          />
        )}
        <Fact name={t.carriers.taken} value={count(sent.accepted)} />
        <Fact name={t.carriers.permanent} value={count(sent.permanent)} />
        <Fact name={t.carriers.temporary} value={count(Math.max(0, sent.temporary - carrier.throttled))} />
        <Fact name={t.carriers.unknown} value={count(sent.unknown)} />
        <Fact name={t.carriers.throttled} value={count(carrier.throttled)} />
        <Fact
          name={t.carriers.channels}
          value={carrier.channels.map(channel => lookUp(t.channels, channel)).join(', ')}
        />
      </dl>
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
      {tested && (
        <p class={tested.isOk ? 'notice notice-good' : 'notice notice-bad'} role="status">
          {tested.detail}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function count(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en');
}
