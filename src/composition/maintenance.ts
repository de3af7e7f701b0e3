/**
 * Long work on the store of a running gateway, in a thread with connections of its own: counting, sealing anew and copying
 * a large store would hold up everybody else in the thread of the engine.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { EXPECTED_PLACE, parseFilePlace } from '../config/file-place.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Maintenance, Work } from '../operate/maintenance.ts';
import type { MaintenanceData, MaintenanceNews, Order, Outcome, SentConfig } from './maintenance-thread.ts';

const THREAD = new URL('./maintenance-thread.ts', import.meta.url);
/** In the data directory, until it has been sent. */
const OUTGOING = 'outgoing-backup';

export interface RunningMaintenance extends Maintenance {
  /** Ends what is under way. */
  stop(): Promise<void>;
}

export function createMaintenance(config: Config): RunningMaintenance {
  const stopping = new AbortController();
  let underWay: Promise<unknown> | undefined;

  /** Alone, until all of it is done. */
  async function alone<T>(task: () => Promise<T>): Promise<T | Problem> {
    if (underWay) {
      return new Problem('A020', 'Another long task is in progress on this gateway', {
        retryAfterSeconds: 30,
      });
    }
    const work = task();
    underWay = work.catch(() => {});
    try {
      return await work;
    } finally {
      underWay = undefined;
    }
  }

  async function run<Kind extends Order['kind']>(
    order: Order & { readonly kind: Kind },
    { author, signal, onProgress }: Work,
  ): Promise<Outcome<Kind> | Problem> {
    const data: MaintenanceData = { config: sent(config), order, author };
    const ended = AbortSignal.any([signal, stopping.signal]);
    if (ended.aborted) return wasEnded();
    const worker = new Worker(THREAD, { workerData: data });
    const end = () => void worker.terminate();
    ended.addEventListener('abort', end);
    try {
      return await new Promise((done, fail) => {
        worker.on('message', (news: MaintenanceNews) => {
          if (news.kind === 'progress') onProgress(news.progress);
          else if (news.kind === 'refusal') done(new Problem('A300', news.reason));
          // The thread answers the order that it was given.
          else done(news.outcome as Outcome<Kind>);
        });
        worker.on('error', fail);
        worker.on('exit', () => {
          if (ended.aborted) done(wasEnded());
          else fail(new Error('the thread of long work ended before it was done'));
        });
      });
    } finally {
      ended.removeEventListener('abort', end);
      await worker.terminate();
    }
  }

  return {
    dataKeys: work => alone(() => run({ kind: 'dataKeys' }, work)),
    async reseal(work) {
      if (!config.secrets.databaseUrl) {
        return new Problem(
          'A300',
          'SQLite is re-encrypted only while the gateway is stopped: stop it, then run "bongsu data-key reseal" on its machine',
        );
      }
      if (!config.secrets.dataKeys) return new Problem('A300', 'BONGSU_DATA_KEY is not set');
      return alone(() => run({ kind: 'reseal' }, work));
    },
    async moveFiles(from, work) {
      const place = from === undefined ? undefined : parseFilePlace(from);
      if (from !== undefined && !place) return new Problem('A300', `"from" must be ${EXPECTED_PLACE}`);
      return alone(() => run({ kind: 'moveFiles', from: place }, work));
    },
    backup(work) {
      const directory = join(resolve(config.dataDir), OUTGOING);
      const content = new PassThrough();
      return new Promise((done, fail) => {
        const making = alone(async () => {
          // What is there was left behind: this gateway has the data directory, and this work, to itself.
          await remove(directory);
          try {
            const made = await run({ kind: 'backup', directory }, work);
            if (made instanceof Problem) return made;
            const archive = await archiveOf(directory);
            done(content);
            await pipeline(archive, content, { signal: stopping.signal });
            return undefined;
          } finally {
            await remove(directory);
          }
        });
        // Whoever reads the stream hears of what fails once it has begun.
        making.then(problem => problem && done(problem), fail);
      });
    },
    async stop() {
      stopping.abort();
      await underWay;
    },
  };
}

/** Mostly nobody hears it. */
function wasEnded(): Problem {
  return new Problem('A920', 'The work was stopped: the gateway is stopping, or the client has disconnected');
}

async function archiveOf(directory: string): Promise<Readable> {
  // Loaded when it is used.
  const { create } = await import('tar');
  return create({ cwd: directory, portable: true }, ['.']) as unknown as Readable;
}

async function remove(directory: string): Promise<void> {
  for (const path of [directory, `${directory}.partial`]) await rm(path, { recursive: true, force: true });
}

/** What can be handed to a thread: the secrets that are needed there, and no others. */
function sent({ secrets, routes: _, ...settings }: Config): SentConfig {
  const { databaseUrl, s3AccessKeyId, s3SecretAccessKey, dataKeys } = secrets;
  return {
    settings,
    secrets: {
      databaseUrl: databaseUrl?.reveal(),
      s3AccessKeyId: s3AccessKeyId?.reveal(),
      s3SecretAccessKey: s3SecretAccessKey?.reveal(),
      dataKeys: dataKeys?.reveal(),
    },
  };
}
