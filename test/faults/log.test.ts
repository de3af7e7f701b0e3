/** What the log says of trouble and of its end: pairs of lines, each with the node and what it meant for messages. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createLogger } from '../../src/platform/logger.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { testAccount } from '../harness/gateway.ts';
import { acknowledge, answerWith, startReceiver } from '../harness/receiver.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier, turnAway } from '../harness/scripted-carrier.ts';
import { pass } from '../harness/settled.ts';
import { DELIVERED_REPLY, Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

interface Line {
  readonly level: number;
  readonly node: string;
  readonly event: string;
  readonly notice?: string;
  readonly [member: string]: unknown;
}

const WARN = 40;
const ERROR = 50;

function loggedLines() {
  const lines: Line[] = [];
  const log = createLogger('info', {
    write(text) {
      lines.push(JSON.parse(text));
    },
  });
  // The PostgreSQL of the tests does not wait for its disk, and says so.
  const loud = () => lines.filter(({ level, event }) => level >= WARN && event !== 'notDurable');
  return { log, lines, loud, named: (name: string) => lines.filter(line => nameOf(line) === name) };
}

const nameOf = ({ event, notice }: Line) => notice ?? event;

async function withCarrier(t: TestContext) {
  const logged = loggedLines();
  const carrier = new ScriptedCarrier('sky');
  carrier.reply = accept;
  const path = configFile('carriers: { sky: { kind: simulator } }\nroutes: [{ channel: sms, via: [sky] }]\n');
  const env = { BONGSU_CONFIG: path, BONGSU_NODE_NAME: 'night-1' };
  const opened = await testAccount(t, { env, createCarrier: () => carrier, log: logged.log });
  return { ...logged, carrier, ...opened };
}

test('a store that goes and comes back makes two lines, with counts in the second', async t => {
  const { gateway, client, named, loud } = await withCarrier(t);
  const { store } = gateway.gateway;
  const away = async () => {
    throw new StoreFault('didNotHappen', 'the database cannot be reached: ECONNREFUSED');
  };
  const mocks = [
    t.mock.method(store, 'ping', away),
    t.mock.method(store.nodes, 'heartbeat', away),
    t.mock.method(store.carriers, 'paused', away),
    t.mock.method(store.queue, 'claim', away),
    t.mock.method(store.messages, 'accept', away),
  ];
  await until('it is noticed', async () => {
    await pass(1, gateway);
    return named('storeAway').length > 0;
  });
  await pass(20, gateway);
  await client.sms();
  assert.deepEqual(
    loud().map(({ event, level }) => [event, level]),
    [['storeAway', ERROR]],
  );
  const [gone] = named('storeAway');
  assert.match(String(gone?.reason), /cannot be reached: ECONNREFUSED/);
  for (const mock of mocks) mock.mock.restore();
  const back = await until('it is back', async () => {
    await pass(1, gateway);
    return named('storeBack')[0];
  });
  assert.equal(back.level, WARN);
  assert.equal(back.node, gone?.node);
  assert.ok(Number(back.awayMs) >= 19_000, JSON.stringify(back));
  const failed = back.failed as Record<string, number>;
  assert.ok((failed['paused carriers'] ?? 0) >= 10 && (failed.http ?? 0) >= 1, JSON.stringify(failed));
  assert.equal(loud().length, 2);
});

test('a carrier that rests and recovers makes a pair of lines, and so does one that is paused', async t => {
  const { gateway, client, carrier, named } = await withCarrier(t);
  carrier.reply = turnAway;
  for (let count = 0; count < 6; count++) await client.sms();
  const resting = await until('it rests', async () => {
    await pass(1, gateway);
    return named('resting')[0];
  });
  carrier.reply = accept;
  const recovered = await until('it recovers', async () => {
    await pass(1, gateway);
    return named('recovered')[0];
  });
  assert.deepEqual([resting.level, resting.carrier], [WARN, 'sky']);
  assert.deepEqual([recovered.level, recovered.carrier, recovered.node], [WARN, 'sky', resting.node]);
  await gateway.operator('POST', '/carriers/sky/pause');
  await gateway.operator('POST', '/carriers/sky/resume');
  assert.deepEqual([named('paused')[0]?.level, named('resumed')[0]?.level], [WARN, WARN]);
});

test('a receiver of webhooks that keeps failing and recovers makes a pair of lines', async t => {
  const { log, named } = loggedLines();
  const receiver = await startReceiver(t, answerWith(503));
  const { gateway, client } = await testAccount(t, {
    settings: { reportMode: 'webhook', webhookUrl: receiver.url },
    env: { BONGSU_WEBHOOK_PRIVATE: 'allow' },
    log,
  });
  for (let count = 0; count < 6; count++) await client.sms();
  const seen = (event: string) =>
    until(event, async () => {
      await pass(1, gateway);
      return named(event)[0];
    });
  const fails = await seen('webhookFails');
  receiver.respond = acknowledge;
  const recovered = await seen('webhookRecovered');
  assert.deepEqual([fails.level, fails.account, fails.error], [WARN, 'shop', 'HTTP 503; expected 200']);
  assert.deepEqual([recovered.level, recovered.account], [WARN, 'shop']);
  assert.equal(named('webhookFails').length, 1);
});

test('a link that is lost and bound again makes a pair of lines, the first with the messages in doubt', async t => {
  const logged = loggedLines();
  const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
  const path = configFile(`
carriers:
  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }
routes:
  - { channel: sms, via: [sky] }
`);
  t.after(() => smsc.close());
  const settings = { BONGSU_CONFIG: path, BONGSU_NODE_NAME: 'night-1' };
  const { gateway, client } = await testAccount(t, { env: settings, log: logged.log });
  await until('it is bound', () => smsc.binds.length === 1);
  for (let count = 0; count < 3; count++) await client.sms();
  await until('they are submitted', () => smsc.submits.length === 3);
  smsc.behaviour = { submit: () => DELIVERED_REPLY };
  smsc.sessions[0]?.drop();
  const lost = await until('it is lost', () => logged.named('linkLost')[0]);
  const bound = await until('it is bound again', async () => {
    await pass(1, gateway);
    return logged.named('boundAgain')[0];
  });
  const about = { carrier: 'sky', bind: 'bindTransceiver', node: lost.node, level: WARN };
  assert.deepEqual({ ...lost, ...about, unanswered: 3 }, lost);
  assert.deepEqual({ ...bound, ...about }, bound);
  assert.ok(Number(bound.awayMs) >= 1000, JSON.stringify(bound));
});

test('a node that is drained says so, and when it has ended and sends again', async t => {
  const { gateway, client, carrier, named } = await withCarrier(t);
  carrier.reply = undefined;
  await client.sms();
  await until('it is submitted', () => carrier.submitted.length === 1);
  const { operator } = gateway;
  const { nodes } = (await operator('GET', '/nodes')).body.data;
  const [name] = nodes.map(({ node }: { node: string }) => node);
  const seen = (event: string) =>
    until(event, async () => {
      await pass(1, gateway);
      return named(event)[0];
    });
  await operator('POST', `/nodes/${name}/drain`);
  assert.deepEqual([(await seen('draining')).inFlight, named('drained')], [1, []]);
  const [pending] = carrier.submitted;
  assert.ok(pending);
  carrier.takePartly(pending, { taken: 1, throttled: 0 });
  await pass(3, gateway);
  assert.deepEqual(named('drained'), []);
  pending.answer({ kind: 'accepted', refs: ['1'] });
  assert.deepEqual([(await seen('drained')).node, named('drained').length], [name, 1]);
  await operator('POST', `/nodes/${name}/resume`);
  assert.equal((await seen('sendsAgain')).level, WARN);
});

test('the first line says which node, build and configuration it is', async t => {
  const { gateway, lines, named } = await withCarrier(t);
  await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const [started] = named('started');
  assert.equal(started?.node, 'night-1');
  assert.match(String(started?.version), /^\d+\.\d+\.\d+/);
  assert.match(String(started?.configuration), /^[\w-]{8}$/);
  assert.equal(started?.mode, 'sandbox');
  assert.match(String(started?.carriers), /\bsky\b/);
  assert.ok(lines.every(({ node }) => node === started?.node));
});
