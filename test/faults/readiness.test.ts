/** Ready is what a load balancer needs to know: can this node take requests? The rest is told beside it. */
import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { ClaimOrder } from '../../src/store/store.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { pass } from '../harness/settled.ts';
import { until } from '../harness/until.ts';
import { smallDisk } from './small-disk.ts';

const NETWORK = `
carriers:
  hung: { kind: simulator }
  well: { kind: simulator }
routes:
  - { channel: sms, via: [hung] }
  - { channel: international, via: [well] }
`;

async function networked(t: TestContext) {
  const hung = new ScriptedCarrier('hung', { window: 2 });
  const well = new ScriptedCarrier('well');
  well.reply = accept;
  const path = configFile(NETWORK);
  const opened = await testAccount(t, {
    env: { BONGSU_CONFIG: path },
    createCarrier: ({ name }) => (name === 'hung' ? hung : well),
  });
  return { hung, well, ...opened };
}

async function readiness(gateway: TestGateway) {
  const { status, body } = await gateway.request('GET', '/readyz');
  return [status, body.code, body.result];
}

async function health(gateway: TestGateway) {
  return (await gateway.operator('GET', '/health')).body.data;
}

async function carrierNamed(gateway: TestGateway, name: string) {
  return (await health(gateway)).carriers.find((carrier: { name: string }) => carrier.name === name);
}

const READY = [200, 'A000', 'Success'];

test('one hung carrier with a full window does not make the node unready', async t => {
  const { gateway, hung, well, client } = await networked(t);
  for (let index = 0; index < 5; index++) await client.sms();
  await until('its window is full', () => hung.submitted.length === 2);
  await pass(90, gateway);
  assert.deepEqual(await readiness(gateway), READY);
  const full = await carrierNamed(gateway, 'hung');
  assert.equal(full.state, 'full');
  assert.ok(full.windowFullSeconds >= 80 && full.headAgeSeconds >= 80, JSON.stringify(full));
  assert.match(full.advice, /Ask the carrier/);
  const findings = (await gateway.operator('GET', '/doctor')).body.data.findings;
  const { detail, advice } = findings.find(({ area }: { area: string }) => area === 'carriers');
  assert.deepEqual([detail, advice], ['The carrier hung is full: scripted', full.advice]);
  assert.equal((await carrierNamed(gateway, 'well')).state, 'idle');
  await client.international();
  await until('the other carrier delivers', () => well.submitted.length === 1);
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /bongsu_carrier_window_full_seconds\{carrier="hung"\} [89]\d/);
  assert.match(body, /bongsu_carrier_head_age_seconds\{carrier="hung"\} [89]\d/);
  assert.match(body, /bongsu_carrier_stuck\{carrier="hung"\} 0/);
  assert.match(body, /bongsu_store_up 1/);
});

test('a lane that stands still is told; the node is unready only when every lane with work does', async t => {
  const { gateway, hung, well, client } = await networked(t);
  hung.reply = accept;
  const { queue } = gateway.gateway.store;
  const claim = queue.claim.bind(queue);
  const stuck = new Set(['hung']);
  const never = Promise.withResolvers<never>();
  t.mock.method(queue, 'claim', (order: ClaimOrder) =>
    stuck.has(order.carrier) ? never.promise : claim(order),
  );
  // A carrier that is up would get it at once.
  hung.become('down');
  await client.sms();
  hung.become('up');
  await pass(40, gateway);
  assert.equal((await carrierNamed(gateway, 'hung')).state, 'stuck');
  well.become('down');
  await client.international();
  await pass(2, gateway);
  assert.deepEqual(
    await readiness(gateway),
    READY,
    'the other waits for its carrier, which is no fault of ours',
  );
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /bongsu_carrier_stuck\{carrier="hung"\} 1/);
  stuck.add('well');
  well.become('up');
  await pass(40, gateway);
  assert.deepEqual(await readiness(gateway), [503, 'A920', 'Not ready: the queue does not move']);
  assert.equal((await health(gateway)).store.state, 'ok');
  stuck.clear();
  never.reject(new Error('over'));
  // How many seconds the clock makes while a claim reaches the disk depends on the machine.
  await until('they move again', async () => {
    await pass(1, gateway);
    return (await readiness(gateway))[0] === READY[0];
  });
  assert.deepEqual(await readiness(gateway), READY);
});

test('a lane is not called stuck because the wall clock jumped', async t => {
  const { gateway, hung, client } = await networked(t);
  for (let index = 0; index < 5; index++) await client.sms();
  await until('its window is full', () => hung.submitted.length === 2);
  gateway.clock.setWallBy(3_600_000);
  await pass(3, gateway);
  assert.notEqual((await carrierNamed(gateway, 'hung')).state, 'stuck');
  assert.deepEqual(await readiness(gateway), READY);
});

test('a store that takes no writes is not ready, and says since when and why', async t => {
  const gateway = await testGateway(t);
  gateway.clock.advance(1500);
  const { store } = gateway.gateway;
  const before = await health(gateway);
  assert.deepEqual([before.ready, before.reason, before.store.state], [true, null, 'ok']);
  const broken = t.mock.method(store, 'probeWrite', async () => {
    throw new Error('it did not happen', { cause: new Error('database or disk is full') });
  });
  gateway.clock.advance(1500);
  assert.deepEqual(await readiness(gateway), [503, 'A920', 'Not ready: the disk of the store is full']);
  const full = await health(gateway);
  assert.deepEqual([full.ready, full.store.state, full.store.detail], [false, 'full', 'it did not happen']);
  assert.match(full.store.advice, /Free space on the disk/);
  assert.ok(full.store.since > before.store.since);
  await pass(5, gateway);
  assert.equal((await health(gateway)).store.since, full.store.since);
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /bongsu_store_up 0/);
  assert.match(body, /bongsu_requests_refused_total\{route="\/readyz",code="A920"\} 1/);
  broken.mock.restore();
  assert.deepEqual(await readiness(gateway), READY, 'as soon as it writes again');
});

test('a store that hangs is not waited for, and is asked once', async t => {
  const gateway = await testGateway(t);
  const { store } = gateway.gateway;
  const hanging = Promise.withResolvers<void>();
  const ping = t.mock.method(store, 'ping', () => hanging.promise);
  for (let call = 0; call < 3; call++) {
    const asked = readiness(gateway);
    let isAnswered = false;
    void asked.then(() => {
      isAnswered = true;
    });
    await until('it is answered', () => {
      gateway.clock.advance(1000);
      return isAnswered;
    });
    assert.deepEqual(await asked, [503, 'A920', 'Not ready: the store does not answer']);
  }
  assert.equal(ping.mock.callCount(), 1);
  ping.mock.restore();
  hanging.resolve();
  await until('it is ready', async () => (await readiness(gateway))[0] === 200);
});

test('a busy store is not written to for the sake of readiness', async t => {
  const { gateway, client } = await testAccount(t);
  const probe = t.mock.method(gateway.gateway.store, 'probeWrite');
  for (let call = 0; call < 10; call++) {
    gateway.clock.advance(500);
    await client.sms();
    assert.deepEqual(await readiness(gateway), READY);
  }
  assert.equal(probe.mock.callCount(), 0);
  gateway.clock.advance(1000);
  for (let call = 0; call < 10; call++) await readiness(gateway);
  assert.ok(probe.mock.callCount() <= 1);
});

test('a disk that is full shows before anybody sends anything', async t => {
  const directory = smallDisk(12);
  if (directory === undefined) return t.skip('no disk may be mounted here');
  const gateway = await testGateway(t, { BONGSU_DATA_DIR: directory });
  await pass(2, gateway);
  assert.deepEqual(await readiness(gateway), READY);
  const filler = join(directory, 'filler');
  for (const bytes of [64 * 1024, 1024, 1]) {
    assert.throws(() => {
      for (;;) appendFileSync(filler, Buffer.alloc(bytes));
    }, /ENOSPC/);
  }
  await until('it is not ready', async () => {
    gateway.clock.advance(1500);
    return (await readiness(gateway))[0] === 503;
  });
  rmSync(filler);
  await until('it is ready again', async () => (await readiness(gateway))[0] === 200);
});
