/**
 * The report of a trial may come to another node, which fetches for all. Where nothing is learnt in time, this node asks for
 * it.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Gathering } from './gathering.ts';
import { inquire } from './inquiry.ts';
import { readRecords } from './report-records.ts';
import type { OmniSession } from './session.ts';

const ASK_AFTER_MS = 30_000;

export class TrialInquiry {
  readonly #session: OmniSession;
  readonly #gathering: Gathering;
  readonly #clock: Clock;
  #cancel = () => {};

  constructor(deps: {
    readonly session: OmniSession;
    readonly gathering: Gathering;
    readonly clock: Clock;
  }) {
    this.#session = deps.session;
    this.#gathering = deps.gathering;
    this.#clock = deps.clock;
  }

  taken(msgKey: string): void {
    this.#cancel();
    this.#cancel = this.#clock.schedule(ASK_AFTER_MS, () => void this.#ask(msgKey));
  }

  stop(): void {
    this.#cancel();
  }

  /** Only the form of the reference is looked at: the report itself comes by polling. */
  async #ask(msgKey: string): Promise<void> {
    if (this.#gathering.areRefsKept !== undefined) return;
    const { records } = await inquire(this.#session, [msgKey]);
    this.#gathering.learn(readRecords(records).places);
  }
}
