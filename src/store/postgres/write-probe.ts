import type { Database } from './database.ts';

/** Writes one row again: enough to find out whether the database accepts writes. */
export function postgresWriteProbe(db: Database): () => Promise<void> {
  return async () => {
    await db.query(
      `INSERT INTO remembered (name, value) VALUES ('probe', '1')
       ON CONFLICT (name) DO UPDATE SET value = CASE remembered.value WHEN '1' THEN '2' ELSE '1' END`,
    );
  };
}
