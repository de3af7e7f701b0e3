/**
 * Sessions that we lost while they may have been writing.
 *
 * PostgreSQL does not notice at once that its client is gone: a server that was frozen still reads what had been sent to it,
 * does it and commits it, after we have looked and found nothing. So a look-up is reliable only after the session has
 * ended. We terminate it; if it is committing at that moment, it does that first.
 */
import { type Clock, sleep } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';
import type { Rows } from './connection.ts';

const ALIVE =
  'SELECT application_name AS name FROM pg_stat_activity WHERE application_name = ANY ($1::text[])';
const END = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE application_name = ANY ($1::text[]) AND usename = current_user`;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 500;

export class LostSessions {
  readonly #ask: (text: string, names: readonly [string[]]) => Promise<Rows>;
  readonly #clock: Clock;
  readonly #names = new Set<string>();
  #ending: Promise<void> | undefined;
  #isStopped = false;

  constructor(ask: (text: string, names: readonly [string[]]) => Promise<Rows>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  add(name: string): void {
    this.#names.add(name);
  }

  /** Resolves when all of them have ended, which takes as long as the database is away. */
  ended(): Promise<void> {
    if (this.#names.size === 0) return Promise.resolve();
    this.#ending ??= this.#end().finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  /** Gives up; what was in doubt stays so. */
  stop(): void {
    this.#isStopped = true;
  }

  async #end(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await this.#look();
      if (this.#names.size === 0) return;
      if (this.#isStopped) throw new StoreFault('didNotHappen', 'the store is closed');
      await sleep(this.#clock, pauseMs);
    }
  }

  async #look(): Promise<void> {
    const names = [...this.#names];
    try {
      const rows = await this.#ask(ALIVE, [names]);
      const alive = new Set(rows.map(row => String(row.name)));
      for (const name of names) if (!alive.has(name)) this.#names.delete(name);
      if (alive.size > 0) await this.#ask(END, [names]);
    } catch {
      // The database is away, or we may not terminate sessions: then they end by themselves, at their time limit at the latest.
    }
  }
}
