/** The screen of `bongsu watch`: the figures of the last second, and the newest rows below them. */
import { maskNumber } from '../domain/request/phone-number.ts';
import { formatTable } from './output.ts';

export interface LiveRow {
  readonly at: string;
  readonly msgKey: string;
  readonly account: string;
  readonly to: string | null;
  readonly channel: string;
  readonly event: string;
  readonly state: string;
  readonly code?: string;
  readonly carrier?: string;
}

export interface Figures {
  readonly acceptedPerSecond: number;
  readonly endedPerSecond: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly queue: { readonly ready: number; readonly claimed: number; readonly waiting: number };
}

const COLUMNS = ['time', 'msgKey', 'account', 'to', 'channel', 'event', 'state', 'code', 'carrier'];
/** Lines around the rows. */
const HEAD_LINES = 4;

export function rowLine(row: LiveRow): string {
  return cellsOf(row).join('  ');
}

export function screen(figures: Figures | undefined, rows: readonly LiveRow[], height: number): string {
  const shown = rows.slice(-Math.max(1, height - HEAD_LINES)).toReversed();
  return `${figuresLine(figures)}\n\n${formatTable(COLUMNS, shown.map(cellsOf))}\n`;
}

function figuresLine(figures: Figures | undefined): string {
  if (!figures) return 'waiting for data …';
  const { acceptedPerSecond, endedPerSecond, p50Ms, p99Ms, queue } = figures;
  const took = p50Ms === null ? '' : `   took ${p50Ms} ms (99 %: ${p99Ms} ms)`;
  const { ready, claimed, waiting } = queue;
  return `accepted ${acceptedPerSecond}/s   ended ${endedPerSecond}/s${took}   queue ${ready} ready, ${claimed} claimed, ${waiting} waiting`;
}

function cellsOf(row: LiveRow): string[] {
  const { at, msgKey, account, to, channel, event, state, code = '-', carrier = '-' } = row;
  const number = to === null ? '-' : maskNumber(to);
  return [at.slice(11, 19), msgKey, account, number, channel, event, state, code, carrier];
}
