/**
 * Whether the disk of the data directory is nearly full. Then reservations and uploads are refused, so that sends, their answers
 * and their reports have the rest of it.
 *
 * The disk is read every few seconds and never by a request. Where it cannot be read, or the read never ends, what was found last
 * stays.
 */
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { DiskSpace } from '../platform/disk.ts';

export interface DiskState extends DiskSpace {
  readonly state: 'ok' | 'low';
  /** Below this it is low. */
  readonly reserveBytes: number;
}

export interface DiskWatch {
  /** What was found last; undefined if nothing is known. If that is older than five seconds, a read begins. */
  look(): DiskState | undefined;
  /** Why nothing more is stored that can wait, by what was found last. */
  problem(): Problem | undefined;
}

const LOOK_INTERVAL_MS = 5_000;
const RETRY_AFTER_SECONDS = 60;
/** Our choice: half of what `doctor` warns of, and no more of a large disk than hours of sends need. */
const RESERVED_SHARE = 0.05;
const MOST_RESERVED_BYTES = 5_000_000_000;

/** How much of a disk is kept for sends; `configured` is BONGSU_DISK_RESERVE. */
export function diskReserve(configured: number | undefined, totalBytes: number): number {
  return configured ?? Math.min(MOST_RESERVED_BYTES, Math.floor(totalBytes * RESERVED_SHARE));
}

export function createDiskWatch(deps: {
  /** Undefined where this node keeps nothing on a disk of its own. */
  readonly read: (() => Promise<DiskSpace>) | undefined;
  readonly reserveBytes: number | undefined;
  readonly clock: Clock;
  readonly onRead: (state: DiskState) => void;
  /** The disk has become low, or has room again. */
  readonly onChange: (state: DiskState) => void;
  readonly onFailure: (error: unknown) => void;
}): DiskWatch {
  const { read, clock } = deps;
  let found: DiskState | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;

  return {
    look() {
      if (read && !isAsking && clock.monotonic() - lookedAt >= LOOK_INTERVAL_MS) void ask(read);
      return found;
    },
    problem() {
      if (found?.state !== 'low') return undefined;
      const text =
        'The disk of the gateway is nearly full: reservations and uploads are refused until its operator frees space, and sends go on';
      return new Problem('A920', text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    },
  };

  async function ask(readIt: () => Promise<DiskSpace>): Promise<void> {
    isAsking = true;
    try {
      learn(await readIt());
    } catch (error) {
      deps.onFailure(error);
    }
    lookedAt = clock.monotonic();
    isAsking = false;
  }

  function learn(space: DiskSpace): void {
    const before = found?.state ?? 'ok';
    const reserveBytes = diskReserve(deps.reserveBytes, space.totalBytes);
    found = { ...space, reserveBytes, state: space.freeBytes < reserveBytes ? 'low' : 'ok' };
    deps.onRead(found);
    if (found.state !== before) deps.onChange(found);
  }
}
