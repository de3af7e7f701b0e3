import type { Database } from './database.ts';

/** One row, written anew: enough to find out that the database takes no writes, or no more. */
export function postgresWriteProbe(db: Database): () => Promise<void> {
  return async () => {
    await db.query(
      `INSERT INTO remembered (name, value) VALUES ('probe', '1')
       ON CONFLICT (name) DO UPDATE SET value = CASE remembered.value WHEN '1' THEN '2' ELSE '1' END`,
    );
  };
}
