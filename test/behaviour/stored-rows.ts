/** Changes rows of a store as damage on its disk does, while a gateway works on it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { DATABASE_FILE } from '../../src/store/sqlite/sqlite-store.ts';
import type { Env } from '../harness/process.ts';

const CHANGE = `
  const { DatabaseSync } = require('node:sqlite');
  const [file, statement] = process.argv.slice(1);
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(statement);
  db.close();`;

export async function changeRows(env: Env, statement: string): Promise<void> {
  if (!env.BONGSU_DATABASE_URL) {
    // By another process: closing a file ends all locks that this process has on it.
    const file = join(env.BONGSU_DATA_DIR ?? '', DATABASE_FILE);
    execFileSync(process.execPath, ['--no-warnings', '-e', CHANGE, file, statement]);
    return;
  }
  const client = new Client({ connectionString: env.BONGSU_DATABASE_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
