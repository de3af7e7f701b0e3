/** Cards about the day so far, on the start page and on the page of an account. */
import type { ComponentChildren } from 'preact';
import type { TrafficReport } from '../../../src/operations/traffic.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Figure, formatCount, formatMs, formatShare } from '../components/figure.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Time } from '../components/time.tsx';
import { messagesOf } from '../desk/failed-messages.ts';
import { ask } from '../gateway/operations.ts';
import { Link } from '../router.tsx';
import { useSession } from '../session.tsx';
import { rangeOf } from '../statistics/period.ts';
import { lookUp, useWords } from '../words/words.tsx';

export const FIGURES_MS = 30_000;
const WEEK_MS = 7 * 86_400_000;
const MOST_CAUSES = 6;

export function Card(props: { title: string; to?: string; toWord?: string; children: ComponentChildren }) {
  return (
    <section class="card today-card" aria-label={props.title}>
      <header class="card-head">
        <h2>{props.title}</h2>
        {props.to && (
          <Link to={props.to} class="button button-quiet button-small">
            {props.toWord}
          </Link>
        )}
      </header>
      {props.children}
    </section>
  );
}

/** Today so far, beside the same hours a week ago; of one account, or of all. */
export function TrafficCard({ account = '' }: { account?: string }) {
  const t = useWords();
  const { timeZone } = useSession();
  const now = Date.now();
  const today = useAnswer(
    ask('GET /statistics/traffic', { ...rangeOf('today', NO_RANGE, now, timeZone), by: '', account }),
    FIGURES_MS,
  );
  const { answer: before } = useAnswer(
    ask('GET /statistics/traffic', {
      ...rangeOf('today', NO_RANGE, now - WEEK_MS, timeZone),
      by: '',
      account,
    }),
    FIGURES_MS,
  );
  return (
    <Card
      title={t.today.traffic}
      to={`/statistics${ofAccount(account)}`}
      toWord={t.health.open(t.nav.statistics)}
    >
      <Loaded of={today}>{report => <Figures today={report} before={before} />}</Loaded>
    </Card>
  );
}

const NO_RANGE = { from: '', until: '' };

/** A message that ended was delivered, or it failed: its fallbacks do not count beside it. */
function Figures({ today, before }: { today: TrafficReport; before: TrafficReport | undefined }) {
  const t = useWords();
  const figureOf = (name: string, of: (report: TrafficReport) => string) => (
    <Figure name={name} value={of(today)} aside={before && t.today.weekAgo(of(before))} />
  );
  return (
    <>
      <dl class="figures">
        {figureOf(t.statistics.accepted, ({ total }) => formatCount(total.accepted))}
        {figureOf(t.statistics.delivered, ({ total }) => formatShare(total.delivered, total.messages))}
        {figureOf(t.today.failed, ({ total }) => formatCount(total.messages - total.delivered))}
        {figureOf(t.today.p95, ({ total }) => formatMs(total.p95Ms))}
      </dl>
      <p class="muted">
        {today.countedUntil && (
          <>
            {t.statistics.counted} <Time at={today.countedUntil} />.{' '}
          </>
        )}
        {before && (
          <>
            {t.today.weekAgoUntil} <Time at={before.until} />.
          </>
        )}
      </p>
    </>
  );
}

export function FailuresCard({ account = '' }: { account?: string }) {
  const t = useWords();
  const desk = useAnswer(ask('GET /failures', { account, by: 'code,channel' }), FIGURES_MS);
  return (
    <Card title={t.today.causes} to={`/failures${ofAccount(account)}`} toWord={t.health.open(t.nav.failures)}>
      <Loaded of={desk}>
        {shown =>
          shown.groups.length === 0 ? (
            <p class="muted">{t.today.noFailures}</p>
          ) : (
            <ul class="today-list">
              {shown.groups.slice(0, MOST_CAUSES).map(group => (
                <li key={`${group.code} ${group.channel}`}>
                  <Link to={messagesOf(group, shown, account)}>
                    <code>{group.code}</code> {group.reportText}
                  </Link>
                  <span class="muted">
                    {lookUp(t.channels, group.channel ?? '')} · {formatCount(group.failed)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function ofAccount(account: string): string {
  return account === '' ? '' : `?account=${encodeURIComponent(account)}`;
}
