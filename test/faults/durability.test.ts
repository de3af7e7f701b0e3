/** A PostgreSQL that may lose what it acknowledged: refused in production, told everywhere else. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

/** The server of the tests runs without fsync and full_page_writes, which is what this is about. */
const OURS = process.env.BONGSU_TEST_DATABASE_URL === undefined;
const skip = OURS ? false : 'the server may be a durable one';

const PRODUCTION = { BONGSU_MODE: 'production' };
const REQUIRED = { BONGSU_DATABASE_DURABILITY: 'required' };

test('production refuses such a server with every reason, and accepts it with the relaxed setting', {
  skip,
}, async t => {
  const store = await freshStore(t, 'postgres');
  await assert.rejects(testGateway(t, { ...store, ...PRODUCTION, ...REQUIRED }), ({ message }: Error) => {
    assert.match(message, /may lose messages/);
    assert.match(message, /fsync is off.*\n.*ALTER SYSTEM SET fsync = on/);
    assert.match(message, /full_page_writes is off/);
    assert.match(message, /BONGSU_DATABASE_DURABILITY=relaxed/);
    return true;
  });
  const gateway = await testGateway(t, { ...store, ...PRODUCTION });
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
});

test('a sandbox warns of it, unless its own sessions are set not to wait for the disk', { skip }, async t => {
  const store = await freshStore(t, 'postgres');
  const gateway = await testGateway(t, { ...store, ...REQUIRED });
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
  const { risks } = (await gateway.operator('GET', '/health')).body.data.store;
  assert.deepEqual(
    risks.map(({ setting }: { setting: string }) => setting),
    ['fsync', 'full_page_writes'],
  );
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /^bongsu_durability_risks 2$/m);
  const url = `${store.BONGSU_DATABASE_URL}?synchronous_commit=off`;
  const off = { ...store, BONGSU_DATABASE_URL: url };
  await assert.rejects(testGateway(t, { ...off, ...REQUIRED }), /synchronous_commit is off/);
  await testGateway(t, off);
});

test('/readyz says so when it begins to be a risk while production runs', async t => {
  const gateway = await testGateway(
    t,
    { ...PRODUCTION, ...REQUIRED, BONGSU_DATA_DIR: scratchDirectory(), BONGSU_DATABASE_URL: '' },
    new ManualClock(),
  );
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
  const risk = { setting: 'fsync', value: 'off', risk: 'r', advice: 'a' };
  t.mock.method(gateway.gateway.store, 'durability', async () => ({
    settings: {},
    standbys: 0,
    risks: [risk],
  }));
  gateway.clock.advance(10_000);
  await until('it is seen', async () => {
    const { status, body } = await gateway.request('GET', '/readyz');
    return status === 503 && body.result === 'Not ready: the database may lose accepted messages';
  });
});
