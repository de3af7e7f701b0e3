/**
 * What is still on its way at the edge when all trouble is over, read from its SQLite file beside it.
 *
 * In doubt, and not in the core: its send was lost on the wire, or in the socket of an edge that was killed. The contract
 * between the two has no way to ask for it, and the edge may not send it again; it ends at its deadline. Everything else must
 * end soon, also what is in doubt and is in the core, because its report tells.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { CoreLedger } from './core-ledger.ts';

export interface Leftover {
  readonly msgKey: string;
  readonly recipient: string;
  readonly state: string;
  readonly step: number;
  readonly attempt: number;
  readonly serviceType: string;
  /** As it is stored, for people. */
  readonly history: string;
}

/** Longer than the longest wait of the edge: polls that failed are put off. */
const NOTHING_MOVES_MS = 90_000;
/** Longer than the core waits for another attempt, when troubles have cost a message some. */
const CORE_TRIES_AGAIN_MS = 400_000;
/** A report may be on its way between the two. */
const SURE_MS = 3_000;

export class EdgeLeftovers {
  readonly #db: DatabaseSync;
  readonly #readCore: () => Promise<CoreLedger>;

  constructor(file: string, readCore: () => Promise<CoreLedger>) {
    this.#db = new DatabaseSync(file, { timeout: 10_000 });
    this.#readCore = readCore;
  }

  list(): Leftover[] {
    const rows = this.#db.prepare(
      `SELECT job.msg_key AS msgKey, recipient, job.state, job.step, job.attempt,
              upper(json_extract(request.flow, '$[' || job.step || '].channel')) AS serviceType, history
         FROM job
         JOIN message ON message.msg_key = job.msg_key
         JOIN request ON request_id = substr(job.msg_key, 1, 29)
        ORDER BY job.msg_key`,
    );
    return rows.all() as unknown as Leftover[];
  }

  /** Resolves when only doubt is left that nothing can settle, or when nothing moves any more. */
  async settle(progress: (left: number) => void): Promise<{ unknown: Leftover[]; stuck: Leftover[] }> {
    let seen = '';
    let changedAt = performance.now();
    for (;;) {
      const left = this.list();
      const core = left.length === 0 ? new Map() : await this.#readCore();
      const unknown = left.filter(each => isUnknowable(each, core));
      const stuck = left.filter(each => !isUnknowable(each, core));
      progress(left.length);
      const now = left
        .map(({ msgKey, step, state, attempt }) => `${msgKey} ${step} ${state} ${attempt}`)
        .join();
      if (now !== seen) {
        seen = now;
        changedAt = performance.now();
      }
      if (performance.now() - changedAt > patienceFor(stuck, core)) return { unknown, stuck };
      await pause(250);
    }
  }

  /** As if their deadlines had come. */
  expire(steps: readonly Leftover[]): void {
    const expire = this.#db.prepare('UPDATE job SET deadline_at = 0 WHERE msg_key = ?');
    for (const { msgKey } of steps) expire.run(msgKey);
  }

  close(): void {
    this.#db.close();
  }
}

function isUnknowable({ state, recipient, serviceType }: Leftover, core: CoreLedger): boolean {
  const inCore = core.get(recipient) ?? [];
  return state === 'unknown' && !inCore.some(message => message.serviceType === serviceType);
}

function patienceFor(stuck: readonly Leftover[], core: CoreLedger): number {
  if (stuck.length === 0) return SURE_MS;
  const isTriedAgain = stuck.some(({ recipient }) =>
    core.get(recipient)?.some(({ waits }) => waits?.startsWith('retrying')),
  );
  return isTriedAgain ? CORE_TRIES_AGAIN_MS : NOTHING_MOVES_MS;
}
