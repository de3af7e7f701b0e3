/** Today, the start page: what is wrong, how the day goes, and what comes next. */
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../answers/use-answer.tsx';
import { Figure, formatCount, formatMs, formatShare } from '../components/figure.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { Time } from '../components/time.tsx';
import { messagesOf } from '../desk/failed-messages.ts';
import { readPressing, wrongIn } from '../gateway/health.ts';
import { ask } from '../gateway/operations.ts';
import { listOperators } from '../gateway/operators.ts';
import { listReservations } from '../gateway/reservations.ts';
import { readTraffic, type TrafficReport } from '../gateway/traffic.ts';
import { LOOK_AGAIN_MS } from '../health/attention.tsx';
import { FindingRow } from '../health/finding-row.tsx';
import { Link } from '../router.tsx';
import { useMay, useSession } from '../session.tsx';
import { rangeOf } from '../statistics/period.ts';
import { lookUp, useWords } from '../words/words.tsx';

const FIGURES_MS = 30_000;
const WEEK_MS = 7 * 86_400_000;
const MOST_CAUSES = 6;
const MOST_RESERVATIONS = 5;
/** A token that ends within so many days. */
const SOON_MS = 14 * 86_400_000;

export function TodayPage() {
  const t = useWords();
  return (
    <>
      <PageHead title={t.today.title} intro={t.today.intro}>
        <RefreshButton />
      </PageHead>
      <HealthCard />
      <TrafficCard />
      <div class="today-cards">
        <FailuresCard />
        <ReservationsCard />
        <EndsSoonCard />
      </div>
    </>
  );
}

function Card(props: { title: string; to?: string; toWord?: string; children: ComponentChildren }) {
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

function HealthCard() {
  const t = useWords();
  const health = useAnswer(readPressing(), LOOK_AGAIN_MS);
  return (
    <Card title={t.health.attention}>
      <Loaded of={health}>
        {findings => {
          const wrong = wrongIn(findings);
          if (wrong.length === 0) return <p class="notice notice-good today-well">{t.health.well}</p>;
          return (
            <ul class="findings">
              {wrong.map(finding => (
                <FindingRow
                  key={`${finding.area} ${finding.about ?? finding.detail}`}
                  finding={finding}
                  isWhole
                />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** Today so far, beside the same hours a week ago. */
function TrafficCard() {
  const t = useWords();
  const { timeZone } = useSession();
  const now = Date.now();
  const today = useAnswer(readTraffic({ ...rangeOf('today', NO_RANGE, now, timeZone), by: '' }), FIGURES_MS);
  const { answer: before } = useAnswer(
    readTraffic({ ...rangeOf('today', NO_RANGE, now - WEEK_MS, timeZone), by: '' }),
    FIGURES_MS,
  );
  return (
    <Card title={t.today.traffic} to="/statistics" toWord={t.health.open(t.nav.statistics)}>
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

function FailuresCard() {
  const t = useWords();
  const desk = useAnswer(ask('GET /failures', { by: 'code,channel' }), FIGURES_MS);
  return (
    <Card title={t.today.causes} to="/failures" toWord={t.health.open(t.nav.failures)}>
      <Loaded of={desk}>
        {shown =>
          shown.groups.length === 0 ? (
            <p class="muted">{t.today.noFailures}</p>
          ) : (
            <ul class="today-list">
              {shown.groups.slice(0, MOST_CAUSES).map(group => (
                <li key={`${group.code} ${group.channel}`}>
                  <Link to={messagesOf(group, shown, '')}>
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

function ReservationsCard() {
  const t = useWords();
  const due = useAnswer(listReservations({ account: '', status: 'PENDING' }), FIGURES_MS);
  return (
    <Card title={t.today.reservations} to="/reservations" toWord={t.health.open(t.nav.reservations)}>
      <Loaded of={due}>
        {({ rows, next }) =>
          rows.length === 0 ? (
            <p class="muted">{t.today.noReservations}</p>
          ) : (
            <>
              <ul class="today-list">
                {rows
                  .toSorted((one, other) => Date.parse(one.resvSendTime) - Date.parse(other.resvSendTime))
                  .slice(0, MOST_RESERVATIONS)
                  .map(({ resvKey, resvName, resvSendTime, expectedCnt, account }) => (
                    <li key={resvKey}>
                      <span>
                        <Time at={resvSendTime} /> {resvName ?? resvKey}
                      </span>
                      <span class="muted">
                        {account} · {t.today.recipients(expectedCnt)}
                      </span>
                    </li>
                  ))}
              </ul>
              {next !== null && <p class="muted">{t.today.moreReservations(rows.length)}</p>}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The certificate of the server, and tokens of operators, which only an admin sees. */
function EndsSoonCard() {
  const t = useWords();
  const isAdmin = useMay('admin');
  const { answer: findings } = useAnswer(readPressing());
  const certificate = findings?.find(({ area }) => area === 'certificate');
  if (!isAdmin && !certificate) return null;
  return (
    <Card title={t.today.endsSoon}>
      {certificate && <p>{certificate.detail}</p>}
      {isAdmin && <EndingTokens />}
    </Card>
  );
}

function EndingTokens() {
  const t = useWords();
  const operators = useAnswer(listOperators());
  const now = Date.now();
  return (
    <Loaded of={operators}>
      {all => {
        const ending = all.filter(({ state, expiresAt }) => {
          const left = Date.parse(expiresAt) - now;
          return state === 'active' && left > 0 && left < SOON_MS;
        });
        if (ending.length === 0) return <p class="muted">{t.today.noTokens}</p>;
        return (
          <ul class="today-list">
            {ending.map(({ id, name, expiresAt }) => (
              <li key={id}>
                <Link to="/operators">{t.today.tokenOf(name)}</Link>
                <Time at={expiresAt} />
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}
