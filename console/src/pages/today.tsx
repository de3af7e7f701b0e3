/** Today, the start page: what is wrong, how the day goes, and what comes next. */
import { useAnswer } from '../answers/use-answer.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { Time } from '../components/time.tsx';
import { keyed, readPressing, wrongIn } from '../gateway/health.ts';
import { askMember } from '../gateway/operations.ts';
import { listReservations } from '../gateway/reservations.ts';
import { LOOK_AGAIN_MS } from '../health/attention.tsx';
import { FindingRow } from '../health/finding-row.tsx';
import { Link } from '../router.tsx';
import { useMay } from '../session.tsx';
import { Card, FailuresCard, FIGURES_MS, TrafficCard } from '../today/cards.tsx';
import { useWords } from '../words/words.tsx';

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
              {keyed(wrong).map(([key, finding]) => (
                <FindingRow key={key} finding={finding} isWhole />
              ))}
            </ul>
          );
        }}
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
  const operators = useAnswer(askMember('GET /operators', 'operators', {}));
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
