/**
 * The connections of one store.
 *
 * A connection that broke is dropped, and another one is made when it is needed. While there is none and none can be made,
 * callers are refused at once instead of waiting in vain.
 */
import type { ClientConfig } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';
import { Connection } from './connection.ts';
import { connectFault } from './faults.ts';

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

export interface PoolOptions {
  readonly config: ClientConfig;
  readonly clock: Clock;
  readonly size: number;
  readonly connectTimeoutMs: number;
}

/** After a failure to connect: a server that is away is not asked by every request. */
const PAUSE_MS = 100;
const CLOSE_TIMEOUT_MS = 2_000;

export class Pool {
  readonly #options: PoolOptions;
  /** Those that are open, and whether they date from before `renew`. */
  readonly #open = new Set<Connection>();
  readonly #outdated = new WeakSet<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiting>();
  #connecting = 0;
  #failure: StoreFault | undefined;
  #isClosed = false;
  #onEmpty = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Rejects with a StoreFault when none is free in time. The caller gives it back. */
  take(withinMs: number): Promise<Connection> {
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
      const waiting: Waiting = {
        resolve: connection => settle(() => resolve(connection)),
        reject: reason => settle(() => reject(reason)),
      };
      this.#waiting.add(waiting);
      this.#connect();
    });
  }

  give(connection: Connection): void {
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
      this.#connecting++;
      void this.#connectOne();
    }
  }

  async #connectOne(): Promise<void> {
    const { config, clock, connectTimeoutMs } = this.#options;
    try {
      const connection = new Connection(config, clock);
      await connection.open(connectTimeoutMs);
      this.#connecting--;
      this.#failure = undefined;
      this.#open.add(connection);
      connection.onLost(() => this.#forget(connection));
      this.give(connection);
    } catch (error) {
      this.#connecting--;
      this.#failed(error instanceof StoreFault ? error : connectFault(error));
    }
    this.#connect();
    this.#tellIfEmpty();
  }

  #failed(fault: StoreFault): void {
    this.#failure = fault;
    this.#options.clock.schedule(PAUSE_MS, () => {
      this.#failure = undefined;
      this.#connect();
    });
    // The open ones will serve the callers that wait, and one that is being opened may.
    if (this.#open.size > 0 || this.#connecting > 0) return;
    for (const waiting of this.#waiting) waiting.reject(fault);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#connect();
    this.#tellIfEmpty();
  }
}
