/** A power cut loses what was not synced, which a kill does not show: the system calls of the server do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { LoadAccount } from '../harness/load.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const CLIENTS = 8;
const SENDS_OF_EACH = 10;

/** A whole page of SQLite, and a whole answer, stand in one line. With -D the server is the child, and takes the signals. */
const CALLS = 'trace=write,writev,pwrite64,sendto,sendmsg,fsync,fdatasync';
const STRACE = ['strace', '-D', '-f', '-y', '-s', '16384', '-e', CALLS, '-o'];

interface Call {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  /** Numbers of lines. A call that another thread interrupts ends in a later line. */
  readonly begins: number;
  ends: number;
}

/** `1234 pwrite64(20</d/bongsu.db-wal>, "…" <unfinished ...>`, and later `1234 <... pwrite64 resumed>, 4096, 0) = 4096`. */
function callsIn(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, Call>();
  for (const [line, text] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(text) ?? [];
    const [, name = '', path = '', content = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(rest) ?? [];
    if (name !== '') {
      const call = { name, path, content, begins: line, ends: line };
      calls.push(call);
      if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, call);
    } else if (rest.startsWith('<... ')) {
      const call = unfinished.get(thread);
      if (call) call.ends = line;
      unfinished.delete(thread);
    }
  }
  return calls;
}

async function send({ url, token }: LoadAccount, ref: string): Promise<string> {
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  const body = JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello', ref });
  const answer = await fetch(`${url}/v1/send/sms`, { method: 'POST', headers, body });
  return ((await answer.json()) as { code: string }).code;
}

for (const threads of ['0', '1'])
  test(`what an A000 promises is on the disk before its first byte goes out, with ${threads} HTTP threads`, {
    skip: unlessInstalled('strace'),
  }, async t => {
    const trace = join(scratchDirectory(), 'trace');
    const env = {
      ...LoadAccount.ENV,
      BONGSU_HTTP_THREADS: threads,
    };
    const server = await startServer(t, env, undefined, [...STRACE, trace]);
    const account = await LoadAccount.signIn(server.url);
    const refs: string[] = [];
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let count = 0; count < SENDS_OF_EACH; count++) {
        const ref = `synced-${client}-${count}.`;
        assert.equal(await send(account, ref), 'A000');
        refs.push(ref);
      }
    });
    await Promise.all(clients);
    await account.queueIsEmpty();
    assert.equal((await server.stop()).code, 0);

    const calls = callsIn(readFileSync(trace, 'utf8'));
    const log = calls.filter(({ path }) => path === join(server.dataDir, 'bongsu.db-wal'));
    const synced = log.filter(({ name }) => name.endsWith('sync'));
    const answers = calls.filter(
      ({ path, content }) => path.startsWith('socket') && content.includes('A000'),
    );
    for (const ref of refs) {
      const answer = answers.find(({ content }) => content.includes(ref));
      assert.ok(answer, `the answer to ${ref} is seen`);
      const written = log.find(({ name, content }) => name === 'pwrite64' && content.includes(ref));
      assert.ok(written && written.ends < answer.begins, `${ref} is written before it is answered`);
      const isSynced = synced.some(({ begins, ends }) => begins > written.ends && ends < answer.begins);
      assert.ok(isSynced, `${ref} is synced before it is answered`);
    }
    t.diagnostic(`${refs.length} answers, ${synced.length} times synced`);
  });
