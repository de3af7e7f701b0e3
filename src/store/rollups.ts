/**
 * Counting messages into sums, the same for every engine.
 *
 * A walk over the keys of messages, which order by time, meets every message once, a little behind the traffic: there it
 * is counted as accepted, and with all its channel messages if it is over. One that is not is looked at again, less and
 * less often as it grows older. Sums, position and those left over are written in one transaction, so that nothing is
 * counted twice, and nothing is left out by a crash.
 *
 * Each message adds to four rows at most: of its hour and its day, of its account and of all accounts together. The last
 * two answer what most people ask without reading the rows of every account.
 */
import { channelNamed } from '../domain/channels/channel.ts';
import { familyOf } from '../domain/channels/channel-table.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { senderOf } from '../domain/delivery/sender.ts';
import type { HistoryEntry } from '../domain/delivery/settlement.ts';
import { timeOfPrefix } from '../domain/ids.ts';
import { DELIVERED, SILENCE_CODE } from '../domain/reports/report-codes.ts';
import { latencyRange } from '../platform/latency.ts';
import type { Calendar } from '../platform/zoned-time.ts';
import { carrierIn, parseHistory } from './history.ts';
import type { CarrierGrain, CarrierSums, RollupKey, RollupQuery } from './port/rollup-store.ts';
import type { AnyRow } from './records/columns.ts';
import type { Records } from './records/records.ts';
import { countsOf, HOURS_OF, noSums, type StoredSums, stretchOf } from './records/rollup-columns.ts';

/** Records from here on tell of late deliveries: their messages were counted when they ended. */
export const LATE_STEPS = 1000;
/** Flows of one chunk, which are read as a whole: a client may send up to a megabyte each. */
const MOST_BYTES = 4_000_000;
/** Our choice: an account has as many senders in a day; what comes from others is counted under one name. */
const MOST_SENDERS = 200;
const OTHER_SENDERS = '*';
/** Days of accounts whose senders are remembered. */
const MOST_REMEMBERED = 20_000;

const SOONEST_LOOK_MS = 10_000;
const LATEST_LOOK_MS = 30 * 60_000;

/** When a message that is on its way is looked at again: after a quarter of its age. */
export function nextLook(countedAt: number, now: number): number {
  const ageMs = now - countedAt;
  return now + Math.min(LATEST_LOOK_MS, Math.max(SOONEST_LOOK_MS, Math.ceil(ageMs / 4)));
}

/**
 * The moment to whose hour and day a message belongs: that of its key, or of its release if it was reserved for later. Reads a
 * row with msg_key and accepted_at.
 */
export function countedAt({ msg_key, accepted_at }: AnyRow): number {
  const at = timeOfPrefix(String(msg_key)) ?? 0;
  return accepted_at === null || accepted_at === undefined ? at : Math.min(at, Number(accepted_at));
}

/** Whether messages from after a moment are counted. */
export function isBeyond(position: string, at: number): boolean {
  return (timeOfPrefix(position) ?? 0) > at;
}

/** The flow in a row of request. Where it cannot be read, its messages are counted without channel and sender. */
export function countedFlow(row: AnyRow, { request, unreadable }: Records): Flow {
  return unreadable.value('request', row, () => request.flow.read(row.flow, row), []);
}

export const requestOf = (msgKey: string): string => msgKey.slice(0, 29);

/** The first of rows with msg_key and bytes, as many as have their flows read at once; at least one. */
export function withinFlowBytes<Row extends AnyRow>(rows: readonly Row[]): readonly Row[] {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    const request = requestOf(String(row.msg_key));
    if (seen.has(request)) continue;
    seen.add(request);
    if (index > 0 && bytes > MOST_BYTES) return rows.slice(0, index);
    bytes += Number(row.bytes);
  }
  return rows;
}

/** A message to be counted. */
export interface CountedMessage {
  readonly at: number;
  readonly account: string;
  readonly flow: Flow;
  readonly history: readonly HistoryEntry[];
  /** It was not met before. */
  readonly isNew: boolean;
  /** Its records, if it is over. */
  readonly records: readonly AnyRow[];
}

/** Reads a row with msg_key, accepted_at, account and history. One whose history cannot be read is counted without its carriers. */
export function countedMessage(
  row: AnyRow,
  { unreadable }: Records,
  details: Pick<CountedMessage, 'flow' | 'isNew' | 'records'>,
): CountedMessage {
  return {
    at: countedAt(row),
    account: String(row.account),
    history: unreadable.value('message', row, () => parseHistory(String(row.history)), []),
    ...details,
  };
}

/** The days and accounts whose senders must be known to count these messages. */
export function accountDays(
  messages: readonly CountedMessage[],
  calendar: Calendar,
): { readonly day: number; readonly account: string }[] {
  const found = new Map<string, { readonly day: number; readonly account: string }>();
  for (const { at, account } of messages) {
    const day = calendar.dateOf(at);
    found.set(accountDay(day, account), { day, account });
  }
  return [...found.values()];
}

/** Sums of minutes, and what they add to their hours and days, as rows of the table in the order of its key. */
export function carrierSumsOf(
  minutes: readonly CarrierSums[],
  calendar: Calendar,
): (CarrierSums & { readonly hours: number })[] {
  const sums = new Map<string, CarrierSums & { readonly hours: number }>();
  for (const minute of minutes) {
    for (const [hours, at] of [
      [HOURS_OF.minute, minute.at],
      [HOURS_OF.hour, calendar.hourOf(minute.at)],
      [HOURS_OF.day, calendar.dateOf(minute.at)],
    ] as const) {
      const name = JSON.stringify([hours, at, minute.carrier]);
      sums.set(name, { hours, ...added({ ...minute, at }, sums.get(name)) });
    }
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** One for each stretch and carrier. */
export function carriersIn(grain: CarrierGrain, rows: readonly CarrierSums[]): CarrierSums[] {
  const sums = new Map<string, CarrierSums>();
  for (const row of rows) {
    const at = stretchOf(grain, row.at);
    const name = JSON.stringify([at, row.carrier]);
    sums.set(name, added({ ...row, at }, sums.get(name)));
  }
  return [...sums.values()];
}

function added({ at, carrier, ...counts }: CarrierSums, known: CarrierSums | undefined): CarrierSums {
  return {
    at,
    carrier,
    submitted: counts.submitted + (known?.submitted ?? 0),
    refused: counts.refused + (known?.refused ?? 0),
    throttled: counts.throttled + (known?.throttled ?? 0),
  };
}

const accountDay = (day: number, account: string): string => `${day} ${account}`;

/** Which senders have rows of their own: a client may send from as many as it likes. */
export class SenderNames {
  readonly #known = new Map<string, Set<string>>();

  isKnown(day: number, account: string): boolean {
    return this.#known.has(accountDay(day, account));
  }

  remember(day: number, account: string, senders: readonly string[]): void {
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(accountDay(day, account), new Set(senders));
  }

  forget(): void {
    this.#known.clear();
  }

  nameOf(day: number, account: string, sender: string): string {
    const known = this.#known.get(accountDay(day, account));
    if (!known || known.has(sender)) return sender;
    if (known.size >= MOST_SENDERS) return OTHER_SENDERS;
    known.add(sender);
    return sender;
  }
}

/** What the messages add, as rows of the table, in the order of its key. */
export function sumsOf(
  messages: readonly CountedMessage[],
  senders: SenderNames,
  calendar: Calendar,
): StoredSums[] {
  const rows = new Map<string, StoredSums>();
  for (const message of messages) {
    const { at } = message;
    const day = calendar.dateOf(at);
    const hour = calendar.hourOf(at);
    for (const { key, counts, latency } of contributionsOf(message)) {
      const { account, channel, carrier, code } = key;
      const sender = senders.nameOf(day, account, key.sender);
      for (const [hours, start, of, from] of [
        [HOURS_OF.day, day, account, sender],
        [HOURS_OF.day, day, '', ''],
        [HOURS_OF.hour, hour, account, sender],
        [HOURS_OF.hour, hour, '', ''],
      ] as const) {
        const name = `${hours} ${start}\t${of}\t${from}\t${channel}\t${carrier}\t${code}`;
        let row = rows.get(name);
        if (!row) {
          row = { hours, at: start, account: of, sender: from, channel, carrier, code, sums: noSums() };
          rows.set(name, row);
        }
        addTo(row.sums, counts, latency);
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function addTo(sums: number[], counts: readonly number[], latency: number | undefined): void {
  for (let index = 0; index < counts.length; index++) sums[index] = (sums[index] ?? 0) + (counts[index] ?? 0);
  if (latency === undefined) return;
  const place = counts.length + latency;
  sums[place] = (sums[place] ?? 0) + 1;
}

interface Contribution {
  readonly key: RollupKey;
  /** In the order of the columns that count. */
  readonly counts: readonly number[];
  /** The range of the latency, if it counts. */
  readonly latency: number | undefined;
}

/**
 * A message that is over when it is met is counted as accepted together with its first channel message, not in a row of its
 * own: there are half as many rows to write.
 */
function contributionsOf(message: CountedMessage): Contribution[] {
  const { at, account, flow, history, isNew, records } = message;
  const keyOf = (step: number, code: string): RollupKey => {
    const sent = flow[step];
    const carrier = carrierIn(history.filter(entry => entry.step === step));
    return {
      account,
      sender: sent ? senderOf(sent) : '',
      channel: sent?.channel ?? '',
      carrier: carrier ?? '',
      code,
    };
  };
  if (isNew && records.length === 0) {
    return [{ key: keyOf(0, ''), counts: countsOf({ accepted: 1 }), latency: undefined }];
  }
  return records.map((record, index) => {
    const code = String(record.report_code);
    const key = keyOf(Number(record.step), code);
    const isDelivered = code === DELIVERED;
    const channel = channelNamed(key.channel);
    const isExpired = channel !== undefined && code === SILENCE_CODE[familyOf(channel)];
    return {
      key,
      counts: countsOf({
        accepted: isNew && index === 0 ? 1 : 0,
        ended: 1,
        messages: Number(record.is_last),
        delivered: isDelivered ? 1 : 0,
        expired: isExpired ? 1 : 0,
        parts: partsOf(record),
      }),
      latency: isDelivered ? latencyRange(Number(record.reported_at) - at) : undefined,
    };
  });
}

/** A channel message that no carrier took has none. */
function partsOf(record: AnyRow): number {
  if (record.sent_at === null && String(record.report_code) !== DELIVERED) return 0;
  return Number(record.res_cnt ?? 1) || 1;
}

/**
 * The question whose one answer tells which columns of latencies are in use: of all accounts together, which are few rows.
 * Most columns are empty, and reading them is what takes longest.
 */
export function anyLatency({ where, ...query }: RollupQuery): RollupQuery {
  return { ...query, where: { code: where.code ?? DELIVERED }, by: [] };
}

/**
 * Whose rows answer a question: those of one account, of every account, or of all together. A bound of the column
 * `account`, from its lowest value on.
 */
export function scopeOf({ where, by }: RollupQuery): 'one' | 'each' | 'all' {
  if (where.account !== undefined) return 'one';
  const asksEach = by.includes('account') || by.includes('sender') || where.sender !== undefined;
  return asksEach ? 'each' : 'all';
}
