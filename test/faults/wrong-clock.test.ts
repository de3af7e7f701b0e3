/** A clock that is wrong by days ends, deletes and hides nothing, on any node; and a clock that was set is trusted again. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type Answer, Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { Network } from '../harness/network.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { pass } from '../harness/settled.ts';
import { until } from '../harness/until.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Further than reports, tokens, deadlines and keys last. */
const FAR = 98 * HOUR;
/** After the manual clock's start, and before the wrong clock. */
const RESERVED_TO = '01044440003';
const RESERVED_FOR = '2026-01-07T12:00:00+09:00';

/** A record to fetch, a message that waits for its receipt, a reservation, and what may be said of them afterwards. */
async function traffic(network: Network) {
  const { client } = network;
  const sky = network.carrier('sky');
  sky.reply = accept;
  const ended = (await client.sms({ to: '01044440001' })).body.msgKey;
  await until('it is submitted', () => sky.submitted.length === 1);
  await sky.receive({ attemptId: `${ended}-0-1`, reportCode: '10000' });
  await client.reportsOf(ended);
  const waiting = (await client.sms({ to: '01044440002' })).body.msgKey;
  await until('it is submitted', () => sky.submitted.length === 2);
  const reserved = await client.sms({ to: RESERVED_TO, resvSendTime: RESERVED_FOR });
  assert.equal(reserved.body.code, 'A000', reserved.text);
  return {
    waiting,
    ended,
    /** Nothing was ended, released or deleted, and the token is valid. */
    async assertUntouched() {
      assert.deepEqual(await client.inquire(waiting), [], 'its deadline has not passed');
      assert.ok(!sky.submitted.some(({ submission }) => submission.to === RESERVED_TO), 'it waits');
      assert.deepEqual(keysIn(await client.poll()), [ended]);
    },
  };
}

function keysIn({ body, text }: Answer): (string | undefined)[] {
  assert.equal(body.code, 'A000', text);
  return body.data.report.map(({ msgKey }: { msgKey: string }) => msgKey);
}

async function readiness(gateway: TestGateway): Promise<[number, string]> {
  const { status, body } = await gateway.request('GET', '/readyz');
  return [status, body.result];
}

/** Two nodes on one database. */
async function twoNodes(t: TestContext, wrongByMs: number) {
  const env = await freshStore(t, 'postgres');
  const network = await Network.open(t, { env });
  const { clock } = network.gateway;
  const wrong = new ManualClock(clock.now() + wrongByMs);
  const other = await testGateway(t, { ...env, BONGSU_CONFIG: configFile(Network.SKY_AND_SEA) }, wrong, {
    createCarrier: ({ name }) => new ScriptedCarrier(name),
    databaseTime: () => clock.now(),
  });
  return { network, other, env };
}

test('postgres: a node whose clock is days ahead ends, deletes and hides nothing', async t => {
  const { network, other } = await twoNodes(t, FAR);
  const { gateway, client } = network;
  const { waiting, assertUntouched } = await traffic(network);
  await pass(70, gateway, other);
  await assertUntouched();

  const [status, reason] = await readiness(other);
  assert.equal(status, 503);
  assert.match(reason, /the clock of this machine is 98 h ahead of the clock of the database/);
  assert.equal((await readiness(gateway))[0], 200);
  const { clock: health } = (await other.operator('GET', '/health')).body.data;
  assert.deepEqual([health.isTrusted, health.aheadMs], [false, FAR]);
  assert.match((await other.request('GET', '/metrics')).text, /^bongsu_clock_trusted 0$/m);

  const headers = bearer(client.token);
  const body = { from: '0212345678', to: '01044440004', text: 'by the other' };
  const sent = await other.request('POST', '/v1/send/sms', { headers, body });
  assert.equal(sent.body.code, 'A000', sent.text);
  await pass(20, gateway, other);
  const last = (await client.sms({ to: '01044440005' })).body.msgKey ?? '';
  const { store } = gateway.gateway;
  assert.ok((sent.body.msgKey ?? '~') < last && (sent.body.msgKey ?? '') > (waiting ?? '~'), 'by its time');
  await pass(20, gateway, other);
  const reached = await store.rollups.countedUntil();
  assert.ok(reached !== undefined && reached <= gateway.clock.now(), 'the sums are not ahead');
  const { messages } = (await gateway.operator('GET', '/messages?to=01044440005')).body.data;
  assert.equal(messages.length, 1, 'what is sent since is found');
});

test('postgres: a node whose clock was days ahead takes part again when it was right for a minute', async t => {
  const { network, other } = await twoNodes(t, FAR);
  await traffic(network);
  other.clock.setWallBy(-FAR);
  await pass(57, network.gateway, other);
  assert.equal((await readiness(other))[0], 503);
  await pass(6, network.gateway, other);
  assert.deepEqual(await readiness(other), [200, 'Success']);
});

test('postgres: where no node agrees with the database, its clock is wrong, and the nodes go on', async t => {
  const env = await freshStore(t, 'postgres');
  const nodes: TestGateway[] = [];
  for (const clock of [new ManualClock(), new ManualClock()]) {
    const databaseTime = () => clock.now() + FAR;
    nodes.push(await testGateway(t, env, clock, { databaseTime }));
  }
  for (const node of nodes) {
    await until('it knows that the other is no better', async () => {
      await pass(1, ...nodes);
      return (await readiness(node))[0] === 200;
    });
    assert.equal((await node.operator('GET', '/health')).body.data.clock.isTrusted, false);
  }
});

test('postgres: a node that starts with its clock behind leaves the sums of the day as they are', async t => {
  const { network, env } = await twoNodes(t, 0);
  const { gateway, client } = network;
  await client.sms();
  await pass(20, gateway);
  const { store } = gateway.gateway;
  const reached = await store.rollups.countedUntil();
  assert.ok(reached !== undefined);
  const late = new ManualClock(reached - 15 * SECOND);
  const third = await testGateway(t, env, late, { databaseTime: () => gateway.clock.now() });
  await pass(3, third);
  assert.equal(await store.rollups.countedUntil(), reached);
});

test('sqlite: a clock that is days ahead for 70 s ends, deletes and hides nothing', async t => {
  const network = await Network.open(t, { env: await freshStore(t, 'sqlite') });
  const { gateway, client } = network;
  const { assertUntouched } = await traffic(network);
  gateway.clock.setWallBy(FAR);
  await pass(70, gateway);
  const ahead = (await gateway.operator('GET', '/health')).body.data.clock;
  assert.match(ahead.detail, /^the clock was set ahead by 98 h$/);
  assert.equal((await readiness(gateway))[0], 200, 'there is no other node');
  const meanwhile = new Client(gateway, 'shop', await gateway.token('shop'));
  assert.equal((await meanwhile.sms({ to: '01044440004' })).body.code, 'A000');
  await pass(6, gateway);
  gateway.clock.setWallBy(-FAR);
  await pass(9, gateway);
  assert.equal((await client.sms({ to: '01044440005' })).body.code, 'A000', 'its token is valid');
  await pass(660, gateway);
  await assertUntouched();
  assert.equal((await gateway.operator('GET', '/health')).body.data.clock.isTrusted, true);
  for (const to of ['01044440004', '01044440005']) {
    const { messages } = (await gateway.operator('GET', `/messages?to=${to}`)).body.data;
    assert.equal(messages.length, 1, to);
  }
});

test('sqlite: a clock that stays where it was set is trusted in the end', async t => {
  const network = await Network.open(t, { env: await freshStore(t, 'sqlite') });
  const { gateway } = network;
  const { waiting } = await traffic(network);
  gateway.clock.setWallBy(FAR);
  await pass(540, gateway);
  assert.equal((await network.message(waiting)).state, 'submitted');
  await pass(120, gateway);
  assert.equal((await network.message(waiting)).state, 'expired');
});

test('sqlite: a laptop that was closed over a deadline ends the message when it wakes up', async t => {
  const network = await Network.open(t, { env: await freshStore(t, 'sqlite') });
  const { gateway } = network;
  const { waiting } = await traffic(network);
  gateway.clock.sleep(26 * HOUR);
  await pass(3, gateway);
  assert.equal((await network.message(waiting)).state, 'expired');
});

test('sqlite: a start with a clock that is days ahead of all messages waits before it deletes', async t => {
  const env = await freshStore(t, 'sqlite');
  const network = await Network.open(t, { env });
  const { ended } = await traffic(network);
  await pass(20, network.gateway);
  await network.gateway.close();
  const clock = new ManualClock(network.gateway.clock.now() + FAR);
  const later = await testGateway(t, { ...env, BONGSU_CONFIG: configFile(Network.SKY_AND_SEA) }, clock, {
    createCarrier: ({ name }) => new ScriptedCarrier(name),
  });
  await pass(70, later);
  clock.setWallBy(-FAR);
  const client = new Client(later, 'shop', await later.token('shop'));
  assert.deepEqual(keysIn(await client.poll()), [ended]);
});
