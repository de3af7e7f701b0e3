import type { UpkeepStore } from '../port/upkeep-store.ts';
import type { Database } from './database.ts';

/** An index whose build was interrupted stays, is written to and is used by no query. */
const INVALID_INDEXES = `
  SELECT index.relname AS name FROM pg_index
    JOIN pg_class AS index ON index.oid = indexrelid
   WHERE NOT indisvalid AND index.relnamespace = current_schema()::regnamespace
   ORDER BY index.relname LIMIT 20`;

const FACTS = `
  SELECT current_setting('data_checksums') AS checksums,
         (SELECT coalesce(sum(checksum_failures), 0) FROM pg_stat_database WHERE datname = current_database()) AS failures,
         pg_database_size(current_database()) AS bytes`;

/** What PostgreSQL keeps count of by itself; nothing of it reads the tables. */
export function postgresExamination(db: Database): UpkeepStore['examine'] {
  return async () => {
    const [facts] = await db.query(FACTS);
    const invalid = await db.query(INVALID_INDEXES);
    const failures = Number(facts?.failures ?? 0);
    return {
      damages: [
        ...(failures > 0 ? [`${failures} pages with wrong checksums`] : []),
        ...invalid.map(({ name }) => `the index ${name} is not valid`),
      ],
      hasChecksums: facts?.checksums === 'on',
      bytes: Number(facts?.bytes),
    };
  };
}
