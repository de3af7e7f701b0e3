/**
 * A copy of the database as it is at one moment, made while a gateway writes to it.
 *
 * `VACUUM INTO` reads within one transaction: writers go on, and the copy has every commit of before it began. SQLite's own
 * backup begins anew with every commit of another process, and under load never ends.
 */
import { DatabaseSync } from 'node:sqlite';
import { CLAIMED, PUT_OFF, READY } from '../phase.ts';

/** The name under which the steps of a restored store are held until the first start. */
const RESTORED_OWNER = 'restored';

export interface SnapshotFacts {
  readonly messages: number;
  /** Messages on their way. */
  readonly open: number;
}

/** `into` must not exist. */
export function takeSnapshot(file: string, into: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    db.prepare('VACUUM INTO ?').run(into);
  } finally {
    db.close();
  }
}

/** Throws if the pages of the file are not in order. */
export function readSnapshot(file: string): SnapshotFacts {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const problems = db.prepare('PRAGMA quick_check(3)').all() as { quick_check: string }[];
    if (problems[0]?.quick_check !== 'ok') {
      throw new Error(`${file} is damaged: ${problems.map(problem => problem.quick_check).join('; ')}`);
    }
    return { messages: count('message'), open: count('job') };
  } finally {
    db.close();
  }

  function count(table: 'job' | 'message'): number {
    const row = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
    return row.count;
  }
}

/** The contents that valid files of a snapshot name. */
export function* contentsIn(file: string, now: number): Generator<string> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const select = db.prepare('SELECT DISTINCT content_hash FROM file WHERE expires_at > ?');
    for (const row of select.iterate(now)) yield String(row.content_hash);
  } finally {
    db.close();
  }
}

/**
 * What waits in a snapshot may have been sent since. It is left as a node leaves it that has died after it claimed all
 * of it at that moment: the first start repeats what a carrier promised to send only once, and the rest becomes unknown.
 */
export function doubtWaiting(file: string, since: number): number {
  const db = new DatabaseSync(file);
  try {
    const claim = db.prepare(
      `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = ?, claim = ?, claimed_at = ?
        WHERE phase IN (${READY}, ${PUT_OFF})`,
    );
    return Number(claim.run(RESTORED_OWNER, RESTORED_OWNER, since).changes);
  } finally {
    db.close();
  }
}
