import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { makeBackup } from '../../src/composition/backups.ts';
import { openStore } from '../../src/composition/open-store.ts';
import { restoreBackup } from '../../src/composition/restore.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Load, LoadAccount } from '../harness/load.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { stepsOf } from '../store/contract/store-under-test.ts';

const ENV = { ...LoadAccount.ENV, BONGSU_LOG: 'error' };
const ENOUGH = 100;

async function upload({ url, token }: LoadAccount, content: Buffer): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(content)]), 'image.jpg');
  const answer = await fetch(`${url}/v1/file/MMS`, { method: 'POST', headers: bearer(token), body });
  return ((await answer.json()) as { data: { fileKey: string } }).data.fileKey;
}

function column(dataDir: string, select: string): string[] {
  const db = new DatabaseSync(join(dataDir, 'bongsu.db'), { readOnly: true });
  try {
    return db
      .prepare(select)
      .all()
      .map(row => String(Object.values(row)[0]));
  } finally {
    db.close();
  }
}

test('a backup made under load has every message acknowledged before it began, and runs elsewhere', async t => {
  const server = await startServer(t, { ...ENV, BONGSU_SIMULATOR_LATENCY: '20-200ms' });
  const account = await LoadAccount.signIn(server.url);
  const photo = image('jpg', 600, 600, 200_000);
  const fileKey = await upload(account, photo);
  const load = new Load([account], 8);
  await until('there is load', () => load.accepted.length >= ENOUGH);
  const acknowledged = [...load.accepted];
  const directory = join(scratchDirectory(), 'backup');
  const made = await bongsu(['backup', directory, '--json'], { BONGSU_DATA_DIR: server.dataDir });
  assert.equal(made.code, 0, made.stderr);
  const acknowledgedLater = [...load.accepted];
  const fetched = join(scratchDirectory(), 'fetched');
  const there = await bongsu(['backup', fetched, '--json', '--url', server.url], ENV);
  assert.equal(there.code, 0, there.stderr);
  const isStillServing = load.accepted.length;
  await until('the gateway went on', () => load.accepted.length > isStillServing);
  await load.stop();
  await server.stop();
  const facts = JSON.parse(made.stdout);
  assert.deepEqual([facts.files, facts.missingFiles], [1, []]);
  assert.ok(facts.messages >= acknowledged.length);
  // Of a message that waited when the backup was made, all that is known is that it may have been sent.
  const waiting = column(directory, 'SELECT msg_key FROM job WHERE phase IN (0, 3)');

  const fromFetched = join(scratchDirectory(), 'from-fetched');
  const alike = await bongsu(['restore', fetched, '--json'], { BONGSU_DATA_DIR: fromFetched });
  assert.equal(alike.code, 0, alike.stderr);
  assert.deepEqual(JSON.parse(there.stdout), JSON.parse(alike.stdout).backup);
  const keptThere = new Set(column(fromFetched, 'SELECT msg_key FROM message'));
  assert.deepEqual(
    acknowledgedLater.filter(msgKey => !keptThere.has(msgKey)),
    [],
  );
  assert.deepEqual(
    readdirSync(server.dataDir).filter(name => name.includes('backup')),
    [],
  );

  const dataDir = join(scratchDirectory(), 'elsewhere');
  const restored = await bongsu(['restore', directory, '--json'], { BONGSU_DATA_DIR: dataDir });
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(JSON.parse(restored.stdout).doubted, waiting.length);
  const kept = new Set(column(dataDir, 'SELECT msg_key FROM message'));
  assert.deepEqual(
    acknowledged.filter(msgKey => !kept.has(msgKey)),
    [],
  );
  const again = await startServer(t, { ...ENV, BONGSU_DATA_DIR: dataDir });
  const served = await fetch(`${again.url}/files/${fileKey}`);
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), photo);
  const reports = await (await LoadAccount.signIn(again.url)).collectReports();
  assert.deepEqual(
    [...reports].filter(([msgKey, count]) => count !== 1 || !kept.has(msgKey)),
    [],
  );
  await again.stop();
  const actions = column(dataDir, 'SELECT action FROM audit');
  for (const action of ['store.backup', 'store.restore']) assert.ok(actions.includes(action), action);
  const taken = loadConfig({ BONGSU_DATA_DIR: dataDir }, CHANNELS);
  await assert.rejects(restoreBackup(taken, directory, false), /restore into an empty data directory/);
});

test('pending messages of a backup are sent only if nothing was sent since; a damaged backup is refused', async t => {
  const env = await freshStore(t, 'sqlite');
  const gateway = await testGateway(t, env);
  const client = await gateway.account('acme');
  await gateway.holdQueue();
  assert.equal((await client.sms()).body.code, 'A000');
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  assert.equal((await client.sms({ resvSendTime })).body.code, 'A000');
  const directory = join(scratchDirectory(), 'backup');
  const made = await makeBackup(loadConfig(env, CHANNELS), directory);
  assert.deepEqual([made.messages, made.open], [1, 1]);
  await assert.rejects(makeBackup(loadConfig(env, CHANNELS), directory), /a backup needs a new directory/);

  const restore = (dataDir: string, isNothingSent = false) =>
    restoreBackup(loadConfig({ BONGSU_DATA_DIR: dataDir }, CHANNELS), directory, isNothingSent);
  const [doubted, waiting, empty] = ['a', 'b', 'c'].map(name => join(scratchDirectory(), name));
  assert.ok(doubted && waiting && empty);
  const sendable = await restore(waiting, true);
  assert.deepEqual([sendable.doubted, sendable.held], [0, 0]);
  assert.deepEqual(column(waiting, 'SELECT state FROM job'), ['queued']);
  assert.deepEqual(column(waiting, 'SELECT status FROM reservation'), ['PENDING']);
  const heldBack = await restore(doubted);
  assert.deepEqual([heldBack.doubted, heldBack.held], [1, 1]);
  assert.deepEqual(column(doubted, 'SELECT status FROM reservation'), ['HELD']);
  const now = () => gateway.clock.now();
  const store = openSqliteStore({ dataDir: doubted, exclusive: true, now });
  // What a start does. The carrier promises nothing about attempts that are made twice.
  assert.equal(stepsOf(await store.nodes.takeOver({ self: 'node', now: now(), promises: new Map() })), 1);
  await store.close();
  assert.deepEqual(column(doubted, 'SELECT state FROM job'), ['unknown']);

  const file = join(directory, 'bongsu.db');
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
  writeFileSync(file, bytes);
  await assert.rejects(restore(empty), /the backup is damaged/);
  assert.equal(existsSync(join(empty, 'bongsu.db')), false);
  const postgres = loadConfig({ BONGSU_DATABASE_URL: 'postgres://localhost/bongsu' }, CHANNELS);
  await assert.rejects(makeBackup(postgres, empty), /PostgreSQL: back it up with pg_dump/);
});

test('a restore beside leftovers of a crash or another restore neither mixes two databases nor keeps failing', async t => {
  const env = await freshStore(t, 'sqlite');
  const gateway = await testGateway(t, env);
  const client = await gateway.account('acme');
  assert.equal((await client.sms()).body.code, 'A000');
  const directory = join(scratchDirectory(), 'backup');
  await makeBackup(loadConfig(env, CHANNELS), directory);
  // More than the backup has, in a log that nobody has written back: what a crash leaves.
  for (let sent = 0; sent < 3; sent++) assert.equal((await client.sms()).body.code, 'A000');
  const dataDir = join(scratchDirectory(), 'crashed');
  mkdirSync(dataDir);
  const log = join(dataDir, 'bongsu.db-wal');
  copyFileSync(join(String(env.BONGSU_DATA_DIR), 'bongsu.db-wal'), log);
  const config = loadConfig({ BONGSU_DATA_DIR: dataDir }, CHANNELS);
  await assert.rejects(
    restoreBackup(config, directory, false),
    /bongsu\.db-wal exists: it was left by another/,
  );
  assert.deepEqual(readdirSync(dataDir).toSorted(), ['bongsu.db-wal', 'bongsu.lock']);

  rmSync(log);
  // Of a restore that was killed: its database is not complete, and so has another name.
  mkdirSync(join(dataDir, 'restoring'));
  writeFileSync(join(dataDir, 'restoring', 'bongsu.db'), 'half');
  copyFileSync(
    join(String(env.BONGSU_DATA_DIR), 'bongsu.db-wal'),
    join(dataDir, 'restoring', 'bongsu.db-wal'),
  );
  assert.equal((await restoreBackup(config, directory, false)).backup.messages, 1);
  assert.equal(column(dataDir, 'SELECT msg_key FROM message').length, 1);
  assert.deepEqual(column(dataDir, "SELECT action FROM audit WHERE action = 'store.restore'"), [
    'store.restore',
  ]);
  assert.equal(existsSync(join(dataDir, 'restoring')), false);

  const elsewhere = join(scratchDirectory(), 'served');
  const served = loadConfig({ BONGSU_DATA_DIR: elsewhere }, CHANNELS);
  const store = openSqliteStore({ dataDir: elsewhere, exclusive: true, now: () => gateway.clock.now() });
  await assert.rejects(restoreBackup(served, directory, false), /another bongsu serves this data directory/);
  await store.close();
});

test('"restore" without a directory holds back the messages of a PostgreSQL restored by its own tools, once no gateway runs', async t => {
  const env = await freshStore(t, 'postgres');
  const restoring = () => bongsu(['restore', '--json'], env);
  const gateway = await testGateway(t, env);
  const client = await gateway.account('acme');
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  assert.equal((await client.sms({ resvSendTime })).body.code, 'A000');
  assert.match((await restoring()).stderr, /runs on this store: stop every gateway first/);
  await gateway.close();
  const done = await restoring();
  assert.deepEqual(JSON.parse(done.stdout), { doubted: 0, held: 1 }, done.stderr);
  const store = await openStore(loadConfig(env, CHANNELS), { clock: systemClock, exclusive: false });
  const [entry] = await store.audit.list({ limit: 1 });
  assert.deepEqual([entry?.action, entry?.target], ['store.restore', 'postgresql']);
  await store.close();
  assert.match(
    (await bongsu(['restore'], { BONGSU_DATA_DIR: scratchDirectory() })).stderr,
    /name the directory/,
  );
});
