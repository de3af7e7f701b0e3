/**
 * A copy of the database as it is at one moment, made while a gateway writes to it.
 *
 * `VACUUM INTO` reads within one transaction: writers go on, and the copy has every commit made before it began. SQLite's own
 * backup starts again at every commit of another process, and never ends under load.
 */
import type { DatabaseSync } from 'node:sqlite';
import { openFile } from './open-file.ts';

export interface SnapshotFacts {
  readonly messages: number;
  /** Messages that have not ended. */
  readonly open: number;
}

/** `into` must not exist. */
export function takeSnapshot(file: string, into: string): void {
  const db = openFile(file, { readOnly: true });
  try {
    db.prepare('VACUUM INTO ?').run(into);
  } finally {
    db.close();
  }
}

/** Throws if the pages of the file are not in order. */
export function readSnapshot(file: string): SnapshotFacts {
  const db = openFile(file, { readOnly: true });
  try {
    const problems = db.prepare('PRAGMA quick_check(3)').all() as { quick_check: string }[];
    if (problems[0]?.quick_check !== 'ok') {
      throw new Error(`${file} is damaged: ${problems.map(problem => problem.quick_check).join('; ')}`);
    }
    return factsOf(db);
  } finally {
    db.close();
  }
}

/** As whoever opens the database next will see it. */
export function countMessages(file: string): SnapshotFacts {
  const db = openFile(file);
  try {
    return factsOf(db);
  } finally {
    db.close();
  }
}

function factsOf(db: DatabaseSync): SnapshotFacts {
  return { messages: count('message'), open: count('job') };

  function count(table: 'job' | 'message'): number {
    const row = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
    return row.count;
  }
}

/** The contents that valid files of a snapshot name. */
export function* contentsIn(file: string, now: number): Generator<string> {
  const db = openFile(file, { readOnly: true });
  try {
    const select = db.prepare('SELECT DISTINCT content_hash FROM file WHERE expires_at > ?');
    for (const row of select.iterate(now)) yield String(row.content_hash);
  } finally {
    db.close();
  }
}
