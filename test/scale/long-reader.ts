/**
 * Somebody who reads a whole database in one snapshot and holds a lock on every table as long: `pg_dump`, where Debian's is there in the
 * version of the server, or a session that does the same.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Client, escapeIdentifier } from 'pg';

export class LongReader {
  readonly kind: string;
  /** It has read everything once. */
  readonly hasReadAll: Promise<void>;
  readonly #leave: () => Promise<void>;

  private constructor(kind: string, hasReadAll: Promise<void>, leave: () => Promise<void>) {
    this.kind = kind;
    this.hasReadAll = hasReadAll;
    this.#leave = leave;
  }

  /** Resolves when it holds its locks. */
  static async begin(url: string): Promise<LongReader> {
    const reader = new Client(url);
    await reader.connect();
    const { rows } = await reader.query(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    const program = `/usr/lib/postgresql/${rows[0].version}/bin/pg_dump`;
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const { rows: tables } = await reader.query(
      `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
    );
    const names = tables.map(({ relname }) => escapeIdentifier(String(relname)));
    await reader.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
    const leave = async () => {
      await reader.query('COMMIT');
      await reader.end();
    };
    if (existsSync(program)) {
      const dump = spawn(program, ['--dbname', url, '--file', '/dev/null'], { stdio: 'inherit' });
      const hasRead = new Promise<void>((resolve, reject) => {
        dump.once('error', reject);
        dump.once('exit', code => (code === 0 ? resolve() : reject(new Error(`pg_dump ended with ${code}`))));
      });
      return new LongReader('pg_dump, and a session with its locks', hasRead, leave);
    }
    const readAll = async () => {
      for (const name of names) await reader.query(`SELECT sum(length(t::text)) FROM ONLY ${name} AS t`);
    };
    return new LongReader('a session that reads all as text in one snapshot', readAll(), leave);
  }

  leave(): Promise<void> {
    return this.#leave();
  }
}
