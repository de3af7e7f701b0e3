/**
 * One call to a receiver: a record as JSON, signed two ways at once.
 *
 *  - Standard Webhooks: `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`, one signature for each
 *    active secret, over id, timestamp and body;
 *  - `X-<prefix>-Timestamp` (milliseconds) and `X-<prefix>-Signature`: hexadecimal HMAC-SHA256 of the timestamp, with the
 *    newest secret as it is written.
 */
import {
  answerProblem,
  isGone,
  isWebhookUrl,
  keptAnswer,
  WEBHOOK_TIMEOUT_MS,
  type WebhookAttempt,
  type WebhookExchange,
} from '../../domain/reports/webhook.ts';
import type { Clock } from '../../platform/clock.ts';
import { hmacSha256 } from '../../platform/hashing.ts';
import { NOT_SENT, type Outbound, type OutboundAnswer } from '../../platform/outbound.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import { signatureHeaders } from '../../platform/standard-webhooks.ts';

export interface WebhookTarget {
  readonly url: string;
  /** Newest first. */
  readonly secrets: readonly string[];
}

export interface WebhookCall {
  readonly webhookId: string;
  /** The msgKey that the answer must contain. */
  readonly msgKey: string;
  readonly body: string;
  readonly format: WebhookExchange['format'];
  /** The trace that the record belongs to. */
  readonly traceparent?: string | undefined;
}

/** `gone`: the receiver wants no more calls at all. */
export interface WebhookResult {
  readonly outcome: 'delivered' | 'refused' | 'unanswered' | 'gone';
  readonly attempt: WebhookAttempt;
  /** The pause that Retry-After asked for, an hour at most. */
  readonly askedMs: number | undefined;
}

export type CallWebhook = (target: WebhookTarget, call: WebhookCall) => Promise<WebhookResult>;

const ANSWER_BYTES = 64 * 1024;
const LONGEST_ERROR = 300;

export function createWebhookCall(deps: {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly headerPrefixes: readonly string[];
}): CallWebhook {
  const { outbound, clock } = deps;
  const [prefix = 'SVC'] = deps.headerPrefixes;

  return async ({ url, secrets }, { webhookId, msgKey, body, format, traceparent }) => {
    const at = clock.now();
    const startedAt = clock.monotonic();
    const headers = {
      'content-type': 'application/json',
      ...(traceparent !== undefined && { traceparent }),
      ...signatures(webhookId, at, body, secrets),
    };
    const answer = isWebhookUrl(url)
      ? await outbound.call({
          method: 'POST',
          url,
          headers,
          body,
          timeoutMs: WEBHOOK_TIMEOUT_MS,
          maxBytes: ANSWER_BYTES,
        })
      : UNUSABLE;
    const durationMs = Math.round(clock.monotonic() - startedAt);
    const sent = { url, format, headers: withoutSignatures(headers), ...answer.timing };
    if (answer.kind === 'failed') {
      const error = describeFailure(answer.reason);
      const exchange = { ...sent, answer: null };
      return {
        outcome: 'unanswered',
        attempt: { at, status: null, error, durationMs, exchange },
        askedMs: undefined,
      };
    }
    const { status } = answer;
    const problem = answerProblem(msgKey, status, answer.body);
    const isGood = problem === undefined;
    const exchange = { ...sent, answer: keptAnswer(answer.headers, answer.body, isGood) };
    const attempt = { at, status, error: problem ?? null, durationMs, exchange };
    if (isGood) return { outcome: 'delivered', attempt, askedMs: undefined };
    return {
      outcome: isGone(status) ? 'gone' : 'refused',
      attempt,
      askedMs: parseRetryAfterMs(answer.headers['retry-after'], clock.now()),
    };
  };

  function signatures(
    id: string,
    now: number,
    body: string,
    secrets: readonly string[],
  ): Record<string, string> {
    const milliseconds = String(now);
    const [newest = ''] = secrets;
    return {
      ...signatureHeaders(secrets, { id, body }, now),
      [`X-${prefix}-Timestamp`]: milliseconds,
      [`X-${prefix}-Signature`]: hmacSha256(Buffer.from(newest), milliseconds).toString('hex'),
    };
  }
}

const SHOWN_OF_SIGNATURE = 8;

/** Whoever has a whole signature could use it: the one of the timestamp fits any body. */
function withoutSignatures(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    /signature$/i.test(name) ? value.replaceAll(SIGNATURE, '$1…') : value,
  ]);
  return Object.fromEntries(shown);
}

const SIGNATURE = new RegExp(`([^\\s,]{${SHOWN_OF_SIGNATURE}})[^\\s,]+`, 'g');

const UNUSABLE: OutboundAnswer = {
  kind: 'failed',
  isUnsent: true,
  timing: NOT_SENT,
  reason: 'the webhook URL is not an http or https address without user and password',
};

function describeFailure(reason: string): string {
  const hint = /is not a public address$/.test(reason) ? ' (BONGSU_WEBHOOK_PRIVATE=allow permits it)' : '';
  return reason.slice(0, LONGEST_ERROR) + hint;
}
