/**
 * Asks for messages that the service took and never reported: shortly before their deadline, until it has answered for each
 * once. Their report may have gone to somebody else who polls, or have been too old when we came. The node that fetches reports does it.
 *
 * Sends without an answer are looked for by their reference, where the service can do that. One that is found was taken;
 * one that is not found is not sent again, because it may still be on its way there.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost, SilentMessage } from '../carrier.ts';
import { findByRef, inquire } from './inquiry.ts';
import { readRecords } from './report-records.ts';
import type { OmniSession } from './session.ts';

const INTERVAL_MS = 20_000;
/** A message is asked for when its deadline is this near, and it was taken at least so long ago. */
const WITHIN_MS = 60_000;
const SINCE_MS = 30_000;
/** So many at a time: services take a few such calls a second. */
const MOST = 100;

interface Named {
  readonly msgKey: string;
  /** Among the silent ones. */
  readonly place: number;
}

export class SilentInquiries {
  readonly #session: OmniSession;
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #isOurs: () => boolean;
  #last: SilentMessage | undefined;
  /** The service does not list messages by reference. */
  #isUnlisted = false;
  #cancel = () => {};
  #underWay: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: {
    readonly session: OmniSession;
    readonly host: CarrierHost;
    readonly clock: Clock;
    /** Whether this node fetches reports. */
    readonly isOurs: () => boolean;
  }) {
    this.#session = deps.session;
    this.#host = deps.host;
    this.#clock = deps.clock;
    this.#isOurs = deps.isOurs;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(INTERVAL_MS, () => {
      this.#underWay = this.#ask().finally(() => this.start());
    });
  }

  /** Lets calls under way come to their end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#underWay;
  }

  async #ask(): Promise<void> {
    if (!this.#isOurs()) return;
    try {
      const silent = await this.#host.silent({
        sinceMs: SINCE_MS,
        withinMs: WITHIN_MS,
        limit: MOST,
        ...(this.#last && { after: this.#last }),
      });
      const { named, unanswered } = await this.#named(silent);
      const { records, answered } = await inquire(
        this.#session,
        named.map(({ msgKey }) => msgKey),
      );
      const { receipts } = readRecords(records);
      if (receipts.length > 0) await this.#host.receive(receipts);
      // From the first that was not answered for, they are asked for again.
      const next = Math.min(unanswered ?? silent.length, named[answered]?.place ?? silent.length);
      this.#last = silent[next - 1] ?? this.#last;
      if (named.length === 0) return;
      this.#host.noticed('inquired', { messages: answered, reports: receipts.length });
    } catch {
      // The store is away, and says so itself. They are asked for again.
      this.#host.noticed('inquiryFailed');
    }
  }

  /** Their keys, those of sends without an answer that the service has after all included, and the place of the first that it did not look for. */
  async #named(
    silent: readonly SilentMessage[],
  ): Promise<{ named: readonly Named[]; unanswered: number | undefined }> {
    const named: Named[] = [];
    let unanswered: number | undefined;
    for (const [place, { attemptId, isInDoubt, ref }] of silent.entries()) {
      if (ref !== undefined) named.push({ msgKey: ref, place });
      if (ref !== undefined || !isInDoubt || this.#isUnlisted || unanswered !== undefined) continue;
      const msgKey = await findByRef(this.#session, attemptId);
      if (msgKey === 'unlisted') this.#isUnlisted = true;
      else if (msgKey === 'unanswered') unanswered = place;
      else if (msgKey !== undefined) {
        this.#host.answeredLate(attemptId, { kind: 'accepted', refs: [msgKey] });
        named.push({ msgKey, place });
      }
    }
    return { named, unanswered };
  }
}
