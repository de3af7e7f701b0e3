/**
 * Finding messages, the same for every engine.
 *
 * Keys order by time, so "newest first" is a walk backwards over keys. A search walks the narrowest list that holds
 * everything it may find: the index of terms (recipient, reference, account), the failed, those with a code, those on
 * their way, or all messages. What that list does not decide is looked at row by row, at most `MOST_EXAMINED` rows a call: a search for
 * something rare comes back with a short page and the key to continue below, never late.
 *
 * Terms are indexed a few seconds behind the traffic. What is newer than the index is walked as it is.
 */
import { CHANNELS } from '../domain/channels/channel.ts';
import { isFinal } from '../domain/delivery/lifecycle.ts';
import { type MsgKey, timePrefix } from '../domain/ids.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import type { FoundMessage, FoundMessages, MessageQuery } from './port/operator-store.ts';
import type { AnyRow } from './records/columns.ts';
import { foundMessageOf } from './rows.ts';

/** The list that is walked. */
export type Source =
  | { readonly list: 'all' | 'live' | 'failed' }
  | { readonly list: 'code' | 'term'; readonly value: string };

/** A stretch of keys: from `from` on, below `before`. */
export interface Stretch {
  readonly from: string;
  readonly before: string;
}

/** A column that must have a value; the column's name is ours, never a client's. */
export interface Condition {
  readonly sql: string;
  readonly value: string;
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
  /** Every message up to this key is indexed. */
  indexedUpTo(): Promise<string>;
}

const MOST_EXAMINED = 4000;
/** Most searches are settled by the first rows; only those that are not look at many. */
const FIRST_LOOK = 250;
const LAST_KEY = '~';

const recipientTerm = (to: string): string => `t${to}`;
const refTerm = (ref: string): string => `r${ref}`;
const accountTerm = (account: string): string => `a${account}`;

/** What a message is indexed under. */
export function termsOf(row: AnyRow): string[] {
  const { recipient, account, ref } = row;
  const terms = [recipientTerm(String(recipient)), accountTerm(String(account))];
  return ref === null ? terms : [...terms, refTerm(String(ref))];
}

export async function findMessages(engine: SearchEngine, query: MessageQuery): Promise<FoundMessages> {
  const stretch = stretchOf(query);
  const conditions = conditionsOf(query);
  const walk = new Walk(engine, conditions, query.limit);
  const source = sourceOf(query);
  if (source.list !== 'term') {
    await walk.over(source, stretch);
    return walk.result();
  }
  const indexed = `${await engine.indexedUpTo()}0`;
  const newest = { ...stretch, from: later(stretch.from, indexed) };
  if (newest.from < newest.before) await walk.over({ list: 'all' }, newest);
  await walk.over(source, { ...stretch, before: earlier(stretch.before, indexed) });
  return walk.result();
}

class Walk {
  readonly #engine: SearchEngine;
  readonly #conditions: readonly Condition[];
  readonly #limit: number;
  readonly #found: FoundMessage[] = [];
  #examined = 0;
  #next: string | undefined;

  constructor(engine: SearchEngine, conditions: readonly Condition[], limit: number) {
    this.#engine = engine;
    this.#conditions = conditions;
    this.#limit = limit;
  }

  async over(source: Source, stretch: Stretch): Promise<void> {
    let { before } = stretch;
    while (this.#next === undefined) {
      if (this.#examined >= MOST_EXAMINED) {
        this.#next = before;
        return;
      }
      const examine = this.#examined === 0 ? FIRST_LOOK : MOST_EXAMINED - this.#examined;
      const part = { from: stretch.from, before };
      const wanted = this.#limit - this.#found.length + 1;
      const rows = await this.#engine.rows(source, part, this.#conditions, examine, wanted);
      this.#found.push(...rows.map(foundMessageOf));
      if (this.#found.length > this.#limit) {
        this.#found.length = this.#limit;
        this.#next = this.#found.at(-1)?.msgKey;
        return;
      }
      const edge = await this.#engine.edge(source, part, examine);
      if (edge === undefined) return;
      this.#examined += examine;
      before = edge;
    }
  }

  result(): FoundMessages {
    return { messages: this.#found, next: this.#next as MsgKey | undefined };
  }
}

function stretchOf({ key, from, until, before }: MessageQuery): Stretch {
  if (key !== undefined) return { from: key, before: `${key}0` };
  const end = until === undefined ? LAST_KEY : timePrefix(until);
  return { from: from === undefined ? '' : timePrefix(from), before: earlier(before ?? LAST_KEY, end) };
}

function sourceOf({ key, to, ref, account, state, code }: MessageQuery): Source {
  if (key !== undefined) return { list: 'all' };
  if (to !== undefined) return { list: 'term', value: recipientTerm(to) };
  if (ref !== undefined) return { list: 'term', value: refTerm(ref) };
  if (state !== undefined && !isFinal(state)) return { list: 'live' };
  if (code !== undefined && code !== DELIVERED) return { list: 'code', value: code };
  if (state === 'failed' || state === 'expired') return { list: 'failed' };
  return account === undefined ? { list: 'all' } : { list: 'term', value: accountTerm(account) };
}

function conditionsOf({ to, ref, account, channel, state, code }: MessageQuery): Condition[] {
  const conditions = [
    to !== undefined && { sql: 'message.recipient =', value: to },
    account !== undefined && { sql: 'message.account =', value: account },
    ref !== undefined && { sql: 'request.ref =', value: ref },
    // In the stored flow the channel of a step is written so; in a text its quotes are escaped.
    channel !== undefined &&
      CHANNELS.includes(channel) && { sql: 'request.flow LIKE', value: `%{"channel":"${channel}"%` },
    state !== undefined && { sql: 'coalesce(message.state, job.state) =', value: state },
    code !== undefined && { sql: 'report.report_code =', value: code },
  ];
  return conditions.filter(condition => condition !== false);
}

const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);
