/** Statistics by one thing at a time: account, channel, carrier, code, sender; or what each account used. */
import type { ComponentChildren } from 'preact';
import type { TrafficDimension as Dimension } from '../../../src/domain/reports/dimensions.ts';
import type { TrafficReport, TrafficRow } from '../../../src/operations/traffic.ts';
import { formatCount, formatMs, formatShare } from '../components/figure.tsx';
import { type Column, Table } from '../components/table.tsx';
import type { Words } from '../words/en.ts';
import { lookUp, useWords } from '../words/words.tsx';

export const VIEWS = ['channel', 'account', 'carrier', 'code', 'sender', 'usage'] as const;
export type View = (typeof VIEWS)[number];

export function viewNamed(name: string | null): View {
  return VIEWS.find(view => view === name) ?? 'channel';
}

/** What the gateway is asked to group by. */
export function dimensionsOf(view: View): readonly Dimension[] {
  return view === 'usage' ? ['account', 'channel'] : [view];
}

export function BreakdownTable(props: {
  view: View;
  report: TrafficReport;
  /** A name that leads to the statistics of what it names. */
  link: (dimension: Dimension, value: string, label: string) => ComponentChildren;
}) {
  const t = useWords();
  const { view, report, link } = props;
  const columns = columnsOf(t, view, report, link);
  return (
    <Table
      label={t.statistics.by[view]}
      columns={columns}
      rows={report.rows}
      keyOf={row =>
        dimensionsOf(view)
          .map(dimension => row[dimension])
          .join(' ')
      }
    />
  );
}

function columnsOf(
  t: Words,
  view: View,
  report: TrafficReport,
  link: Parameters<typeof BreakdownTable>[0]['link'],
): Column<TrafficRow>[] {
  const words = t.statistics;
  const names = dimensionsOf(view).map(
    (dimension): Column<TrafficRow> => ({
      name: words.by[dimension],
      cell: row => link(dimension, row[dimension] ?? '', labelOf(t, dimension, row[dimension] ?? '')),
      isLong: true,
    }),
  );
  const count = (name: string, read: (row: TrafficRow) => number): Column<TrafficRow> => ({
    name,
    cell: row => formatCount(read(row)),
    isNumber: true,
  });
  const accepted = count(words.accepted, row => row.accepted);
  const finished = count(words.finished, row => row.ended);
  const parts = count(words.partsCount, row => row.parts);
  if (view === 'usage') {
    return [...names, accepted, finished, count(words.deliveredCount, row => row.delivered), parts];
  }
  if (view === 'code') {
    const share: Column<TrafficRow> = {
      name: words.ofCode,
      cell: row => formatShare(row.ended, report.total.ended),
      isNumber: true,
    };
    return [...names, finished, share, parts];
  }
  return [
    ...names,
    accepted,
    finished,
    { name: words.deliveredShare, cell: row => <Share row={row} />, isNumber: true },
    count(words.failed, row => row.failed),
    count(words.expired, row => row.expired),
    parts,
    ...(['p50', 'p99'] as const).map(
      (name): Column<TrafficRow> => ({
        name: words[name],
        cell: row => formatMs(row[`${name}Ms`]),
        isNumber: true,
      }),
    ),
  ];
}

function Share({ row }: { row: TrafficRow }) {
  if (row.ended === 0) return <>—</>;
  return (
    <span class="share">
      <span class="outcome-bar" aria-hidden="true">
        <i style={{ width: `${(row.delivered / row.ended) * 100}%` }} />
      </span>
      {formatShare(row.delivered, row.ended)}
    </span>
  );
}

/** A value as people know it. */
function labelOf(t: Words, dimension: Dimension, value: string): string {
  if (dimension === 'channel') return lookUp(t.channels, value);
  if (dimension === 'sender') {
    if (value === '*') return t.statistics.otherSenders;
    return value === '' ? t.statistics.noSender : value;
  }
  return dimension === 'carrier' && value === '' ? t.statistics.noCarrier : value;
}
