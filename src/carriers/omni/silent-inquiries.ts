/**
 * Asks for messages that the service took and never reported: shortly before their deadline, each once. Their report may
 * have gone to somebody else who polls, or have been too old when we came. The node that fetches reports does it.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost, SilentMessage } from '../carrier.ts';
import { inquire } from './inquiry.ts';
import { readRecords } from './report-records.ts';
import type { OmniSession } from './session.ts';

const INTERVAL_MS = 20_000;
/** A message is asked for when its deadline is this near, and it was taken at least so long ago. */
const WITHIN_MS = 60_000;
const SINCE_MS = 30_000;
/** So many at a time: services take a few such calls a second. */
const MOST = 100;

export class SilentInquiries {
  readonly #session: OmniSession;
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #isOurs: () => boolean;
  #last: SilentMessage | undefined;
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
      this.#last = silent.at(-1) ?? this.#last;
      const named = silent.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
      if (named.length === 0) return;
      const { receipts } = readRecords(await inquire(this.#session, named));
      if (receipts.length > 0) await this.#host.receive(receipts);
      this.#host.noticed('inquired', { messages: named.length, reports: receipts.length });
    } catch {
      // The store is away, and says so itself. The deadline decides.
      this.#host.noticed('inquiryFailed');
    }
  }
}
