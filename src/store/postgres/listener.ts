/** A connection that listens to one channel, and reconnects whenever it breaks. */
import type { ClientConfig } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { Connection } from './connection.ts';
import { faultOf } from './faults.ts';
import { Statements } from './statement.ts';

export interface ListenerOptions {
  readonly config: ClientConfig;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Called each time a connection has begun to listen: what was announced in between has been missed. */
  readonly onListening: () => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A busy server gets more time with each attempt. */
const LONGEST_CONNECT_MS = 30_000;

export class Listener {
  readonly #options: ListenerOptions;
  #connection: Connection | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #patienceMs: number;
  #isClosed = false;
  #cancel = () => {};

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#patienceMs = options.timeoutMs;
  }

  /** Resolves when it listens. Rejects with a StoreFault if that cannot be; then it does not try again. */
  async start(): Promise<void> {
    const { config, clock, timeoutMs, channel, onMessage, onListening } = this.#options;
    const connection = new Connection(config, clock);
    await connection.open(this.#patienceMs);
    connection.onNotification(onMessage);
    try {
      await connection.ask(new Statements().of(`LISTEN ${channel}`), () => timeoutMs);
    } catch (error) {
      connection.destroy('it does not listen', error);
      throw faultOf(error, false);
    }
    if (this.#isClosed) return connection.end();
    this.#connection = connection;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#patienceMs = timeoutMs;
    connection.onLost(() => this.#again());
    onListening();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#connection?.end();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#cancel();
    this.#cancel = this.#options.clock.schedule(this.#pauseMs, () => {
      this.start().catch(() => this.#again());
    });
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#patienceMs = Math.min(2 * this.#patienceMs, LONGEST_CONNECT_MS);
  }
}
