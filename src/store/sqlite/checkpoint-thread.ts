/** The thread of the checkpointer. */
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from './open-file.ts';

export type CheckpointOrder = 'checkpoint' | 'close';

export interface CheckpointNews {
  /** Why it could not be done, or not all of it. */
  readonly failure: string | undefined;
}

if (parentPort) run(String(workerData), parentPort);

function run(file: string, boss: NonNullable<typeof parentPort>): void {
  const db = openFile(file);
  db.exec('PRAGMA synchronous = FULL');
  // Of what others read or write meanwhile it leaves what it must, and waits for nobody.
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  boss.on('message', (order: CheckpointOrder) => {
    if (order === 'close') {
      db.close();
      boss.close();
      return;
    }
    boss.postMessage({ failure: failureOf(() => checkpoint.get()) } satisfies CheckpointNews);
  });
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
