/** How much each carrier took over time, and how often it asked for less. */
import { useMemo } from 'preact/hooks';
import type { CarrierTraffic, TrafficBucket } from '../../../src/operations/traffic.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { formatCount } from '../components/figure.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { askMember } from '../gateway/operations.ts';
import { Chart } from '../live/chart.tsx';
import { useWords } from '../words/words.tsx';
import { lengthMs, type Range } from './period.ts';
import { loadOf, valuesOf } from './series.ts';

const SECONDS: Readonly<Record<TrafficBucket, number>> = { minute: 60, hour: 3600, day: 86_400 };
const COLOURS = ['--chart-1', '--chart-2', '--chart-3'] as const;
/** By minute a range is asked for a day at most, and kept for two. */
const BY_MINUTE_MS = 6 * 3_600_000;
const MINUTES_KEPT_MS = 47 * 3_600_000;
const BY_HOUR_MS = 4 * 86_400_000;

export function CarrierLoad({ range }: { range: Range }) {
  const t = useWords();
  const bucket = bucketOf(range);
  const { answer, refusal, reload } = useAnswer(
    askMember('GET /statistics/carriers', 'carriers', { ...range, bucket }),
  );
  const carriers = answer ?? [];
  const shown = carriers.slice(0, COLOURS.length);
  const data = useMemo(() => linesOf(shown, range, SECONDS[bucket]), [answer]);
  const columns: Column<CarrierTraffic>[] = [
    { name: t.common.carrier, cell: ({ carrier }) => carrier, isLong: true },
    { name: t.statistics.submitted, cell: ({ submitted }) => formatCount(submitted), isNumber: true },
    {
      name: t.statistics.average,
      cell: carrier => rate(loadOf(carrier, SECONDS[bucket], range).average),
      isNumber: true,
    },
    {
      name: t.statistics.peak,
      cell: carrier => rate(loadOf(carrier, SECONDS[bucket], range).peak),
      isNumber: true,
    },
    { name: t.statistics.refused, cell: ({ refused }) => formatCount(refused), isNumber: true },
    { name: t.statistics.throttled, cell: ({ throttled }) => formatCount(throttled), isNumber: true },
  ];
  return (
    <section class="statistics-section" aria-labelledby="carrier-load">
      <header class="section-head">
        <h2 id="carrier-load">{t.statistics.carriers}</h2>
        <p class="muted">{t.statistics.carriersHint}</p>
      </header>
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {answer && carriers.length === 0 && <p class="card muted">{t.statistics.noCarriers}</p>}
      {carriers.length > 0 && (
        <>
          <div class="charts charts-one">
            <Chart
              title={t.statistics.taken}
              unit={t.statistics.perSecond}
              series={shown.map(({ carrier }, index) => ({
                label: carrier,
                colour: COLOURS[index] ?? '--chart-3',
              }))}
              data={data}
              format={rate}
            />
          </div>
          <div class="card card-table">
            <Table
              label={t.statistics.carriers}
              columns={columns}
              rows={carriers}
              keyOf={row => row.carrier}
            />
          </div>
          {carriers.some(({ throttled }) => throttled > 0) && (
            <p class="muted statistics-note">{t.statistics.throttledHint}</p>
          )}
        </>
      )}
    </section>
  );
}

function bucketOf(range: Range): TrafficBucket {
  const length = lengthMs(range);
  if (length <= BY_MINUTE_MS && Date.now() - Date.parse(range.from) < MINUTES_KEPT_MS) return 'minute';
  return length <= BY_HOUR_MS ? 'hour' : 'day';
}

/** The busiest carriers have colours of their own; the table has all of them. */
function linesOf(carriers: readonly CarrierTraffic[], range: Range, seconds: number) {
  const rows = new Map<string, { at: string; by: Record<string, number> }>();
  for (const { carrier, buckets } of carriers) {
    for (const { at, submitted } of buckets) {
      const row = rows.get(at) ?? { at, by: {} };
      row.by[carrier] = submitted / seconds;
      rows.set(at, row);
    }
  }
  return valuesOf(
    [...rows.values()],
    range,
    seconds,
    carriers.map(
      ({ carrier }) =>
        (row: { by: Record<string, number> } | undefined) =>
          row?.by[carrier] ?? 0,
    ),
  );
}

function rate(value: number): string {
  if (value === 0) return '0';
  if (value < 0.01) return '< 0.01';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);
}
