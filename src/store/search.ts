/**
 * Finding messages, the same for every engine.
 *
 * Keys order by time, so "newest first" is a walk backwards over keys. A search walks the narrowest list that holds
 * everything it may find: the index of terms (recipient, reference, group, account), the failed, those with a code, those on
 * their way, or all messages. What that list does not decide is looked at row by row, at most `MOST_EXAMINED` rows a call: a search for
 * something rare comes back with a short page and the key to continue below, never late.
 *
 * Terms are indexed a few seconds behind the traffic. What is newer than the index is walked as it is, up to the present:
 * keys from the future are those of reservations that were moved to an earlier time, and the index has them seconds after
 * their release (`late_request`).
 *
 * What an account finds depends on its own messages only: rows of others are passed in the statement, and the key to
 * continue below is never the key of another account's message.
 *
 * With a data key the term of a recipient is a keyed hash, and there may be one for each key. Statements cannot compare
 * sealed recipients then: rows are opened and compared here, a few at a time.
 */
import { CHANNELS, type Channel, serviceTypeOf } from '../domain/channels/channel.ts';
import { fateOf } from '../domain/delivery/fate.ts';
import { isFinal, type StepState } from '../domain/delivery/lifecycle.ts';
import { type AccountId, type MsgKey, timeOfPrefix, timePrefix } from '../domain/ids.ts';
import { DELIVERED, type ReportCode } from '../domain/reports/report-codes.ts';
import { nextTurn } from '../platform/next-turn.ts';
import { carrierIn, parseHistory } from './history.ts';
import type { FoundMessage, FoundMessages, MessageQuery } from './port/operator-store.ts';
import type { AnyRow } from './records/columns.ts';
import { channelsIn, REF_OF_MESSAGE } from './records/message-columns.ts';
import type { Records } from './records/records.ts';
import { UNREADABLE } from './unreadable.ts';

/** The list that is walked. */
export type Source =
  | { readonly list: 'all' | 'live' | 'failed' }
  | { readonly list: 'code'; readonly value: string }
  /** What is indexed under any of these. */
  | { readonly list: 'term'; readonly terms: readonly string[] };

/** A stretch of keys: from `from` on, below `before`. */
export interface Stretch {
  readonly from: string;
  readonly before: string;
}

/** A column that must have one of these values; the column's name is ours, never a client's. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

/** The condition as a statement has it; `place` names the place of the value of this number. */
export function conditionSql({ sql, values }: Condition, place: (index: number) => string): string {
  return `(${values.map((_, index) => `${sql} ${place(index)}`).join(' OR ')})`;
}

export interface SearchEngine {
  /** Those of the newest `examine` rows of a list that meet the conditions, newest first. */
  rows(
    source: Source,
    stretch: Stretch,
    conditions: readonly Condition[],
    examine: number,
    limit: number,
  ): Promise<readonly AnyRow[]>;
  /** The key of the last of the newest `examine` rows; undefined if there are fewer. */
  edge(source: Source, stretch: Stretch, examine: number): Promise<string | undefined>;
  indexed(): Promise<Indexed>;
}

/** How far the index is. */
export interface Indexed {
  /** Every message up to this key is indexed. */
  readonly upTo: string;
  /** Below this key there may be messages that are not. Above it all are, or will be seconds after they were stored. */
  readonly reach: string;
}

/** Clocks of nodes differ by less, and so a key made now is not further ahead. */
const CLOCKS_DIFFER_MS = 60_000;

/** `behind`: how far keys may lie ahead because the clock was set back since. */
export function indexedOf(upTo: string, behind: string, now: number): Indexed {
  return { upTo, reach: later(behind, timePrefix(now + CLOCKS_DIFFER_MS)) };
}

/**
 * Where the index stands after the clock was set back: the position from which it goes on, and how far keys of messages
 * may lie. That is as far as the index was, and as the clock was: the newest messages were not indexed yet.
 */
export function rewound(position: string, at: number, from: number): { upTo: string; reach: string } {
  const latest = Math.max(timeOfPrefix(position) ?? 0, from);
  return { upTo: earlier(position, timePrefix(at)), reach: timePrefix(latest + CLOCKS_DIFFER_MS) };
}

const MOST_EXAMINED = 4000;
/** Rows of others are cheap to pass: they are told apart by their account before anything else is read of them. */
const MOST_PASSED = 100_000;
/** Most searches are settled by the first rows; only those that are not look at many. */
const FIRST_LOOK = 250;
const LAST_KEY = '~';
/** Characters of another's key that tell it from every other request, and leave too many possible to guess it. */
const KNOWN_OF_OTHERS = 22;

export const refTerm = (ref: string): string => `r${ref}`;
export const groupTerm = (groupKey: string): string => `g${groupKey}`;
const accountTerm = (account: string): string => `a${account}`;

export const recipientTerms = (to: string, records: Records): string[] =>
  records.recipientTerms(to).map(term => `t${term}`);

/** What a message is indexed under. */
export function termsOf(row: AnyRow, records: Records): string[] {
  const term = recipientTermOf(row, records);
  return [...(term === undefined ? [] : [term]), ...otherTermsOf(row)];
}

/** Undefined where the recipient cannot be read. */
export function recipientTermOf(row: AnyRow, records: Records): string | undefined {
  const to = recipientIn(row, records);
  return to === undefined ? undefined : `t${records.recipientTerm(to)}`;
}

/** Everything that a message may be indexed under, whichever data key there was. */
export function everyTermOf(row: AnyRow, records: Records): string[] {
  const to = recipientIn(row, records);
  return [...(to === undefined ? [] : recipientTerms(to, records)), ...otherTermsOf(row)];
}

function otherTermsOf({ account, ref, group_key }: AnyRow): string[] {
  const terms = [accountTerm(String(account))];
  if (ref !== null) terms.push(refTerm(String(ref)));
  if (group_key !== null) terms.push(groupTerm(String(group_key)));
  return terms;
}

/** Undefined where it cannot be read: the message is found by the rest. */
function recipientIn(row: AnyRow, { content, unreadable }: Records): string | undefined {
  return unreadable.value('message', row, () => content.to.read(row.recipient, row), undefined);
}

export async function findMessages(
  engine: SearchEngine,
  records: Records,
  query: MessageQuery,
): Promise<FoundMessages> {
  const stretch = stretchOf(query);
  const conditions = conditionsOf(query, records);
  const check = checkOf(query, records);
  const { limit, isOwn } = query;
  const own = isOwn ? query.account : undefined;
  const walk = new Walk({ engine, records, conditions, check, limit, own });
  const source = sourceOf(query, records);
  if (source.list !== 'term') {
    await walk.over(source, stretch);
    return walk.result();
  }
  const { from, before } = stretch;
  const indexed = await engine.indexed();
  const upTo = `${indexed.upTo}0`;
  const reach = later(indexed.reach, upTo);
  await walk.over(source, { from: later(from, reach), before });
  await walk.over({ list: 'all' }, { from: later(from, upTo), before: earlier(before, reach) });
  await walk.over(source, { from, before: earlier(before, upTo) });
  return walk.result();
}

/** What the statements cannot decide. */
interface Check {
  readonly passes: (row: AnyRow) => boolean;
  /** Whether many rows of any list may fail it. */
  readonly isRare: boolean;
}

function checkOf({ to, carrier }: MessageQuery, records: Records): Check | undefined {
  const hidden = records.hidesRecipients ? to : undefined;
  if (!hidden && carrier === undefined) return undefined;
  return {
    isRare: carrier !== undefined,
    passes: row =>
      (!hidden || hidden.includes(recipientIn(row, records) ?? '')) &&
      (carrier === undefined ||
        records.unreadable.value('message', row, () => carrierOf(row), undefined) === carrier),
  };
}

class Walk {
  readonly #engine: SearchEngine;
  readonly #records: Records;
  readonly #conditions: readonly Condition[];
  /** What the conditions cannot say. */
  readonly #check: Check | undefined;
  readonly #limit: number;
  /** The account that asks for itself. */
  readonly #own: AccountId | undefined;
  readonly #found: FoundMessage[] = [];
  readonly #ownRows = { examined: 0, most: MOST_EXAMINED };
  readonly #othersRows = { examined: 0, most: MOST_PASSED };
  #next: string | undefined;

  constructor(deps: {
    readonly engine: SearchEngine;
    readonly records: Records;
    readonly conditions: readonly Condition[];
    readonly check: Check | undefined;
    readonly limit: number;
    readonly own: AccountId | undefined;
  }) {
    this.#engine = deps.engine;
    this.#records = deps.records;
    this.#conditions = deps.conditions;
    this.#check = deps.check;
    this.#limit = deps.limit;
    this.#own = deps.own;
  }

  async over(source: Source, stretch: Stretch): Promise<void> {
    let { before } = stretch;
    const rows = this.#mayHoldOthers(source) ? this.#othersRows : this.#ownRows;
    while (this.#next === undefined && stretch.from < before) {
      if (rows.examined >= rows.most) {
        this.#next = await this.#cutAt(before);
        return;
      }
      if (rows.examined > 0) await nextTurn();
      const isShort = rows.examined === 0 || this.#check !== undefined;
      const examine = isShort ? FIRST_LOOK : Math.min(MOST_EXAMINED, rows.most - rows.examined);
      const part = { from: stretch.from, before };
      const wanted = this.#limit - this.#found.length + 1;
      const met = await this.#rows(source, part, examine, wanted);
      this.#found.push(...met.map(row => foundMessageOf(row, this.#records)));
      if (this.#found.length > this.#limit) {
        this.#found.length = this.#limit;
        this.#next = this.#found.at(-1)?.msgKey;
        return;
      }
      const edge = await this.#engine.edge(source, part, examine);
      if (edge === undefined) return;
      rows.examined += examine;
      before = edge;
    }
  }

  /** Whether an account that asks for itself meets others' messages in this list. */
  #mayHoldOthers(source: Source): boolean {
    if (this.#own === undefined) return false;
    return source.list !== 'term' || source.terms.join() !== accountTerm(this.#own);
  }

  /** Where to continue. For an account: its own key, or one of nobody that lies just above another's. */
  async #cutAt(edge: string): Promise<string> {
    if (this.#own === undefined) return edge;
    const only = { from: edge, before: `${edge}0` };
    const mine = { sql: 'message.account =', values: [this.#own] };
    const [row] = await this.#engine.rows({ list: 'all' }, only, [mine], 1, 1);
    return row ? edge : edge.slice(0, KNOWN_OF_OTHERS).padEnd(edge.length, 'z');
  }

  async #rows(source: Source, part: Stretch, examine: number, wanted: number): Promise<readonly AnyRow[]> {
    const check = this.#check;
    // Those of the term of a recipient have the recipient, so nearly all pass.
    const isRare = check && (check.isRare || source.list !== 'term');
    const rows = await this.#engine.rows(source, part, this.#conditions, examine, isRare ? examine : wanted);
    return check ? rows.filter(check.passes).slice(0, wanted) : rows;
  }

  result(): FoundMessages {
    return { messages: this.#found, next: this.#next as MsgKey | undefined };
  }
}

function stretchOf({ key, request, from, until, before }: MessageQuery): Stretch {
  if (key !== undefined) return { from: key, before: `${key}0` };
  if (request !== undefined) return { from: request, before: earlier(before ?? LAST_KEY, `${request}zzzz`) };
  const end = until === undefined ? LAST_KEY : timePrefix(until);
  return { from: from === undefined ? '' : timePrefix(from), before: earlier(before ?? LAST_KEY, end) };
}

function sourceOf(query: MessageQuery, records: Records): Source {
  const { key, request, to, ref, groupKey, account, state, code, isOwn } = query;
  if (key !== undefined || request !== undefined) return { list: 'all' };
  if (to !== undefined) return { list: 'term', terms: to.flatMap(each => recipientTerms(each, records)) };
  if (ref !== undefined) return { list: 'term', terms: [refTerm(ref)] };
  if (groupKey !== undefined) return { list: 'term', terms: [groupTerm(groupKey)] };
  // The other lists may be long with what is others'.
  if (isOwn && account !== undefined) return { list: 'term', terms: [accountTerm(account)] };
  if (state && !state.some(isFinal)) return { list: 'live' };
  if (code !== undefined && code !== DELIVERED) return { list: 'code', value: code };
  if (state?.every(each => each === 'failed' || each === 'expired')) return { list: 'failed' };
  return account === undefined ? { list: 'all' } : { list: 'term', terms: [accountTerm(account)] };
}

function conditionsOf(
  { to, ref, groupKey, account, channel, channels, lastChannel, carrier, state, code }: MessageQuery,
  { hidesRecipients }: Records,
): Condition[] {
  const conditions: (Condition | false)[] = [
    to !== undefined && !hidesRecipients && { sql: 'message.recipient =', values: to },
    account !== undefined && { sql: 'message.account =', values: [account] },
    ref !== undefined && { sql: `${REF_OF_MESSAGE} =`, values: [ref] },
    groupKey !== undefined && { sql: 'request.group_key =', values: [groupKey] },
    // In the stored flow the channel of a step is written so; in a text its quotes are escaped.
    channel !== undefined &&
      CHANNELS.includes(channel) && { sql: 'request.flow LIKE', values: [inFlow(channel)] },
    channels !== undefined && { sql: 'request.flow LIKE', values: channels.map(inFlow) },
    lastChannel !== undefined && { sql: 'report.service_type =', values: [serviceTypeOf(lastChannel)] },
    // Leaves few rows to read in full; `checkOf` decides. In a name of other characters some would be wildcards.
    carrier !== undefined &&
      /^[\w.-]+$/.test(carrier) && {
        sql: "coalesce(job.carrier, '') || message.history LIKE",
        values: [`%${carrier}%`],
      },
    state !== undefined && { sql: 'coalesce(message.state, job.state) =', values: state },
    code !== undefined && { sql: 'report.report_code =', values: [code] },
  ];
  return conditions.filter(condition => condition !== false);
}

const inFlow = (channel: Channel): string => `%{"channel":"${channel}"%`;
const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);

/** The carrier of the current or last attempt of a message. */
function carrierOf(row: AnyRow): string | undefined {
  return textOrNone(row.carrier) ?? carrierIn(parseHistory(String(row.history)));
}

/** Shown in lists: what cannot be read of it does not hide the rest. */
function foundMessageOf(row: AnyRow, { content, unreadable }: Records): FoundMessage {
  const shown = <T>(read: () => T, otherwise: T) => unreadable.value('message', row, read, otherwise);
  return {
    msgKey: row.msg_key as MsgKey,
    account: row.account as AccountId,
    to: shown(() => content.to.read(row.recipient, row), UNREADABLE),
    ref: textOrNone(row.ref),
    groupKey: textOrNone(row.group_key),
    channels: shown(() => channelsIn(String(row.flow)), []),
    step: Number(row.step),
    state: row.state as StepState,
    code: textOrNone(row.report_code) as ReportCode | undefined,
    carrier: shown(() => carrierOf(row), undefined),
    acceptedAt: Number(row.accepted_at),
    finishedAt: row.finished_at === null ? undefined : Number(row.finished_at),
    // Where it cannot be read, nobody knows.
    fate: shown(() => fateOf(row.state as StepState, parseHistory(String(row.history))), 'unsure'),
  };
}

function textOrNone(value: unknown): string | undefined {
  return value === null ? undefined : String(value);
}
