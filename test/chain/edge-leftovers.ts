/** The messages of the edge that are not finished, read from its SQLite file and compared with what the core accepted. */
import type { DatabaseSync } from 'node:sqlite';
import type { Leftover, Look } from '../long-runs/leftovers.ts';
import type { CoreLedger } from './core-ledger.ts';

export interface EdgeLeftover extends Leftover {
  readonly serviceType: string;
}

/** Longer than the longest wait of the edge: polls that failed are put off. */
const NOTHING_MOVES_MS = 90_000;
/** Longer than the core waits before another attempt, when troubles have cost a message some. */
const CORE_RETRIES_MS = 400_000;

/** `db`: the edge's file, opened beside it. */
export async function edgeLeftovers(
  db: DatabaseSync,
  readCore: () => Promise<CoreLedger>,
): Promise<Look<EdgeLeftover>> {
  const rows = db.prepare(
    `SELECT job.msg_key AS msgKey, recipient, job.state, job.step, job.attempt,
            upper(json_extract(request.flow, '$[' || job.step || '].channel')) AS serviceType, history
       FROM job
       JOIN message ON message.msg_key = job.msg_key
       JOIN request ON request_id = substr(job.msg_key, 1, 29)
      ORDER BY job.msg_key`,
  );
  const left = rows.all() as unknown as EdgeLeftover[];
  const core: CoreLedger = left.length === 0 ? new Map() : await readCore();
  const isUnknown = ({ state, recipient, serviceType }: EdgeLeftover) =>
    state === 'unknown' && !core.get(recipient)?.some(message => message.serviceType === serviceType);
  const isRetried = left
    .filter(each => !isUnknown(each))
    .some(({ recipient }) => core.get(recipient)?.some(({ waits }) => waits?.startsWith('retrying')));
  return { left, isUnknown, patienceMs: isRetried ? CORE_RETRIES_MS : NOTHING_MOVES_MS };
}

/** As if their deadlines had come. */
export function expire(db: DatabaseSync, messages: readonly Leftover[]): void {
  const update = db.prepare('UPDATE job SET deadline_at = 0 WHERE msg_key = ?');
  for (const { msgKey } of messages) update.run(msgKey);
}
