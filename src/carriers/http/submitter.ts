/**
 * One message on its way to the provider: files, request, verdict.
 *
 * Nothing is guessed when no answer comes: a call that surely had no effect is the carrier's trouble, every other failure is
 * an unknown outcome.
 */
import { familyOf } from '../../domain/channels/channel-table.ts';
import { NO_ROUTE_CODE } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { Submission, SubmitAnswer } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import { refusedByUs } from '../refused-by-us.ts';
import type { MessageFiles } from './message-files.ts';
import { submitValues } from './placeholders.ts';
import type { Provider } from './provider.ts';
import { providerAnswer } from './provider-answer.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { RenderedRequest } from './request-template.ts';
import type { TemplateValues } from './template.ts';
import { answerWithout, troubleOf } from './trouble.ts';

interface SubmitterDeps {
  readonly provider: Provider;
  readonly calls: ProviderCalls;
  readonly files: MessageFiles;
  readonly clock: Clock;
  readonly times: () => TemplateValues;
  readonly idempotencyHeader: string | undefined;
  readonly uploadFailed: (reason: string) => void;
}

export class Submitter {
  readonly #deps: SubmitterDeps;

  constructor(deps: SubmitterDeps) {
    this.#deps = deps;
  }

  async submit(submission: Submission): Promise<SubmitAnswer> {
    const { provider, files, calls } = this.#deps;
    const { channel } = submission.message;
    const template = provider.submits.get(channel);
    if (!template) return refusedByUs(NO_ROUTE_CODE[familyOf(channel)]);
    const prepared = await files.prepare(submission);
    if (prepared.kind === 'refused') return refusedByUs(prepared.reportCode, prepared.reason);
    if (prepared.kind === 'failed') {
      this.#deps.uploadFailed(prepared.reason);
      return answerWithout(prepared, channel);
    }
    const callbackUrl = provider.callback?.access.urlFor(submission.attemptId);
    const more = { ...this.#deps.times(), media: prepared.media, callbackUrl };
    const request = template(submitValues(submission, prepared.message, more));
    const answer = await calls.call(this.#withOwnHeaders(request, submission), submission.attemptId);
    return this.#judge(answer, submission);
  }

  #judge(answer: OutboundAnswer, { attemptId, message }: Submission): SubmitAnswer {
    const { channel } = message;
    if (answer.kind === 'failed') {
      const { reason } = answer;
      return answer.isUnsent
        ? troubleOf(channel, reason)
        : { kind: 'unknown', isUnanswered: true, fault: cleanText(reason) };
    }
    const now = this.#deps.clock.now();
    const { status } = answer;
    const fault = `the provider answered with status ${status}`;
    // An answer that nobody foresaw: a page of a proxy, or an address that has moved, would be the answer to every message.
    const outcome: SubmitAnswer = this.#deps.provider.outcomes(providerAnswer(answer), {
      channel,
      attemptId,
      now,
    }) ?? { kind: 'unknown', fault: status >= 500 ? fault : `${fault}, which matches no rule` };
    const isFailure = status >= 500 && (outcome.kind === 'unknown' || outcome.kind === 'temporary');
    const isAsked = status === 429 || status === 503;
    const pauseMs = isAsked ? parseRetryAfterMs(answer.headers['retry-after'], now) : undefined;
    return {
      ...(isFailure && !('isCarriersFault' in outcome) && { fault }),
      ...outcome,
      ...(pauseMs !== undefined && { pauseMs }),
    };
  }

  #withOwnHeaders(request: RenderedRequest, { attemptId, traceparent }: Submission): RenderedRequest {
    const header = this.#deps.idempotencyHeader?.toLowerCase();
    if (header === undefined && traceparent === undefined) return request;
    const headers = {
      ...(traceparent !== undefined && { traceparent }),
      ...request.headers,
      ...(header !== undefined && { [header]: attemptId }),
    };
    return { ...request, headers };
  }
}
