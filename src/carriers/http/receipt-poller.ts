/**
 * Fetches receipts from a provider that keeps them for us. A batch is acknowledged only after it is settled; one that
 * is not acknowledged comes again, which does no harm.
 *
 * One node at a time does it. It leaves that to another when a fetch fails: what it cannot reach, another may. Two that
 * fetch at once, after one was frozen, do no harm either.
 */
import { BACKGROUND_TASKS } from '../../domain/background-tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { Repeater } from '../../platform/repeater.ts';
import type { CarrierHost } from '../carrier.ts';

/** Where a provider keeps receipts for us. What goes wrong there is a `PollProblem`. */
export interface ReceiptSource {
  /** The oldest that are kept; undefined when there are none. */
  fetch(): Promise<PolledBatch | undefined>;
}

export interface PolledBatch {
  /** Resolves when its receipts are on disk. */
  settle(): Promise<void>;
  /** The provider need not keep it any longer. */
  acknowledge(): Promise<void>;
  /** Pause before the next fetch. */
  readonly nextInMs: number;
}

/** A fetch that failed is put off longer each time. */
const LONGEST_PAUSE_MS = 300_000;
/** One failed fetch is soon made good; after so many in a row operators are told. */
const FAILURES_UNTIL_TOLD = 3;
/** How often a node that does not fetch looks whether it should, at most. */
const LOOK_AGAIN_MS = 2_000;

export class ReceiptPoller {
  readonly #source: ReceiptSource;
  readonly #idleIntervalMs: number;
  readonly #host: CarrierHost;
  readonly #task: Repeater;
  #failuresInARow = 0;
  #mayBeOurs = false;
  #hint: string | undefined;

  constructor(deps: {
    readonly source: ReceiptSource;
    /** Between two fetches while there is nothing to fetch. */
    readonly idleIntervalMs: number;
    readonly host: CarrierHost;
    readonly clock: Clock;
  }) {
    this.#source = deps.source;
    this.#idleIntervalMs = deps.idleIntervalMs;
    this.#host = deps.host;
    this.#task = new Repeater({
      clock: deps.clock,
      ...BACKGROUND_TASKS['fetch receipts'],
      task: async nextIn => nextIn(await this.#poll()),
      onError: () => {},
    });
  }

  /** Whether this node is the one that fetches, as far as it knows. */
  get isFetching(): boolean {
    return this.#mayBeOurs;
  }

  /** For people: why receipts cannot be fetched; undefined while they can, or another node fetches them. */
  get hint(): string | undefined {
    return this.#hint;
  }

  start(): void {
    this.#task.start(0);
  }

  /** Does not wait for the next fetch. */
  pollNow(): void {
    this.#task.runNow();
  }

  /** Lets a fetch in progress come to its end. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#leave();
  }

  /** One fetch; resolves to the pause after it. */
  async #poll(): Promise<number> {
    const idleMs = this.#idleIntervalMs;
    try {
      if (!(await this.#isOurs())) {
        this.#hint = undefined;
        return Math.min(LOOK_AGAIN_MS, idleMs);
      }
      const batch = await this.#source.fetch();
      if (batch) {
        await this.#settle(batch);
        await batch.acknowledge();
      }
      if (this.#failuresInARow > 0) this.#host.noticed('pollRecovered', { failures: this.#failuresInARow });
      this.#failuresInARow = 0;
      this.#hint = undefined;
      return batch?.nextInMs ?? idleMs;
    } catch (error) {
      const reason = error instanceof PollProblem ? error.message : 'an internal error';
      this.#host.noticed('pollFailed', { reason });
      await this.#leave();
      const pauseMs = Math.min(LONGEST_PAUSE_MS, idleMs * 2 ** this.#failuresInARow++);
      if (this.#failuresInARow >= FAILURES_UNTIL_TOLD) this.#hint = `receipts cannot be fetched: ${reason}`;
      return pauseMs;
    }
  }

  async #isOurs(): Promise<boolean> {
    try {
      this.#mayBeOurs = true;
      this.#mayBeOurs = await this.#host.mayPoll();
      return this.#mayBeOurs;
    } catch {
      throw new PollProblem('it is not known which node fetches receipts');
    }
  }

  /** Where that fails, the store takes it from a node that is gone; this one asks again before it fetches. */
  async #leave(): Promise<void> {
    if (!this.#mayBeOurs) return;
    this.#mayBeOurs = false;
    await this.#host.leavePolling().catch(() => {});
  }

  async #settle(batch: PolledBatch): Promise<void> {
    try {
      await batch.settle();
    } catch {
      throw new PollProblem('the receipts cannot be settled now');
    }
  }
}

/** What goes wrong in a fetch, in words that hold no secret. */
export class PollProblem extends Error {
  override name = 'PollProblem';
}
