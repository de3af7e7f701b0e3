/**
 * Sessions that we lost while they may have been writing.
 *
 * PostgreSQL does not notice at once that its client is gone: a server that was frozen still reads what had been sent to it,
 * does it and commits it, after we have looked and found nothing. So a look-up is reliable only after the session has
 * ended. We terminate it; if it is committing at that moment, it does that first.
 *
 * A session whose commit waits for a standby is left alone. Terminated, it would stop waiting: the commit would be seen here
 * and acknowledged, and be lost with this server. At the end something is committed once more, which waits for a standby
 * too: whatever is seen from then on has reached it.
 */
import { type Clock, sleep } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';
import type { Rows } from './connection.ts';

// A pooler may add to the name, after " - ".
const ALIVE = `
  SELECT split_part(application_name, ' - ', 1) AS name, coalesce(wait_event, '') = 'SyncRep' AS awaits_standby
    FROM pg_stat_activity WHERE split_part(application_name, ' - ', 1) = ANY ($1::text[])`;
const END = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE split_part(application_name, ' - ', 1) = ANY ($1::text[]) AND usename = current_user
     AND (coalesce(wait_event, '') <> 'SyncRep' OR split_part(application_name, ' - ', 1) = ANY ($2::text[]))`;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 500;

export interface LostSessionsOptions {
  readonly ask: (text: string, parameters: readonly string[][]) => Promise<Rows>;
  /** Commits something without meaning. */
  readonly commitNothing: () => Promise<void>;
  readonly clock: Clock;
}

export class LostSessions {
  readonly #options: LostSessionsOptions;
  /** By name, whether they may be ended in the middle of a commit. */
  readonly #names = new Map<string, boolean>();
  #ending: Promise<void> | undefined;
  #awaitStandby = 0;
  #isStopped = false;

  constructor(options: LostSessionsOptions) {
    this.#options = options;
  }

  /** How many of them waited for a standby when we looked last. */
  get awaitStandby(): number {
    return this.#awaitStandby;
  }

  /** `isIdle`: what it commits has no meaning. */
  add(name: string, isIdle = false): void {
    this.#names.set(name, isIdle);
  }

  /** Resolves when all of them have ended, which takes as long as the database is away. */
  async ended(): Promise<void> {
    // Again for one that was lost after the last look: the commit that follows it may take as long as a standby does.
    while (this.#names.size > 0 || this.#ending) {
      this.#ending ??= this.#end().finally(() => {
        this.#ending = undefined;
      });
      await this.#ending;
    }
  }

  /** Gives up; what was in doubt stays so. */
  stop(): void {
    this.#isStopped = true;
  }

  async #end(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await this.#look();
        if (this.#names.size === 0) return await this.#options.commitNothing();
      } catch {
        // The database is away, or we may not terminate sessions: then they end by themselves, at their time limit at the latest.
      }
      if (this.#isStopped) throw new StoreFault('didNotHappen', 'the store is closed');
      await sleep(this.#options.clock, pauseMs);
    }
  }

  async #look(): Promise<void> {
    const { ask } = this.#options;
    const names = [...this.#names.keys()];
    const rows = await ask(ALIVE, [names]);
    const alive = new Set(rows.map(row => String(row.name)));
    this.#awaitStandby = rows.filter(row => row.awaits_standby === true).length;
    const idle = names.filter(name => this.#names.get(name));
    for (const name of names) if (!alive.has(name)) this.#names.delete(name);
    if (alive.size > 0) await ask(END, [names, idle]);
  }
}
