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
  WEBHOOK_TIMEOUT_MS,
  type WebhookAttempt,
} from '../../domain/reports/webhook.ts';
import type { Clock } from '../../platform/clock.ts';
import { hmacSha256 } from '../../platform/hashing.ts';
import type { Outbound, OutboundAnswer } from '../../platform/outbound.ts';
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

  return async ({ url, secrets }, { webhookId, msgKey, body }) => {
    const at = clock.now();
    const startedAt = clock.monotonic();
    const answer = isWebhookUrl(url)
      ? await outbound.call({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json', ...signatures(webhookId, at, body, secrets) },
          body,
          timeoutMs: WEBHOOK_TIMEOUT_MS,
          maxBytes: ANSWER_BYTES,
        })
      : UNUSABLE;
    const attempt = { at, durationMs: Math.round(clock.monotonic() - startedAt) };
    if (answer.kind === 'failed') {
      const error = describeFailure(answer.reason);
      return { outcome: 'unanswered', attempt: { ...attempt, status: null, error }, askedMs: undefined };
    }
    const { status } = answer;
    const problem = answerProblem(msgKey, status, answer.body);
    if (problem === undefined) {
      return { outcome: 'delivered', attempt: { ...attempt, status, error: null }, askedMs: undefined };
    }
    return {
      outcome: isGone(status) ? 'gone' : 'refused',
      attempt: { ...attempt, status, error: problem },
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

const UNUSABLE: OutboundAnswer = {
  kind: 'failed',
  isUnsent: true,
  reason: 'the webhook URL is not an http or https address without user and password',
};

function describeFailure(reason: string): string {
  const hint = /is not a public address$/.test(reason) ? ' (BONGSU_WEBHOOK_PRIVATE=allow permits it)' : '';
  return reason.slice(0, LONGEST_ERROR) + hint;
}
