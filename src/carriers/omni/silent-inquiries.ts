/**
 * Asks the service for messages that it took and never reported: shortly before their deadline, those with the nearest
 * deadline first and those that it failed at last, until it has answered for each of them once. Somebody else who polls may have fetched their report, or
 * the report was too old when this gateway polled. Only the node that fetches reports asks.
 *
 * A send without an answer is searched for by its reference, if the service supports that. If it is found, the service took
 * it; if not, it is still not sent again, because the request may yet arrive there.
 */
import { BACKGROUND_TASKS } from '../../domain/background-tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { Repeater } from '../../platform/repeater.ts';
import type { CarrierHost, SilentMessage } from '../carrier.ts';
import { findByRef, inquire } from './inquiry.ts';
import { readRecords } from './report-records.ts';
import type { OmniSession } from './session.ts';

/** The shortest deadline is 40 s: each message is asked for at least once between these two, every 10 s. */
const SINCE_MS = 20_000;
const WITHIN_MS = 60_000;
/** Messages in one round: services accept a few such calls a second. */
const MOST = 50;
/** After so many refused searches in a row the service is taken not to list messages by reference, and is left alone for a while. */
const REFUSED_IN_A_ROW = 3;
const REST_MS = 60_000;

interface Named {
  readonly msgKey: string;
  readonly message: SilentMessage;
}

export class SilentInquiries {
  readonly #session: OmniSession;
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #isOurs: () => boolean;
  /** Messages that are done with, by attempt, and their deadlines. */
  readonly #answered = new Map<string, number>();
  /** Those that were asked for in vain: the others come first. */
  readonly #failed = new Map<string, number>();
  /** Searches refused in a row. */
  #refused = 0;
  /** On the monotonic clock. */
  #searchesFrom = Number.NEGATIVE_INFINITY;
  readonly #task: Repeater;

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
    this.#task = new Repeater({
      clock: deps.clock,
      ...BACKGROUND_TASKS['ask for silent messages'],
      task: () => this.#ask(),
      onError: () => {},
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Lets calls in progress come to their end. */
  async stop(): Promise<void> {
    await this.#task.stop();
  }

  async #ask(): Promise<void> {
    if (!this.#isOurs()) return;
    const now = this.#clock.now();
    for (const known of [this.#answered, this.#failed])
      for (const [attemptId, deadlineAt] of known) if (deadlineAt <= now) known.delete(attemptId);
    try {
      const silent = await this.#host.silent({
        sinceMs: SINCE_MS,
        withinMs: WITHIN_MS,
        limit: MOST + this.#answered.size + this.#failed.size,
      });
      const open = silent.filter(({ attemptId }) => !this.#answered.has(attemptId));
      const hasFailed = ({ attemptId }: SilentMessage) => this.#failed.has(attemptId);
      const asked = [...open.filter(each => !hasFailed(each)), ...open.filter(hasFailed)].slice(0, MOST);
      for (const { attemptId, deadlineAt } of asked) this.#failed.set(attemptId, deadlineAt);
      const named = await this.#named(asked);
      if (named.length === 0) return;
      const keys = named.map(({ msgKey }) => msgKey);
      const { records, answered } = await inquire(this.#session, keys);
      const { receipts } = readRecords(records);
      if (receipts.length > 0) await this.#host.receive(receipts);
      for (const { msgKey, message } of named) if (answered.has(msgKey)) this.#done(message);
      this.#host.noticed('inquired', { messages: answered.size, reports: receipts.length });
    } catch {
      // The store is away, and logs that itself. The next round asks again.
      this.#host.noticed('inquiryFailed');
    }
  }

  /** The messages whose key at the service is known, or is found now. */
  async #named(messages: readonly SilentMessage[]): Promise<readonly Named[]> {
    const named: Named[] = [];
    let isAnswering = true;
    for (const message of messages) {
      const { attemptId, isInDoubt, ref } = message;
      if (ref !== undefined) named.push({ msgKey: ref, message });
      else if (!isInDoubt || this.#clock.monotonic() < this.#searchesFrom) this.#done(message);
      else if (isAnswering) {
        const msgKey = await findByRef(this.#session, attemptId);
        if (msgKey === 'unanswered') isAnswering = false;
        if (msgKey === 'unanswered' || msgKey === 'failed') continue;
        if (msgKey === 'refused') {
          this.#searchRefused();
          continue;
        }
        this.#refused = 0;
        if (msgKey === undefined) this.#done(message);
        else {
          this.#host.answeredLate(attemptId, { kind: 'accepted', refs: [msgKey] });
          named.push({ msgKey, message });
        }
      }
    }
    return named;
  }

  /** It may be about this message, or the service may be about to start: one refusal says nothing. */
  #searchRefused(): void {
    this.#refused++;
    if (this.#refused < REFUSED_IN_A_ROW) return;
    this.#refused = 0;
    this.#searchesFrom = this.#clock.monotonic() + REST_MS;
  }

  #done({ attemptId, deadlineAt }: SilentMessage): void {
    this.#failed.delete(attemptId);
    this.#answered.set(attemptId, deadlineAt);
  }
}
