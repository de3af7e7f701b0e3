/**
 * The connections of one store.
 *
 * A connection that broke is dropped, and another one is made when it is needed. While there is none and none can be made,
 * callers are refused at once instead of waiting in vain.
 *
 * A server with too much to do needs longer than usual for a new session, and every attempt that is given up has cost it
 * work for nothing. So after a failure there is one attempt at a time, with pauses that grow; one that took too long gets
 * twice the time. An attempt that is slow is kept, and another is begun beside it: its packets may have gone to a server
 * that is dead. Each success allows twice as many again.
 */
import type { Clock } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';
import { connectFault } from './faults.ts';

export interface PooledConnection {
  readonly isBroken: boolean;
  end(): Promise<void>;
  destroy(why: string): unknown;
  onLost(listener: () => void): void;
}

interface Waiting<C> {
  readonly resolve: (connection: C) => void;
  readonly reject: (reason: unknown) => void;
}

export interface PoolOptions<C> {
  /** Resolves to an open connection, or rejects within the time. */
  readonly open: (withinMs: number) => Promise<C>;
  readonly clock: Clock;
  readonly size: number;
  /** How long an attempt may take when all is well. */
  readonly connectTimeoutMs: number;
}

/** After a failure to connect: a server that is away is not asked by every request. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const LONGEST_CONNECT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 2_000;

export class Pool<C extends PooledConnection> {
  readonly #options: PoolOptions<C>;
  /** Those that are open, and whether they date from before `renew`. */
  readonly #open = new Set<C>();
  readonly #outdated = new WeakSet<C>();
  readonly #idle: C[] = [];
  readonly #waiting = new Set<Waiting<C>>();
  #connecting = 0;
  /** Of these, those that take longer than is usual. */
  #slow = 0;
  /** How many attempts may run at a time, besides the slow ones. */
  #most: number;
  #patienceMs: number;
  #pauseMs = FIRST_PAUSE_MS;
  #failure: StoreFault | undefined;
  #isClosed = false;
  #onEmpty = () => {};

  constructor(options: PoolOptions<C>) {
    this.#options = options;
    this.#most = options.size;
    this.#patienceMs = options.connectTimeoutMs;
  }

  /** Rejects with a StoreFault when none is free in time. The caller gives it back. */
  take(withinMs: number): Promise<C> {
    if (this.#isClosed) return Promise.reject(new StoreFault('didNotHappen', 'the store is closed'));
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    if (this.#failure && this.#open.size === 0 && this.#connecting === 0)
      return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const cancel = Number.isFinite(withinMs)
        ? this.#options.clock.schedule(Math.max(0, withinMs), () => {
            waiting.reject(
              new StoreFault(
                'didNotHappen',
                `no connection was free within ${Math.round(withinMs)} ms`,
                this.#failure && { cause: this.#failure },
              ),
            );
          })
        : () => {};
      const settle = (work: () => void) => {
        cancel();
        this.#waiting.delete(waiting);
        work();
      };
      const waiting: Waiting<C> = {
        resolve: connection => settle(() => resolve(connection)),
        reject: reason => settle(() => reject(reason)),
      };
      this.#waiting.add(waiting);
      this.#connect();
    });
  }

  give(connection: C): void {
    if (this.#outdated.has(connection) || this.#isClosed) void connection.end();
    if (connection.isBroken || this.#outdated.has(connection) || this.#isClosed) return;
    const [next] = this.#waiting;
    if (next) next.resolve(connection);
    else this.#idle.push(connection);
  }

  /** All connections are replaced, those in use when they come back: what they prepared is no longer valid. */
  renew(): void {
    for (const connection of this.#open) this.#outdated.add(connection);
    for (const connection of this.#idle.splice(0)) void connection.end();
  }

  /** Waits a little for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting) {
      waiting.reject(new StoreFault('didNotHappen', 'the store is closed'));
    }
    for (const connection of this.#idle.splice(0)) void connection.end();
    const cancel = this.#options.clock.schedule(CLOSE_TIMEOUT_MS, () => {
      for (const connection of this.#open) connection.destroy('the store was closed');
    });
    // Those that are just being opened too: they are ended as soon as they are.
    await new Promise<void>(resolve => {
      this.#onEmpty = resolve;
      this.#tellIfEmpty();
    });
    cancel();
  }

  #tellIfEmpty(): void {
    if (this.#isClosed && this.#open.size + this.#connecting === 0) this.#onEmpty();
  }

  /** As many as are waited for, and no more than there may be. */
  #connect(): void {
    const { size } = this.#options;
    while (this.#connecting < this.#waiting.size && this.#open.size + this.#connecting < size) {
      if (this.#isClosed || this.#failure) return;
      if (this.#connecting - this.#slow >= this.#most) return;
      void this.#connectOne();
    }
  }

  async #connectOne(): Promise<void> {
    const { open, clock, connectTimeoutMs } = this.#options;
    const withinMs = this.#patienceMs;
    const startedAt = clock.monotonic();
    let isSlow = false;
    const cancel = clock.schedule(connectTimeoutMs, () => {
      isSlow = true;
      this.#slow++;
      this.#connect();
    });
    this.#connecting++;
    const ended = () => {
      cancel();
      this.#connecting--;
      if (isSlow) this.#slow--;
    };
    try {
      const connection = await open(withinMs);
      ended();
      this.#succeeded();
      this.#open.add(connection);
      connection.onLost(() => this.#forget(connection));
      this.give(connection);
    } catch (error) {
      ended();
      const isTooLate = clock.monotonic() - startedAt >= withinMs;
      this.#failed(error instanceof StoreFault ? error : connectFault(error), isTooLate ? withinMs : 0);
    }
    this.#connect();
    this.#tellIfEmpty();
  }

  #succeeded(): void {
    this.#failure = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#patienceMs = this.#options.connectTimeoutMs;
    this.#most = Math.min(this.#options.size, 2 * this.#most);
  }

  #failed(fault: StoreFault, waitedMs: number): void {
    this.#most = 1;
    // Of several that failed together, each had the same time.
    this.#patienceMs = Math.min(Math.max(this.#patienceMs, 2 * waitedMs), LONGEST_CONNECT_MS);
    const isPausing = this.#failure !== undefined;
    this.#failure = fault;
    if (!isPausing) {
      this.#options.clock.schedule(this.#pauseMs, () => {
        this.#failure = undefined;
        this.#connect();
      });
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    }
    // The open ones will serve the callers that wait, and one that is being opened may.
    if (this.#open.size > 0 || this.#connecting > 0) return;
    for (const waiting of this.#waiting) waiting.reject(fault);
  }

  #forget(connection: C): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#connect();
    this.#tellIfEmpty();
  }
}
