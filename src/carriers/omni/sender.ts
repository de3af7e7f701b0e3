/**
 * Messages on their way to the service: groups, admission, request, verdict.
 *
 * What must never happen: a message that may have been taken is sent again. An answer that is not of the contract, and no
 * answer at all, leave the outcome unknown; the report names the attempt.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import { SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { Submission, SubmitAnswer } from '../carrier.ts';
import type { MessageFiles, PreparedFiles } from '../http/message-files.ts';
import type { Pass, ProviderGate } from '../http/provider-gate.ts';
import { troubleOf } from '../http/trouble.ts';
import { answersOf, answerTo } from './answers.ts';
import { type Answered, envelopeOf, type Meaning } from './envelope.ts';
import type { Gathering, SendGroup } from './gathering.ts';
import { type SendForm, sendRequest, singleFieldsOf } from './send-request.ts';
import type { OmniSession, SessionRequest } from './session.ts';

interface SenderDeps {
  readonly session: OmniSession;
  readonly gate: ProviderGate;
  readonly gathering: Gathering;
  readonly files: MessageFiles;
  readonly clock: Clock;
  /** The service sends a call with the same Idempotency-Key once. */
  readonly isRepeatable: boolean;
  readonly uploadFailed: (reason: string) => void;
  /** The key of a message that was sent to learn from its report. */
  readonly trialTaken: (msgKey: string) => void;
}

interface Exchange {
  readonly answers: readonly SubmitAnswer[];
  /** The call as a whole was refused for what it is. */
  readonly isRefused: boolean;
}

/** Pauses before the repetitions of a call in doubt. */
const REPEAT_AFTER_MS = [1000, 2000, 4000];
const SINGLE: SendForm = { kind: 'single' };
const WITHOUT_REFS: SendForm = { kind: 'combined', refs: false };

export class Sender {
  readonly #deps: SenderDeps;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** One promise for each submission, in order. */
  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    const answers = new Map<Submission, Promise<SubmitAnswer>>();
    for (const group of this.#deps.gathering.groups(batch)) {
      const sending = this.#send(group);
      for (const [index, submission] of group.submissions.entries()) {
        answers.set(
          submission,
          sending.then(all => all[index] ?? { kind: 'unknown' }),
        );
      }
    }
    return batch.map(submission => answers.get(submission) ?? Promise.resolve({ kind: 'unknown' }));
  }

  async #send({ submissions, isTrial }: SendGroup): Promise<readonly SubmitAnswer[]> {
    const { gathering } = this.#deps;
    const form = this.#formOf(submissions, isTrial);
    const { answers, isRefused } = await this.#exchange(submissions, form);
    const [first] = answers;
    if (isTrial && first?.kind === 'accepted') this.#deps.trialTaken(first.refs[0] ?? '');
    const isDoubtful =
      form.kind === 'combined' && form.refs && (submissions.length > 1 || !gathering.areRefsKept);
    if (!isRefused || !isDoubtful) return answers;
    // Refused, so nothing was sent: it may be the form that the service does not take.
    const again = await Promise.all(
      submissions.map(each => this.#exchange([each], singleFieldsOf(each.message) ? SINGLE : WITHOUT_REFS)),
    );
    if (again.some(({ answers: [answer] }) => answer?.kind === 'accepted')) gathering.giveUp();
    return again.flatMap(exchange => exchange.answers);
  }

  #formOf(submissions: readonly Submission[], isTrial: boolean): SendForm {
    const [first] = submissions;
    const isSingle = submissions.length === 1 && !isTrial && first && singleFieldsOf(first.message);
    return isSingle ? SINGLE : { kind: 'combined', refs: this.#deps.gathering.areRefsKept !== false };
  }

  async #exchange(submissions: readonly Submission[], form: SendForm): Promise<Exchange> {
    const [first] = submissions;
    if (!first) return { answers: [], isRefused: false };
    const { gate, files, clock } = this.#deps;
    const { channel } = first.message;
    const all = (answer: SubmitAnswer): Exchange => ({
      answers: submissions.map(() => answer),
      isRefused: false,
    });
    const admission = await gate.admit();
    if (admission.kind === 'refused') return all(troubleOf(channel, admission.retryAfterMs));
    const { pass } = admission;
    try {
      const prepared = await files.prepare(first);
      if (prepared.kind === 'refused') return all(refusedFile(prepared));
      if (prepared.kind === 'failed') return all(this.#uploadFailed(prepared, channel, pass));
      const message = prepared.message as Step;
      const answer = await this.#call(sendRequest(submissions, message, form));
      if (answer === 'doubtful') {
        pass.failed('it is not known what the service did');
        return all({ kind: 'unknown' });
      }
      if (answer.kind === 'failed') {
        pass.failed(answer.reason);
        return all(answer.isUnsent ? troubleOf(channel) : { kind: 'unknown' });
      }
      const envelope = envelopeOf(answer);
      this.#tellGate(answer, envelope.meaning, pass);
      if (envelope.meaning === 'file') files.forget(first);
      if (envelope.meaning !== 'taken') {
        const refusal = answerTo(envelope, channel, answer, clock.now());
        return { ...all(refusal), isRefused: envelope.meaning === 'message' };
      }
      return { answers: answersOf(submissions, envelope, form, answer, clock.now()), isRefused: false };
    } finally {
      pass.unused();
    }
  }

  /**
   * A call whose outcome the service itself does not know is repeated as it is, with the same key. After such doubt only
   * the news that it was taken counts: a refusal is about the repetition.
   */
  async #call(request: SessionRequest): Promise<OutboundAnswer | 'doubtful'> {
    const { session, clock } = this.#deps;
    const first = await session.call(request);
    if (!this.#isInDoubt(first)) return first;
    for (const pauseMs of REPEAT_AFTER_MS) {
      await sleep(clock, pauseMs);
      const again = await session.call(request);
      if (again.kind === 'answered' && envelopeOf(again).meaning === 'taken') return again;
    }
    return 'doubtful';
  }

  #isInDoubt(answer: OutboundAnswer): boolean {
    if (answer.kind === 'failed') return this.#deps.isRepeatable && !answer.isUnsent;
    return answer.headers['x-outcome'] === 'unknown';
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

  #tellGate({ status, headers }: Answered, meaning: Meaning, pass: Pass): void {
    const isFailure = status >= 500 || meaning === 'trouble' || meaning === 'token' || meaning === 'unknown';
    // A service that only takes less than we send is not failing: the pace goes down, and calls go on.
    if (isFailure && meaning !== 'throttled') pass.failed(`the service answered ${status}`);
    else pass.succeeded();
    const pauseMs = parseRetryAfterMs(headers['retry-after'], this.#deps.clock.now());
    if (meaning === 'throttled' || status === 503) this.#deps.gate.slow(pauseMs ?? 0);
  }
}

function refusedFile({ reportCode, reason }: PreparedFiles & { readonly kind: 'refused' }): SubmitAnswer {
  return { kind: 'permanent', reportCode, ...(reason !== undefined && { detail: reason }) };
}
