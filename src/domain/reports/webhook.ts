/**
 * Handing report records over by webhook: what a delivery is called, what counts as an answer, and when a failed attempt
 * is made again.
 *
 *   pending    waits for its (next) attempt
 *   delivered  the receiver answered 200 and named the same msgKey
 *   failed     given up after three days; inquiry still finds the record
 */
import type { AccountSettings } from '../account/account.ts';
import { type MsgKey, parseMsgKey } from '../ids.ts';

/** As operators see them: `retrying` has failed and waits for another attempt, `off` waits because the receiver answered 410. */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'failed', 'off'] as const;

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One call to a receiver, as it is kept for operators. */
export interface WebhookAttempt {
  readonly at: number;
  /** HTTP status, null where there was no answer. */
  readonly status: number | null;
  /** What was wrong, null when nothing was. */
  readonly error: string | null;
  readonly durationMs: number;
  /** Of the last attempts only. */
  readonly exchange?: WebhookExchange;
}

/**
 * What of an exchange cannot be told later. The body of the request is not here: it is made again of the record, which does
 * not change.
 */
export interface WebhookExchange {
  readonly url: string;
  /** The format of the account at that time. */
  readonly format: AccountSettings['reportFormat'];
  /** The request as it was sent, with beginnings of the signatures: enough to compare, too little to use. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds after the start, null where it did not come so far: request on the wire, head of the answer. */
  readonly sentMs: number | null;
  readonly answeredMs: number | null;
  readonly answer: WebhookAnswer | null;
}

export interface WebhookAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Its beginning. */
  readonly body: string;
  /** Characters of the whole. */
  readonly length: number;
}

/** How long a record is tried, from when it could first be pushed. */
export const WEBHOOK_WINDOW_MS = 3 * 86_400_000;
/** Our choice: how long after its window the last attempt may still be made, because the receiver rests at the end of it. */
export const LAST_ATTEMPT_GRACE_MS = 10 * 60_000;
export const WEBHOOK_TIMEOUT_MS = 5_000;
/** Attempts kept of one delivery: all of three days, as a rule. */
const KEPT_ATTEMPTS = 20;
/** Those of them, the last ones, with their exchange. */
const KEPT_EXCHANGES = 3;

const GONE = 410;
const REDIRECT_MIN = 300;
const REDIRECT_MAX = 399;

/** The `webhook-id`: the same for every attempt at a record and for its replays, so that a receiver can tell repeats. */
export function webhookIdOf(msgKey: MsgKey, step: number): string {
  return `${msgKey}-${step}`;
}

export function parseDeliveryId(id: string): { readonly msgKey: MsgKey; readonly step: number } | undefined {
  const match = /^([^-]*)-(\d{1,3})$/.exec(id);
  const msgKey = match ? parseMsgKey(match[1] ?? '') : undefined;
  return match && msgKey ? { msgKey, step: Number(match[2]) } : undefined;
}

/** How long a signing secret is valid after the next one. */
export const OVERLAP_HOURS = 24;

/** http or https, without control characters, and no user or password: those would be stored and shown in the clear. */
export function isWebhookUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2000 || /\p{Cc}/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** The receiver says that it is gone for good. */
export function isGone(status: number): boolean {
  return status === GONE;
}

/** Why an answer does not count, undefined when it does: 200 and a JSON object with the same msgKey. */
export function answerProblem(msgKey: string, status: number, body: string): string | undefined {
  if (status >= REDIRECT_MIN && status <= REDIRECT_MAX) return `HTTP ${status}: redirects are not followed`;
  if (status !== 200) return `HTTP ${status}; expected 200`;
  const named = msgKeyIn(body);
  if (named === undefined) return 'the answer is not a JSON object with "msgKey"';
  return named === msgKey ? undefined : 'the answer names another msgKey';
}

function msgKeyIn(body: string): unknown {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null && 'msgKey' in answer ? answer.msgKey : undefined;
  } catch {
    return undefined;
  }
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Before the second, third … attempt; the last one repeats until the window closes. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
] as const;
const LONGEST_DELAY_MS = 8 * HOUR;

/**
 * When to try again after `attempts` attempts, undefined when that was the last one. `jitter`, 0 to 1, spreads retries
 * over a fifth of the delay. `askedMs` is the pause that the receiver asked for. The last attempt falls on the end of the window.
 */
export function nextAttemptAt(order: {
  readonly attempts: number;
  readonly now: number;
  readonly giveUpAt: number;
  readonly jitter: number;
  readonly askedMs?: number | undefined;
}): number | undefined {
  const { attempts, now, giveUpAt, jitter, askedMs = 0 } = order;
  if (now >= giveUpAt) return undefined;
  const scheduled = RETRY_DELAYS_MS[attempts - 1] ?? LONGEST_DELAY_MS;
  const delay = Math.max(scheduled * (1 + jitter / 5), askedMs);
  return Math.min(now + Math.round(delay), giveUpAt);
}

/** The attempts to keep when another has been made. */
export function withAttempt(recent: readonly WebhookAttempt[], attempt: WebhookAttempt): WebhookAttempt[] {
  const kept = [...recent, attempt].slice(-KEPT_ATTEMPTS);
  return kept.map((one, index) => (index < kept.length - KEPT_EXCHANGES ? withoutExchange(one) : one));
}

export function withoutExchange({ exchange: _, ...attempt }: WebhookAttempt): WebhookAttempt {
  return attempt;
}

const LONGEST_ANSWER = 1000;
/** An answer that counts has nothing in it that is not known. */
const LONGEST_GOOD_ANSWER = 200;
const MOST_HEADERS = 20;
const LONGEST_HEADER = 200;
/** What opens something is not kept. */
const SECRET_HEADERS = /^(set-cookie|authorization|proxy-authenticat|www-authenticate|x-api-key)/i;

/** An answer as it is kept: bounded, whatever the receiver sends. */
export function keptAnswer(
  headers: Readonly<Record<string, string>>,
  body: string,
  isGood: boolean,
): WebhookAnswer {
  const kept = Object.entries(headers)
    .slice(0, MOST_HEADERS)
    .map(([name, value]) => [
      name.slice(0, LONGEST_HEADER),
      SECRET_HEADERS.test(name) ? '***' : cut(value, LONGEST_HEADER),
    ]);
  return {
    headers: Object.fromEntries(kept),
    body: cut(body, isGood ? LONGEST_GOOD_ANSWER : LONGEST_ANSWER),
    length: body.length,
  };
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/**
 * Receivers have their tokens in the query, or in the path (`/services/T000/B000/XXXX`): this says that there is one, not
 * what it is. Of the path the first part is left, if it is a word.
 */
export function withoutSecrets(given: string): string {
  const url = URL.parse(given);
  if (!url) return '***';
  const [first = '', ...rest] = url.pathname.slice(1).split('/');
  const isWord = /^(?:[a-z][a-z-]{0,19}|v\d)$/i.test(first);
  const hidden = (isWord ? rest : [first, ...rest]).some(part => part !== '') ? '/***' : '';
  const path = isWord ? `/${first}${hidden}` : hidden || '/';
  return `${url.origin}${path}${url.search || url.hash ? '?***' : ''}`;
}
