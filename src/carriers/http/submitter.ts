/**
 * One message on its way to the provider: admission, files, request, verdict.
 *
 * Nothing is guessed when no answer comes: a call that surely had no effect is the carrier's trouble, every other failure is
 * an unknown outcome.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import { NO_ROUTE_CODE, SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { Submission, SubmitAnswer } from '../carrier.ts';
import type { MessageFiles, PreparedFiles } from './message-files.ts';
import { submitValues } from './placeholders.ts';
import type { Provider } from './provider.ts';
import { providerAnswer } from './provider-answer.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { Pass, ProviderGate } from './provider-gate.ts';
import type { RenderedRequest } from './request-template.ts';
import type { TemplateValues } from './template.ts';
import { troubleOf } from './trouble.ts';

interface SubmitterDeps {
  readonly provider: Provider;
  readonly calls: ProviderCalls;
  readonly files: MessageFiles;
  readonly gate: ProviderGate;
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
    const { provider, gate, files, calls } = this.#deps;
    const { channel } = submission.message;
    const template = provider.submits.get(channel);
    if (!template) return { kind: 'permanent', reportCode: NO_ROUTE_CODE[familyOf(channel)] };
    const admission = await gate.admit();
    if (admission.kind === 'refused') return troubleOf(channel, admission.retryAfterMs);
    const { pass } = admission;
    try {
      const prepared = await files.prepare(submission);
      if (prepared.kind === 'refused') return { kind: 'permanent', reportCode: prepared.reportCode };
      if (prepared.kind === 'failed') return this.#uploadFailed(prepared, channel, pass);
      const callbackUrl = provider.callback?.access.urlFor(submission.attemptId);
      const more = { ...this.#deps.times(), media: prepared.media, callbackUrl };
      const request = template(submitValues(submission, prepared.message, more));
      const answer = await calls.call(this.#withIdempotency(request, submission), submission.attemptId);
      return this.#judge(answer, submission, pass);
    } finally {
      pass.unused();
    }
  }

  #judge(answer: OutboundAnswer, { attemptId, message }: Submission, pass: Pass): SubmitAnswer {
    const { channel } = message;
    if (answer.kind === 'failed') {
      pass.failed(answer.reason);
      return answer.isUnsent ? troubleOf(channel) : { kind: 'unknown' };
    }
    const now = this.#deps.clock.now();
    const outcome = this.#deps.provider.outcomes(providerAnswer(answer), { channel, attemptId, now });
    const isTrouble = outcome.kind === 'temporary' && outcome.isCarriersFault === true;
    const isThrottled = outcome.kind === 'temporary' && outcome.isThrottled === true;
    const { status } = answer;
    // A provider that only takes less than we send is not failing: the pace goes down, and calls go on.
    if (!isThrottled && (isTrouble || status >= 500 || status === 429))
      pass.failed(`the provider answered ${status}`);
    else pass.succeeded();
    const isAsked = status === 429 || status === 503;
    const pauseMs = isAsked ? parseRetryAfterMs(answer.headers['retry-after'], now) : undefined;
    this.#deps.gate.slow(pauseMs ?? (isTrouble ? (outcome.retryAfterMs ?? 0) : 0));
    return outcome;
  }

  #uploadFailed(
    { reason, isProvidersFault }: PreparedFiles & { readonly kind: 'failed' },
    channel: Channel,
    pass: Pass,
  ): SubmitAnswer {
    this.#deps.uploadFailed(reason);
    if (!isProvidersFault) return { kind: 'temporary', reportCode: SILENCE_CODE[familyOf(channel)] };
    pass.failed(reason);
    return troubleOf(channel);
  }

  #withIdempotency(request: RenderedRequest, { attemptId }: Submission): RenderedRequest {
    const header = this.#deps.idempotencyHeader?.toLowerCase();
    return header === undefined
      ? request
      : { ...request, headers: { ...request.headers, [header]: attemptId } };
  }
}
