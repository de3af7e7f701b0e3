/** Puts the watch of the data directory's disk together, and knows what this node keeps there. */
import type { Config } from '../config/config.ts';
import type { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createDiskWatch, type DiskWatch } from '../operate/disk-watch.ts';
import type { Clock } from '../platform/clock.ts';
import { type ReadDisk, readDisk } from '../platform/disk.ts';
import type { Logger } from '../platform/logger.ts';

export interface ComposedDisk {
  readonly watch: DiskWatch;
  /** Why nothing can be reserved, or uploaded. Both are kept elsewhere by some configurations. */
  readonly reservationProblem: () => Problem | undefined;
  readonly uploadProblem: () => Problem | undefined;
}

export function keepsRows({ secrets }: Config): boolean {
  return secrets.databaseUrl === undefined;
}

export function keepsFiles(config: Config): boolean {
  return config.files ? config.files.kind === 'directory' : keepsRows(config);
}

export function composeDisk(
  config: Config,
  deps: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: Pick<Metrics, 'diskFree' | 'diskReserve'>;
    readonly events: Pick<Events, 'failed'>;
    readonly read: ReadDisk | undefined;
  },
): ComposedDisk {
  const { clock, log, metrics, events, read = readDisk } = deps;
  const { dataDir, diskReserveBytes } = config;
  const isUsed = keepsRows(config) || keepsFiles(config);
  const disk = { disk: 'data' };
  const watch = createDiskWatch({
    read: isUsed ? () => read(dataDir) : undefined,
    reserveBytes: diskReserveBytes,
    clock,
    onRead({ freeBytes, reserveBytes }) {
      metrics.diskFree.set(disk, freeBytes);
      metrics.diskReserve.set(disk, reserveBytes);
    },
    onChange({ state, freeBytes, reserveBytes }) {
      const event = state === 'low' ? 'diskLow' : 'diskHasRoom';
      log.warn({ event, dataDir, freeBytes, reserveBytes });
    },
    onFailure: error => events.failed('read the disk', error),
  });
  return {
    watch,
    reservationProblem: () => (keepsRows(config) ? watch.problem() : undefined),
    uploadProblem: () => (keepsFiles(config) ? watch.problem() : undefined),
  };
}
