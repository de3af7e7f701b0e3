/** What `npm run bench` shows: a table, a plot, JSON. Ratios are those of one run; medians of its rounds. */
import { cpus, totalmem } from 'node:os';
import type { EngineName } from './gateway-under-test.ts';

export interface Sample {
  readonly perSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Processor time of the gateway a message. */
  readonly cpuMicros?: number;
  readonly idleMb?: number;
  readonly peakMb?: number;
}

interface Row {
  readonly row: string;
  readonly title: string;
  /** The row that it is compared with. */
  readonly of?: string;
  /** Which figure is compared: where it is a time, less is better. */
  readonly by?: 'p50Ms' | 'p99Ms';
  readonly goal?: string;
}

const ENGINE_TITLES: Readonly<Record<EngineName, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const GOALS: Readonly<Record<string, string>> = {
  'sqlite accepts': '≥ 0.80',
  'sqlite sending': '≥ 0.65',
  'sqlite report': '≥ 0.60',
  'sqlite omni': '≥ 3.00',
  'sqlite smpp': '≥ 2.00',
  'postgres sending': '≥ 0.40',
  'postgres report': '≥ 0.35',
  'two nodes': '≥ 1.00',
  'sqlite accepts, full': '≥ 0.95',
  'postgres accepts, full': '≥ 0.95',
};

const ROWS: readonly Row[] = [
  { row: 'bare', title: 'bare `node:http`, same body' },
  ...(['sqlite', 'postgres'] as const).flatMap(rowsOf),
  { row: 'two nodes', title: 'PostgreSQL: two nodes, accept to report', of: 'postgres report' },
  { row: 'core', title: 'Chain: the core alone, accept to report' },
  { row: 'chain', title: 'Chain: through an edge, gathered', of: 'core', goal: '≥ 0.80' },
  { row: 'chain of singles', title: 'Chain: through an edge, one call a message', of: 'core' },
  { row: 'kannel', title: 'Kannel: accept through SMPP, no receipts' },
  { row: 'kannel with receipts', title: 'Kannel: with receipts', of: 'kannel' },
];

function rowsOf(engine: EngineName): Row[] {
  const name = ENGINE_TITLES[engine];
  const lone = (call: string): Row => ({
    row: `${engine} full ${call}`,
    title: `${name}: ${call}, full store`,
    of: `${engine} empty ${call}`,
    by: 'p50Ms',
    goal: '≤ 1.20',
  });
  return [
    { row: `${engine} accepts`, title: `${name}: durable accepts`, of: 'bare' },
    { row: `${engine} sending`, title: `${name}: accepts while sending`, of: 'bare' },
    { row: `${engine} report`, title: `${name}: accept to report`, of: 'bare' },
    { row: `${engine} fixed`, title: `${name}: accepts at 70 % of that rate, open loop` },
    { row: `${engine} omni`, title: `${name}: combined sends of 10`, of: `${engine} accepts` },
    { row: `${engine} 2 tenants`, title: `${name}: 2 accounts, accept to report`, of: `${engine} report` },
    { row: `${engine} 32 tenants`, title: `${name}: 32 accounts, accept to report`, of: `${engine} report` },
    { row: `${engine} polling`, title: `${name}: records fetched by polling`, of: `${engine} report` },
    {
      row: `${engine} polled`,
      title: `${name}: accept to record fetched, one poller`,
      of: `${engine} report`,
      goal: '≥ 0.85',
    },
    { row: `${engine} webhook`, title: `${name}: accept to record pushed`, of: `${engine} report` },
    { row: `${engine} smpp`, title: `${name}: accept through SMPP to report`, of: 'kannel' },
    {
      row: `${engine} accepts, full`,
      title: `${name}: durable accepts, full store`,
      of: `${engine} accepts`,
    },
    { row: `${engine} combined`, title: `${name}: combined sends of 10, accept to report` },
    { row: `${engine} reserving`, title: `${name}: recipients reserved, 1,000 a call` },
    {
      row: `${engine} reservation`,
      title: `${name}: reservation, due to drained`,
      of: `${engine} combined`,
      goal: '≥ 0.90',
    },
    { row: `${engine} other, quiet`, title: `${name}: send of another account` },
    {
      row: `${engine} other, while it drains`,
      title: `${name}: the same while the reservation drains`,
      of: `${engine} other, quiet`,
      by: 'p99Ms',
      goal: '≤ 2.00',
    },
    { row: `${engine} empty poll`, title: `${name}: poll` },
    lone('poll'),
    { row: `${engine} empty inquiry`, title: `${name}: inquiry` },
    lone('inquiry'),
  ];
}

export class Results {
  readonly #samples = new Map<string, Sample[]>();

  add(row: string, sample: Sample): void {
    this.#samples.set(row, [...(this.#samples.get(row) ?? []), sample]);
  }

  /** Rows that were measured, with medians and ratios. */
  rows() {
    return ROWS.filter(({ row }) => this.#samples.has(row)).map(row => {
      const figures = this.#medians(row.row);
      const by = row.by ?? 'perSecond';
      const other = row.of === undefined ? undefined : this.#medians(row.of)[by];
      const own = figures[by];
      const ratio = own !== undefined && other !== undefined ? own / other : undefined;
      return { ...row, ...figures, spread: this.#spread(row.row), ratio, goal: row.goal ?? GOALS[row.row] };
    });
  }

  /** The lowest and the highest rate of all rounds. */
  #spread(row: string): readonly [lowest: number, highest: number] | undefined {
    const rates = (this.#samples.get(row) ?? []).flatMap(({ perSecond }) => perSecond ?? []);
    return rates.length > 1 ? [Math.min(...rates), Math.max(...rates)] : undefined;
  }

  memory(): Sample {
    return this.#medians('memory');
  }

  #medians(row: string): Sample {
    const samples = this.#samples.get(row) ?? [];
    const names = new Set(samples.flatMap(sample => Object.keys(sample) as (keyof Sample)[]));
    const medians = [...names].map(name => {
      const values = samples.map(sample => sample[name]).filter(value => value !== undefined);
      return [name, median(values)] as const;
    });
    return Object.fromEntries(medians);
  }
}

export function machine(): string {
  return `${cpus().length} cores (${process.arch}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}

export function tableOf(results: Results): string {
  const lines = results
    .rows()
    .map(({ title, perSecond, spread, p50Ms, p99Ms, cpuMicros, ratio, of, goal }) => {
      const times = p50Ms === undefined ? '' : `${p50Ms.toFixed(1)} / ${(p99Ms ?? 0).toFixed(1)}`;
      const compared = ratio === undefined ? '' : `${ratio.toFixed(2)} of ${nameOf(of)}`;
      const cells = [
        title,
        rate(perSecond),
        spread?.map(rate).join(' to ') ?? '',
        times,
        cpuMicros === undefined ? '' : Math.round(cpuMicros),
        compared,
      ];
      return `| ${[...cells, goal ?? ''].join(' | ')} |`;
    });
  const { idleMb, peakMb } = results.memory();
  const memory =
    idleMb === undefined
      ? []
      : [
          '',
          `Memory (RSS): ${Math.round(idleMb)} MB idle (goal 150), ${Math.round(peakMb ?? 0)} MB at most under load (goal 300).`,
        ];
  return [
    '| scenario | a second | lowest to highest | p50 / p99 ms | CPU µs | ratio | goal |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...lines,
    ...memory,
  ].join('\n');
}

const BAR = { height: 20, gap: 8, left: 330, width: 420, right: 130 };

/** Rates as bars, the fastest as wide as there is room. */
export function plotOf(results: Results): string {
  const rows = results.rows().filter(({ perSecond }) => perSecond !== undefined);
  const most = Math.max(...rows.map(({ perSecond = 0 }) => perSecond));
  const height = rows.length * (BAR.height + BAR.gap) + BAR.gap;
  const bars = rows.map(({ title, perSecond = 0, ratio, row }, index) => {
    const y = BAR.gap + index * (BAR.height + BAR.gap);
    const middle = y + BAR.height - 5;
    const width = Math.max(1, (perSecond / most) * BAR.width);
    const value = `${rate(perSecond)}/s${ratio === undefined ? '' : ` (${ratio.toFixed(2)})`}`;
    return [
      `<text x="${BAR.left - 8}" y="${middle}" text-anchor="end">${escaped(title.replaceAll('`', ''))}</text>`,
      `<rect x="${BAR.left}" y="${y}" width="${width.toFixed(1)}" height="${BAR.height}" class="${row.split(' ')[0]}"/>`,
      `<text x="${(BAR.left + width + 6).toFixed(1)}" y="${middle}">${value}</text>`,
    ].join('');
  });
  const width = BAR.left + BAR.width + BAR.right;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" role="img" aria-label="Messages a second by scenario">
<style>rect{fill:#8a8f98}.sqlite{fill:#d9542b}.postgres{fill:#336791}.two{fill:#336791}text{fill:#3b3f46}@media(prefers-color-scheme:dark){text{fill:#d5d8dd}}</style>
${bars.join('\n')}
</svg>
`;
}

const nameOf = (row = ''): string => row.replace(/^(sqlite|postgres) /, '');
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const rate = (perSecond: number | undefined): string =>
  perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en-US');

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
