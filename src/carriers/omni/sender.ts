/**
 * Messages on their way to the service: groups, request, verdict.
 *
 * What must never happen: a message that may have been taken is sent again. An answer that is not of the contract, and no
 * answer at all, leave the outcome unknown; the report names the attempt.
 */
import type { Step } from '../../domain/delivery/flow.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { Submission, SubmitAnswer } from '../carrier.ts';
import type { MessageFiles } from '../http/message-files.ts';
import { answerWithout, troubleOf } from '../http/trouble.ts';
import { refusedByUs } from '../refused-by-us.ts';
import { answersOf, answerTo } from './answers.ts';
import { envelopeOf } from './envelope.ts';
import type { Gathering, SendGroup } from './gathering.ts';
import { type SendForm, sendRequest, singleFieldsOf } from './send-request.ts';
import type { OmniSession, SessionRequest } from './session.ts';

interface SenderDeps {
  readonly session: OmniSession;
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
    if (!isRefused || !isDoubtful) return toldOnce(answers);
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
    const { files, clock } = this.#deps;
    const { channel } = first.message;
    const all = (answer: SubmitAnswer): Exchange => ({
      answers: submissions.map(() => answer),
      isRefused: false,
    });
    const prepared = await files.prepare(first);
    if (prepared.kind === 'refused') return all(refusedByUs(prepared.reportCode, prepared.reason));
    if (prepared.kind === 'failed') {
      this.#deps.uploadFailed(prepared.reason);
      return all(answerWithout(prepared, channel));
    }
    const message = prepared.message as Step;
    const answer = await this.#call(sendRequest(submissions, message, form));
    if (answer === 'doubtful') return all({ kind: 'unknown', fault: 'it is not known what the service did' });
    if (answer.kind === 'failed') {
      const { reason } = answer;
      return all(answer.isUnsent ? troubleOf(channel, reason) : { kind: 'unknown', fault: reason });
    }
    const envelope = envelopeOf(answer);
    if (envelope.meaning === 'file') files.forget(first);
    if (envelope.meaning !== 'taken') {
      const refusal = answerTo(envelope, channel, answer, clock.now());
      return { ...all(refusal), isRefused: envelope.meaning === 'message' };
    }
    return { answers: answersOf(submissions, envelope, form, answer, clock.now()), isRefused: false };
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
}

/** A call says once how the service does: it took messages, or it did not. */
function toldOnce(answers: readonly SubmitAnswer[]): readonly SubmitAnswer[] {
  const taken = answers.findIndex(({ kind }) => kind === 'accepted' || kind === 'permanent');
  return answers.map((answer, index) =>
    index === Math.max(0, taken) ? answer : { ...answer, isToldBefore: true },
  );
}
