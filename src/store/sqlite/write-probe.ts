import type { Database } from './database.ts';

/** One row, written anew: enough to find out that the disk takes no more. */
export function sqliteWriteProbe(db: Database): () => Promise<void> {
  const write = db.prepare(
    `INSERT INTO remembered (name, value) VALUES ('probe', '1')
     ON CONFLICT (name) DO UPDATE SET value = CASE value WHEN '1' THEN '2' ELSE '1' END`,
  );
  return () => db.write(() => void write.run());
}
