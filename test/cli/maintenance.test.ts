/** Long work that a gateway does for an operator elsewhere. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { createMaintenance } from '../../src/composition/maintenance.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const ADMIN = { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
const HERE = { host: '127.0.0.1', port: 0 };

function orderedBy(signal = new AbortController().signal) {
  return { author: { who: 'token' as const, name: 'kim', operatorId: undefined }, signal, onProgress() {} };
}

test('a gateway on PostgreSQL seals everything anew while it runs, and says how far it is', async t => {
  const store = await freshStore(t, 'postgres');
  const plain = await testGateway(t, store);
  const client = await plain.account('acme');
  await client.reportsOf((await client.sms({ text: 'zebra-quartz' })).body.msgKey);
  await plain.gateway.close();
  const key = randomBytes(32).toString('base64');
  const gateway = await testGateway(t, { ...store, BONGSU_DATA_KEY: key });
  const url = ['--url', await gateway.gateway.listen(HERE)];

  const done = await bongsu(['data-key', 'reseal', '--json', ...url], ADMIN);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /^\w+: \d+ rows looked at, \d+ re-encrypted$/m);
  const { changed, inUse } = JSON.parse(done.stdout);
  assert.ok(changed > 0);
  const status = JSON.parse((await bongsu(['data-key', 'status', '--json', ...url], ADMIN)).stdout);
  assert.deepEqual(status.keys, inUse);
  assert.deepEqual([...new Set(status.values.map((value: { key: string }) => value.key))], inUse);
  const [entry] = (await gateway.operator('GET', '/audit')).body.data.entries;
  assert.deepEqual([entry.action, entry.who, entry.details.changed], ['data-key.reseal', 'token', changed]);

  const backup = await bongsu(['backup', join(scratchDirectory(), 'copy'), ...url], ADMIN);
  assert.match(backup.stderr, /A300 this store is PostgreSQL: back it up with pg_dump/);
  const moved = await bongsu(['files', 'move', '--from', 's3://somewhere', ...url], ADMIN);
  assert.match(moved.stderr, /A300 s3:\/\/somewhere needs BONGSU_S3_ACCESS_KEY_ID/);
});

test('long tasks run one at a time; a disconnect stops the task, and it can be started again', async t => {
  const env = await freshStore(t, 'sqlite');
  await testGateway(t, env);
  const config = loadConfig(env, CHANNELS);
  const maintenance = createMaintenance(config);
  t.after(() => maintenance.stop());
  const leaving = new AbortController();
  const first = maintenance.dataKeys(orderedBy(leaving.signal));
  const second = await maintenance.moveFiles(undefined, orderedBy());
  assert.ok(second instanceof Problem);
  assert.match(second.result, /Another long task is in progress/);
  leaving.abort();
  const ended = await first;
  assert.ok(ended instanceof Problem);
  assert.match(ended.result, /The work was stopped/);
  const third = await maintenance.dataKeys(orderedBy());
  assert.ok(!(third instanceof Problem));
  assert.deepEqual(third.keys, ['plain']);

  const made = await maintenance.backup(orderedBy());
  assert.ok(!(made instanceof Problem));
  const outgoing = join(config.dataDir, 'outgoing-backup');
  assert.ok(existsSync(outgoing));
  // Nobody reads it.
  made.on('error', () => {});
  await maintenance.stop();
  assert.ok(!existsSync(outgoing), 'nothing stays behind of a backup that nobody took');
});

test('a long task is released when its client disconnects', async t => {
  const gateway = await testGateway(t, await freshStore(t, 'sqlite'));
  const url = `${await gateway.gateway.listen(HERE)}/admin/v1/data-keys/count`;
  const init = { method: 'POST', headers: bearer(ADMIN_TOKEN) };
  const leaving = new AbortController();
  const begun = await fetch(url, { ...init, signal: leaving.signal });
  assert.equal(begun.headers.get('content-type'), 'application/x-ndjson');
  leaving.abort();
  const done = await until('another is taken', async () => {
    const lines = (await (await fetch(url, init)).text()).trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '');
    return last.code === 'A000' && last;
  });
  assert.deepEqual(done.data.keys, ['plain']);
});

test('a backup that ends early leaves nothing behind', async t => {
  const gateway = await testGateway(t, await freshStore(t, 'sqlite'));
  const url = await gateway.gateway.listen(HERE);
  const directory = join(scratchDirectory(), 'copy');
  const refused = await bongsu(['backup', directory, '--url', url], { BONGSU_ADMIN_TOKEN: 'a-wrong-token' });
  assert.match(refused.stderr, /A002/);
  assert.ok(!existsSync(directory) && !existsSync(`${directory}.partial`));
});
