/** Statistics: what became of messages in any period. What is asked for is in the address, so that it can be shared. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { TRAFFIC_DIMENSIONS as DIMENSIONS } from '../../../src/domain/reports/dimensions.ts';
import type { TrafficReport, TrafficRow, TrafficUnit } from '../../../src/operations/traffic.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { idsOf } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Figure, formatCount, formatMs, formatShare, shortMs } from '../components/figure.tsx';
import { Filters } from '../components/filters.tsx';
import { Loading } from '../components/loading.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import { csvOf } from '../csv.ts';
import { listAccounts } from '../gateway/accounts.ts';
import { ask, askMember } from '../gateway/operations.ts';
import { Chart } from '../live/chart.tsx';
import { Link, useRouter, useTerm } from '../router.tsx';
import { saveFile } from '../save-file.ts';
import { useSession } from '../session.tsx';
import { BreakdownTable, dimensionsOf, VIEWS, type View, viewNamed } from '../statistics/breakdown.tsx';
import { CarrierLoad } from '../statistics/carrier-load.tsx';
import { periodNamed, rangeOf, usualUnit } from '../statistics/period.ts';
import { valuesOf } from '../statistics/series.ts';
import { useWords } from '../words/words.tsx';

const TERMS = ['period', 'from', 'until', ...DIMENSIONS] as const;
type Terms = Readonly<Record<(typeof TERMS)[number], string>>;

const SECONDS: Readonly<Record<TrafficUnit, number>> = { hour: 3600, day: 86_400 };
const EXPORTED = ['accepted', 'ended', 'messages', 'delivered', 'failed', 'expired', 'parts'] as const;
const EXPORTED_TIMES = ['p50Ms', 'p95Ms', 'p99Ms'] as const;

export function StatisticsPage() {
  const t = useWords();
  const { query, go } = useRouter();
  const [unitTerm, setUnit] = useTerm('unit');
  const [viewTerm, setView] = useTerm('view');
  const { timeZone } = useSession();
  const [round, setRound] = useState(0);
  const terms = termsOf(query);
  const asked = TERMS.map(name => terms[name]).join('\n');
  const range = useMemo(
    () => rangeOf(periodNamed(terms.period), terms, Date.now(), timeZone),
    [asked, timeZone, round],
  );
  const unit: TrafficUnit = unitTerm === 'hour' || unitTerm === 'day' ? unitTerm : usualUnit(range);
  const view = viewNamed(viewTerm);
  const where = Object.fromEntries(DIMENSIONS.map(name => [name, terms[name]]));
  const overTime = useAnswer(ask('GET /statistics/traffic', { ...range, ...where, by: unit }));
  const broken = useAnswer(
    ask('GET /statistics/traffic', { ...range, ...where, by: dimensionsOf(view).join() }),
  );
  const addressOf = (changes: Readonly<Record<string, string>>) => {
    const given = Object.entries({ ...Object.fromEntries(query), ...changes }).filter(
      ([, value]) => value !== '',
    );
    return given.length > 0 ? `/statistics?${new URLSearchParams(given)}` : '/statistics';
  };
  const { answer, refusal } = overTime;
  const isEmpty = answer !== undefined && answer.total.accepted === 0 && answer.total.ended === 0;
  return (
    <>
      <PageHead title={t.statistics.title} intro={t.statistics.intro}>
        <RefreshButton onPress={() => setRound(last => last + 1)} />
      </PageHead>
      <Question terms={terms} asked={asked} onShow={changed => go(addressOf(changed))} />
      <RefusalNotice
        refusal={refusal ?? broken.refusal}
        onRetry={refusal ? overTime.reload : broken.reload}
      />
      {!answer && !refusal && <Loading />}
      {answer && (
        <p class="muted statistics-note" aria-live="polite">
          {answer.countedUntil === null ? (
            t.statistics.notCounted
          ) : (
            <>
              {t.statistics.counted} <Time at={answer.countedUntil} />
            </>
          )}
        </p>
      )}
      {isEmpty && <EmptyState title={t.statistics.empty} hint={t.statistics.emptyHint} />}
      {answer && !isEmpty && (
        <>
          <Totals report={answer} />
          <OverTime report={answer} unit={unit} onUnit={setUnit} />
          <section class="statistics-section" aria-labelledby="breakdown">
            <header class="section-head">
              <h2 id="breakdown">{view === 'usage' ? t.statistics.usage : t.statistics.breakdown}</h2>
              <ExportButton report={broken.answer} view={view} />
            </header>
            <p class="muted">{t.statistics.counting}</p>
            <Tabs
              label={t.statistics.breakdown}
              tabs={VIEWS.map(id => ({ id, label: t.statistics.by[id] }))}
              current={view}
              onPick={setView}
            />
            {broken.answer && isOfView(broken.answer, view) && (
              <div class="card card-table" aria-busy={broken.isLoading}>
                <BreakdownTable
                  view={view}
                  report={broken.answer}
                  link={(dimension, value, label) =>
                    value === '' || value === '*' ? (
                      label
                    ) : (
                      <Link to={addressOf({ [dimension]: value })}>{label}</Link>
                    )
                  }
                />
              </div>
            )}
            {broken.answer?.isCut && (
              <p class="muted statistics-note">{t.statistics.cut(broken.answer.rows.length)}</p>
            )}
          </section>
        </>
      )}
      <CarrierLoad range={range} />
    </>
  );
}

/** While another view loads, the rows are still those of the one before. */
function isOfView(report: TrafficReport, view: View): boolean {
  const [row] = report.rows;
  if (row === undefined) return true;
  const asked = dimensionsOf(view);
  return DIMENSIONS.every(name => name in row === asked.includes(name));
}

function Question(props: { terms: Terms; asked: string; onShow: (changed: Partial<Terms>) => void }) {
  const t = useWords();
  const { terms, asked, onShow } = props;
  const [given, setGiven] = useState(terms);
  // After a step back, or a link that narrows the view.
  useEffect(() => setGiven(terms), [asked]);
  const accounts = useAnswer(listAccounts());
  const carriers = useAnswer(askMember('GET /carriers', 'carriers', {}));
  const set = (name: keyof Terms) => (value: string) => setGiven(last => ({ ...last, [name]: value }));
  /** A choice counts at once; what is typed, when it is complete. */
  const choose = (name: keyof Terms) => (value: string) => onShow({ ...given, [name]: value });
  const { all } = t.common;
  return (
    <form
      class="card search"
      onSubmit={event => {
        event.preventDefault();
        onShow(given);
      }}
    >
      <Filters given={DIMENSIONS.filter(name => terms[name] !== '').length}>
        <SelectField
          label={t.statistics.period}
          value={periodNamed(given.period)}
          options={optionsOf(t.statistics.periods)}
          onChange={choose('period')}
        />
        {given.period === 'custom' && (
          <>
            <TimeField label={t.statistics.from} value={given.from} onInput={set('from')} />
            <TimeField label={t.statistics.until} value={given.until} onInput={set('until')} />
          </>
        )}
        <SelectField
          label={t.common.account}
          value={given.account}
          options={optionsOf(idsOf(accounts.answer), { all, given: given.account })}
          onChange={choose('account')}
        />
        <SelectField
          label={t.common.channel}
          value={given.channel}
          options={optionsOf(t.channels, { all })}
          onChange={choose('channel')}
        />
        <SelectField
          label={t.common.carrier}
          value={given.carrier}
          options={optionsOf([...new Set(carriers.answer?.map(({ name }) => name))], {
            all,
            given: given.carrier,
          })}
          onChange={choose('carrier')}
        />
        <TextField label={t.common.code} type="search" value={given.code} onInput={set('code')} />
        <TextField label={t.statistics.sender} type="search" value={given.sender} onInput={set('sender')} />
      </Filters>
      <div class="search-actions">
        <Button kind="main" icon="search" isSubmit>
          {t.statistics.show}
        </Button>
        <Link to="/statistics" class="button button-quiet">
          {t.statistics.clear}
        </Link>
      </div>
    </form>
  );
}

function Totals({ report: { total } }: { report: TrafficReport }) {
  const t = useWords();
  return (
    <dl class="figures statistics-figures">
      <Figure name={t.statistics.accepted} value={formatCount(total.accepted)} />
      <Figure
        name={t.statistics.share}
        value={formatShare(total.delivered, total.messages)}
        aside={formatCount(total.delivered)}
      />
      <Figure
        name={t.statistics.failed}
        value={formatCount(total.failed)}
        aside={total.expired > 0 ? t.statistics.failedHint(formatCount(total.expired)) : undefined}
      />
      <Figure
        name={t.statistics.latency}
        value={formatMs(total.p50Ms)}
        aside={`${t.statistics.p99} ${formatMs(total.p99Ms)}`}
      />
      <Figure name={t.statistics.parts} value={formatCount(total.parts)} />
    </dl>
  );
}

function OverTime(props: { report: TrafficReport; unit: TrafficUnit; onUnit: (unit: TrafficUnit) => void }) {
  const t = useWords();
  const { report, unit } = props;
  const [outcomes, latencies] = useMemo(() => {
    const seconds = SECONDS[unit];
    const counts = [
      (row?: TrafficRow) => row?.accepted ?? 0,
      (row?: TrafficRow) => row?.delivered ?? 0,
      (row?: TrafficRow) => (row ? row.failed + row.expired : 0),
    ];
    const times = [
      (row?: TrafficRow) => row?.p50Ms ?? null,
      (row?: TrafficRow) => row?.p95Ms ?? null,
      (row?: TrafficRow) => row?.p99Ms ?? null,
    ];
    return [
      valuesOf(report.rows, report, seconds, counts),
      valuesOf(report.rows, report, seconds, times),
    ] as const;
  }, [report]);
  return (
    <section class="statistics-section" aria-labelledby="over-time">
      <header class="section-head">
        <h2 id="over-time">{t.statistics.overTime}</h2>
        <Tabs
          label={t.statistics.unit}
          tabs={[
            { id: 'hour' as const, label: t.statistics.byHour },
            { id: 'day' as const, label: t.statistics.byDay },
          ]}
          current={unit}
          onPick={props.onUnit}
        />
      </header>
      <div class="charts">
        <Chart
          title={t.statistics.outcomes}
          unit={t.statistics.messages}
          series={[
            { label: t.statistics.accepted, colour: '--chart-3' },
            { label: t.statistics.delivered, colour: '--chart-2', isFilled: true },
            { label: t.statistics.failedSeries, colour: '--chart-1' },
          ]}
          data={outcomes}
        />
        <Chart
          title={t.statistics.latencies}
          unit=""
          series={[
            { label: t.statistics.p50, colour: '--chart-2' },
            { label: t.statistics.p95, colour: '--chart-3' },
            { label: t.statistics.p99, colour: '--chart-1' },
          ]}
          data={latencies}
          format={formatMs}
          axisFormat={shortMs}
        />
      </div>
    </section>
  );
}

function ExportButton(props: { report: TrafficReport | undefined; view: View }) {
  const t = useWords();
  const { report, view } = props;
  const save = () => {
    if (report) saveFile(`statistics-${view}-${report.from.slice(0, 10)}.csv`, csvFrom(report, view));
  };
  return (
    <Button icon="download" isDisabled={!report || report.rows.length === 0} onPress={save}>
      {t.statistics.csv}
    </Button>
  );
}

/** The names of the API, so that a program reads the same file in every language. */
function csvFrom(report: TrafficReport, view: View): string {
  const dimensions = dimensionsOf(view);
  const head = ['from', 'until', ...dimensions, ...EXPORTED, ...EXPORTED_TIMES];
  const rows = report.rows.map(row => [
    report.from,
    report.until,
    ...dimensions.map(name => row[name] ?? ''),
    ...EXPORTED.map(name => row[name]),
    ...EXPORTED_TIMES.map(name => row[name]),
  ]);
  return csvOf([head, ...rows]);
}

function termsOf(query: URLSearchParams): Terms {
  return Object.fromEntries(TERMS.map(name => [name, query.get(name) ?? ''])) as Terms;
}
