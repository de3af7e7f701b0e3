/**
 * Whether the store answers and takes writes. Each check reads; it writes only if nothing was written for a second or
 * the last write failed, because normal traffic proves the same at no cost.
 */
import type { Clock } from '../platform/clock.ts';

export interface StoreHealth {
  readonly state: 'ok' | 'away' | 'full';
  /** When this state began. */
  readonly since: number;
  /** For people: what the store answered, and what to do. */
  readonly detail: string;
  readonly advice: string;
}

export interface StoreWatch {
  /**
   * Asks the store; resolves in bounded time and never rejects. Writes only if the last write is longer ago than
   * `writtenWithinMs`.
   */
  look(writtenWithinMs?: number): Promise<StoreHealth>;
}

/** A store that takes longer than this for a trivial query counts as away. */
const PATIENCE_MS = 2_000;
const WRITE_INTERVAL_MS = 1_000;

const ADVICE = {
  ok: '',
  away: 'Restore the connection to the store; if only this node cannot reach it, take the node out of service. Nothing is lost: clients get A920 and retry.',
  full: 'Free space on the disk; the gateway then continues automatically. Until then nothing is accepted or sent.',
} as const;

export function createStoreWatch(deps: {
  readonly store: { ping(): Promise<void>; probeWrite(): Promise<void> };
  readonly clock: Clock;
  readonly lastCommitAt: () => number;
}): StoreWatch {
  const { store, clock, lastCommitAt } = deps;
  let health: StoreHealth = { state: 'ok', since: clock.now(), detail: '', advice: ADVICE.ok };
  let wroteAt = Number.NEGATIVE_INFINITY;
  let asking: { readonly answer: Promise<unknown>; readonly writtenWithinMs: number } | undefined;

  return {
    async look(writtenWithinMs = WRITE_INTERVAL_MS) {
      // One check at a time, so that a store that hangs is not asked again and again. A running check that is content
      // with an older write is awaited, but does not count as ours.
      if (asking && asking.writtenWithinMs > writtenWithinMs) await inTime(asking.answer);
      asking ??= begin(writtenWithinMs);
      const problem = await inTime(asking.answer);
      if (problem === undefined) setState('ok', '');
      else setState(isFull(problem) ? 'full' : 'away', textOf(problem));
      return health;
    },
  };

  function begin(writtenWithinMs: number) {
    const answer = ask(writtenWithinMs).finally(() => {
      asking = undefined;
    });
    return { answer, writtenWithinMs };
  }

  /** Resolves to the error, undefined if there is none. */
  async function ask(writtenWithinMs: number): Promise<unknown> {
    try {
      await store.ping();
      const now = clock.monotonic();
      const isProven = health.state === 'ok' && now - Math.max(wroteAt, lastCommitAt()) < writtenWithinMs;
      if (isProven) return undefined;
      await store.probeWrite();
      wroteAt = clock.monotonic();
      return undefined;
    } catch (error) {
      return error ?? new Error('the check failed');
    }
  }

  async function inTime(answer: Promise<unknown>): Promise<unknown> {
    const { promise: late, resolve } = Promise.withResolvers<Error>();
    const cancel = clock.schedule(PATIENCE_MS, () =>
      resolve(new Error(`no answer within ${PATIENCE_MS} ms`)),
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      cancel();
    }
  }

  function setState(state: StoreHealth['state'], detail: string): void {
    const since = state === health.state ? health.since : clock.now();
    health = { state, since, detail, advice: ADVICE[state] };
  }
}

/** How engines and systems report a full disk, at any depth of causes. */
const FULL = /disk is full|no space left|ENOSPC|SQLITE_FULL|could not extend file/i;
const POSTGRES_DISK_FULL = '53100';

function isFull(problem: unknown): boolean {
  for (let error = problem; error instanceof Error; error = error.cause) {
    if (FULL.test(error.message) || ('code' in error && error.code === POSTGRES_DISK_FULL)) return true;
  }
  return false;
}

/** Shortened, without line breaks. */
function textOf(problem: unknown): string {
  const text = problem instanceof Error ? problem.message : String(problem);
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
