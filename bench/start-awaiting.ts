/**
 * `node bench/start-awaiting.ts [messages]`: a start on SQLite while messages await their receipts: milliseconds from the command to
 * the line with the address, and the memory of the process then and at most in the next seconds. Once as it is, once with a heap of
 * 512 MB. The process that had sent them was killed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { timePrefix } from '../src/domain/ids.ts';
import { DATABASE_FILE } from '../src/store/sqlite/sqlite-store.ts';
import { startServer } from './processes.ts';

const MESSAGES = Number(process.argv[2] ?? 1_000_000);
const DAY_MS = 24 * 3_600_000;
const FLOW = JSON.stringify([{ channel: 'sms', from: '0212345678', text: 'hello' }]);
const SCRIPT = 'bin/start.js';
const WORK_MS = 10_000;

const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-awaiting-'));
const env = { BONGSU_PORT: '0', BONGSU_DATA_DIR: directory, BONGSU_LOG: 'warn' };
try {
  await measured('a new store');
  const empty = await measured('nothing waits');
  fill();
  const full = await measured(`${MESSAGES} wait`);
  await measured(`${MESSAGES} wait, heap of 512 MB`, { NODE_OPTIONS: '--max-old-space-size=512' });
  const [ms, mb] = [full.ms - empty.ms, full.peakMb - empty.peakMb];
  process.stdout.write(`more than with nothing: ${Math.round(ms)} ms, ${Math.round(mb)} MB\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measured(name: string, more: Readonly<Record<string, string>> = {}) {
  const from = performance.now();
  const server = await startServer(SCRIPT, { ...env, ...more });
  const ms = performance.now() - from;
  const mb = Math.round(server.rssMb());
  await sleep(WORK_MS);
  const peakMb = Math.round(server.peakMb());
  await server.kill('SIGKILL');
  const shown = [`${Math.round(ms)} ms`, `${mb} MB`, `at most ${peakMb} MB in the next ${WORK_MS / 1000} s`];
  process.stdout.write(`${name.padEnd(40)} ${shown.join(', ')}\n`);
  return { ms, peakMb };
}

/** As a process leaves them that had all of them taken by its carrier. */
function fill(): void {
  const db = new DatabaseSync(join(directory, DATABASE_FILE));
  const now = Date.now();
  const ids = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MESSAGES})`;
  const request = `'${timePrefix(now - DAY_MS)}' || printf('%019d', i)`;
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  db.exec(`${ids} INSERT INTO request (request_id, account, accepted_at, flow)
    SELECT ${request}, 'acme', ${now - DAY_MS}, '${FLOW}' FROM n`);
  db.exec(`${ids} INSERT INTO message (msg_key, account, recipient, history)
    SELECT ${request} || '000', 'acme', '01012345678', '' FROM n`);
  db.exec(`${ids} INSERT INTO job (msg_key, account, carrier, phase, due_at, state, step, attempt, owner, submitted_at, deadline_at, claim, claimed_at)
    SELECT ${request} || '000', 'acme', 'sky', 2, ${now - DAY_MS}, 'submitted', 0, 1, 'node-gone', ${now - DAY_MS}, ${now + DAY_MS}, 'node-gone/1', ${now - DAY_MS} FROM n`);
  db.exec('COMMIT');
  db.close();
}
