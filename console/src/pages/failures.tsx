/** The failure desk: what failed on a day, in groups, against the days before; from a group to its messages. */

import {
  FAILURE_DIMENSIONS as DIMENSIONS,
  type FailureDimension as Dimension,
} from '../../../src/domain/reports/dimensions.ts';
import type { FailureDesk, FailureGroup } from '../../../src/operations/failures.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { idsOf } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Facts } from '../components/facts.tsx';
import { CheckField, SelectField } from '../components/field.tsx';
import { Loaded } from '../components/loaded.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { messagesOf } from '../desk/failed-messages.ts';
import { percent, times, trendOf } from '../desk/trend.ts';
import { listAccounts } from '../gateway/accounts.ts';
import { ask } from '../gateway/operations.ts';
import { Link, useRouter } from '../router.tsx';
import { lookUp, useLanguage, useWords } from '../words/words.tsx';

const DAYS_OFFERED = 14;
const DAY_MS = 86_400_000;
const REFRESH_MS = 30_000;
/** A first failure is counted some seconds after it: until there is one, the page may be behind. */
const REFRESH_EMPTY_MS = 3000;

export function FailuresPage() {
  const t = useWords();
  const { query, go } = useRouter();
  const accounts = useAnswer(listAccounts());
  const [day, account] = [query.get('day') ?? '', query.get('account') ?? ''];
  const by = dimensionsIn(query.get('by'));
  const desk = useAnswer(ask('GET /failures', { day, account, by: by.join(',') }), shown =>
    shown.day !== shown.today ? undefined : shown.groups.length > 0 ? REFRESH_MS : REFRESH_EMPTY_MS,
  );
  const { answer } = desk;

  const show = (change: Readonly<Record<string, string>>) => {
    const given = Object.entries({ day, account, by: query.get('by') ?? '', ...change });
    const terms = new URLSearchParams(given.filter(([, value]) => value !== ''));
    go(`/failures${terms.size > 0 ? `?${terms}` : ''}`);
  };
  const group = (name: Dimension) => (isOn: boolean) => {
    const next = DIMENSIONS.filter(each => (each === name ? isOn : by.includes(each)));
    if (next.length > 0) show({ by: next.length === DIMENSIONS.length ? '' : next.join(',') });
  };

  return (
    <>
      <PageHead title={t.desk.title} intro={t.desk.intro}>
        <RefreshButton />
      </PageHead>
      <div class="card desk-filters">
        <SelectField
          label={t.desk.day}
          value={answer && (day === '' || day === answer.today) ? '' : day}
          options={daysOffered(answer?.today ?? day, day).map((value, index) =>
            index === 0 ? { value: '', label: t.desk.today(value) } : { value, label: value },
          )}
          onChange={value => show({ day: value })}
        />
        <SelectField
          label={t.common.account}
          value={account}
          options={optionsOf(idsOf(accounts.answer), { all: t.desk.anyAccount, given: account })}
          onChange={value => show({ account: value })}
        />
        <fieldset class="desk-by">
          <legend>{t.desk.by}</legend>
          {DIMENSIONS.map(name => (
            <CheckField key={name} label={t.common[name]} isOn={by.includes(name)} onChange={group(name)} />
          ))}
        </fieldset>
      </div>
      <Loaded of={desk}>
        {shown => (
          <>
            <Totals desk={shown} />
            {shown.groups.length === 0 ? (
              shown.day === shown.today ? (
                <EmptyState title={t.desk.emptyToday} hint={t.desk.emptyHint} />
              ) : (
                <EmptyState title={t.desk.empty} />
              )
            ) : (
              <div class="card card-table">
                <Groups desk={shown} by={by} account={account} />
              </div>
            )}
            {shown.left.groups > 0 && (
              <p class="muted desk-left">{t.desk.left(shown.left.groups, shown.left.failed)}</p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Totals({ desk }: { desk: FailureDesk }) {
  const t = useWords();
  const { language } = useLanguage();
  const day = desk.days.at(-1);
  const before = desk.days.slice(0, -1);
  const usual = sum(before.map(({ failed }) => failed)) / (sum(before.map(({ messages }) => messages)) || 1);
  return (
    <Facts
      class="desk-totals"
      facts={[
        [t.desk.ended, (day?.messages ?? 0).toLocaleString(language)],
        [t.desk.failed, (day?.failed ?? 0).toLocaleString(language)],
        [
          t.desk.rate,
          <>
            {percent((day?.failed ?? 0) / (day?.messages || 1), language)}
            <span class="muted">
              {t.desk.usual} {percent(usual, language)}
            </span>
          </>,
        ],
        desk.countedUntil !== null && [t.desk.countedUntil, <Time key="until" at={desk.countedUntil} />],
      ]}
    />
  );
}

function Groups({ desk, by, account }: { desk: FailureDesk; by: readonly Dimension[]; account: string }) {
  const t = useWords();
  const { language } = useLanguage();
  const hasCode = by.includes('code');
  const columns: readonly (Column<FailureGroup> | false)[] = [
    hasCode && {
      name: t.desk.group,
      cell: group => (
        <p class="desk-failure">
          <code>{group.code}</code> {group.reportText}
        </p>
      ),
    },
    by.includes('channel') && {
      name: t.common.channel,
      cell: group => lookUp(t.channels, group.channel ?? '') || t.desk.none,
    },
    by.includes('carrier') && {
      name: t.common.carrier,
      cell: group => group.carrier || t.desk.none,
      isLong: true,
    },
    by.includes('account') && { name: t.common.account, cell: group => group.account ?? '', isLong: true },
    {
      name: t.desk.failed,
      cell: group => (
        <Link to={messagesOf(group, desk, account)} class="row-link whole">
          {t.desk.showMessages(group.failed)}
        </Link>
      ),
    },
    { name: t.desk.share, cell: group => percent(group.share, language) },
    { name: t.desk.trend, cell: group => <TrendOf group={group} /> },
    hasCode && { name: t.desk.advice, cell: group => lookUp(t.desk.adviceOf, group.advice ?? '') },
  ];
  return (
    <Table
      label={t.desk.title}
      columns={columns.filter(column => column !== false)}
      rows={desk.groups}
      keyOf={group => DIMENSIONS.map(name => group[name] ?? '').join(' ')}
    />
  );
}

/** A bar for each day, the day itself in colour, and in words how it compares. */
function TrendOf({ group }: { group: FailureGroup }) {
  const t = useWords();
  const { language } = useLanguage();
  const { rate, usualRate, days } = group;
  const trend = trendOf(rate, usualRate);
  const most = Math.max(...days, 1);
  const said =
    trend.kind === 'up'
      ? t.desk.up(times(trend.times, language))
      : trend.kind === 'down'
        ? t.desk.down(percent(trend.part, language))
        : trend.kind === 'new'
          ? t.desk.isNew
          : t.desk.same;
  return (
    <span class="desk-trend" title={t.desk.trendTitle(percent(rate, language), percent(usualRate, language))}>
      <svg
        viewBox={`0 0 ${days.length * 5 - 1} 20`}
        role="img"
        aria-label={t.desk.history(days.map(count => count.toLocaleString(language)).join(', '))}
      >
        {days.map((count, index) => {
          const height = count === 0 ? 1 : Math.max(2, (count / most) * 20);
          return (
            <rect
              key={index}
              class={index === days.length - 1 ? 'desk-day' : undefined}
              x={index * 5}
              y={20 - height}
              width={4}
              height={height}
            />
          );
        })}
      </svg>
      <span class={`desk-${trend.kind}`}>{said}</span>
    </span>
  );
}

function dimensionsIn(given: string | null): readonly Dimension[] {
  const names = given?.split(',') ?? [];
  const known = DIMENSIONS.filter(name => names.includes(name));
  return known.length > 0 ? known : DIMENSIONS;
}

/** From the last day back, and the one that is shown. */
function daysOffered(today: string, shown: string): readonly string[] {
  const start = Date.parse(`${today}T00:00Z`);
  if (Number.isNaN(start)) return [''];
  const days = Array.from({ length: DAYS_OFFERED }, (_, back) =>
    new Date(start - back * DAY_MS).toISOString().slice(0, 10),
  );
  return shown === '' || days.includes(shown) ? days : [...days, shown];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
