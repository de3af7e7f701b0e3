/**
 * One of the contestants of commit-placement.ts: accepts the body of a send and commits it durably, on this thread or
 * on another. Usage: commit-placement-server.ts here|worker DIRECTORY DELAY_MS
 */
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const [, , mode = '', directory = '', delayMs = '0'] = process.argv;

interface Row {
  readonly key: string;
  readonly flow: string;
}

function openStore(): (rows: readonly Row[]) => void {
  const db = new DatabaseSync(join(directory, 'placement.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(`CREATE TABLE IF NOT EXISTS request (key TEXT PRIMARY KEY, flow TEXT) WITHOUT ROWID;
           CREATE TABLE IF NOT EXISTS message (key TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID;
           CREATE TABLE IF NOT EXISTS job (key TEXT PRIMARY KEY, due INTEGER) WITHOUT ROWID;
           CREATE INDEX IF NOT EXISTS job_by_due ON job (due)`);
  const request = db.prepare('INSERT INTO request VALUES (?, ?)');
  const message = db.prepare('INSERT INTO message VALUES (?, ?)');
  const job = db.prepare('INSERT INTO job VALUES (?, ?)');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  return rows => {
    db.exec('BEGIN IMMEDIATE');
    for (const { key, flow } of rows) {
      request.run(key, flow);
      message.run(key, 'queued');
      job.run(key, Date.now());
    }
    // A slow disk: the thread that commits waits that much longer.
    if (Number(delayMs) > 0) Atomics.wait(pause, 0, 0, Number(delayMs));
    db.exec('COMMIT');
  };
}

function serve(commit: (rows: readonly Row[], done: () => void) => void): void {
  let waiting: { row: Row; response: ServerResponse }[] = [];
  let isBusy = false;
  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) {
      isBusy = false;
      return;
    }
    commit(
      batch.map(({ row }) => row),
      () => {
        for (const { row, response } of batch) {
          const body = JSON.stringify({ code: 'A000', result: 'Success', msgKey: row.key });
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
          response.end(body);
        }
        setImmediate(flush);
      },
    );
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const flow = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      const key = Date.now().toString(36) + randomBytes(12).toString('hex');
      waiting.push({ row: { key, flow }, response });
      if (isBusy) return;
      isBusy = true;
      setImmediate(flush);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}

if (!isMainThread) {
  const commit = openStore();
  parentPort?.on('message', (rows: Row[]) => {
    commit(rows);
    parentPort?.postMessage('done');
  });
} else if (mode === 'worker') {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  serve((rows, done) => {
    worker.once('message', done);
    worker.postMessage(rows);
  });
} else {
  const commit = openStore();
  serve((rows, done) => {
    commit(rows);
    done();
  });
}
