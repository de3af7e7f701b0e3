/** Nodes with different configurations on one PostgreSQL: what one cannot serve is left to the one that can. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { LiveNode } from '../../src/store/store.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { Network } from '../harness/network.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const WITH_Z = `
carriers:
  z: { kind: simulator }
routes:
  - { channel: sms, via: [z] }
`;
const WITHOUT_Z = `
carriers:
  y: { kind: simulator }
routes:
  - { channel: international, via: [y] }
`;

/** Node A runs z, node B does not; z is full, so its backlog stays in the queue. */
async function rollingChange(t: TestContext, mode: string) {
  const env = { ...(await freshStore(t, 'postgres')), BONGSU_MODE: mode };
  const z = new ScriptedCarrier('z', { window: 1 });
  const a = await Network.open(t, { file: WITH_Z, env, carriers: [z] });
  const b = await Network.open(t, { file: WITHOUT_Z, env, carriers: [new ScriptedCarrier('y')] });
  const keys: string[] = [];
  for (let count = 0; count < 10; count++) {
    keys.push(String((await a.client.sms({ to: `010222200${count}0` })).body.msgKey));
  }
  const first = await until('z has its first', () => z.submitted[0]?.submission.attemptId);
  return { a, b, z, keys, backlog: keys.filter(key => !first.startsWith(key)) };
}

async function bothPass(seconds: number, ...nodes: readonly Network[]): Promise<void> {
  for (let second = 0; second < seconds; second++) for (const node of nodes) await node.pass(1);
}

for (const mode of ['production', 'sandbox']) {
  test(`${mode}: a node leaves the backlog of a carrier that it lacks to the node that runs it`, async t => {
    const { a, b, z, keys } = await rollingChange(t, mode);
    await bothPass(90, a, b);
    for (const key of keys) assert.deepEqual(await b.client.inquire(key), []);
    // The carrier takes its time, and takes all.
    z.reply = accept;
    z.submitted[0]?.answer(accept(z.submitted[0].submission));
    await a.inTime('z has all', () => z.submitted.length === keys.length);
    assert.equal(new Set(z.submitted.map(({ submission }) => submission.to)).size, keys.length);
  });

  test(`${mode}: when no living node runs the carrier, its backlog is refused after a grace time`, async t => {
    const { a, b, z, backlog } = await rollingChange(t, mode);
    await a.gateway.close();
    await b.pass(30);
    assert.deepEqual(await b.client.inquire(backlog[0]), [], 'a node may be restarting');
    for (const key of backlog) assert.deepEqual(await b.codes(key), ['23015']);
    assert.equal(z.submitted.length, 1);
  });
}

test('a node that dies is named in the log of the others, with what it held, and so is its return', async t => {
  const env = { ...(await freshStore(t, 'postgres')), BONGSU_CONFIG: configFile(WITH_Z) };
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('warn', { write: text => void lines.push(JSON.parse(text)) });
  const open = (name: string, parts = {}) =>
    testGateway(t, { ...env, BONGSU_NODE_NAME: name }, new ManualClock(), {
      createCarrier: ({ name: carrier }) => new ScriptedCarrier(carrier),
      ...parts,
    });
  const a = await open('a', { log });
  const b = await open('b');
  const isSaid = (event: string) =>
    until(event, () => {
      a.clock.advance(1000);
      return lines.find(line => line.event === event);
    });
  await (await b.account('shop')).sms();
  const { nodes, queue } = a.gateway.store;
  await until('b submits it', async () => (await queue.depth()).claimed === 1);
  const { list } = nodes;
  let its: LiveNode | undefined;
  nodes.list = async () => {
    const found = await list();
    its = found.find(({ profile }) => profile.name === 'b');
    return found;
  };
  const living = await until('a has heard of b', () => {
    a.clock.advance(1000);
    return its;
  });
  await nodes.heartbeat(living.node, 0, living.profile);
  assert.equal((await isSaid('nodeGone')).name, 'b');
  const { from, steps, unknown } = await isSaid('takenOver');
  assert.deepEqual({ from, steps, unknown }, { from: 'b', steps: 1, unknown: { z: 1 } });
  const metrics = (await a.gateway.http.inject({ method: 'GET', url: '/metrics' })).body;
  assert.match(metrics, /^bongsu_steps_taken_over_total\{carrier="z",outcome="unknown"\} 1$/m);
  await open('b');
  assert.equal((await isSaid('nodeBack')).name, 'b');
});

test('a gateway in sandbox mode and one in production never share a store', async t => {
  const env = await freshStore(t, 'postgres');
  await testGateway(t, { ...env, BONGSU_MODE: 'production' }, new ManualClock());
  await assert.rejects(
    testGateway(t, { ...env, BONGSU_MODE: 'sandbox' }, new ManualClock()),
    /belongs to a gateway in production mode/,
  );
});

test('a carrier that is down on one node and up on another keeps its messages, until it is down on both', async t => {
  const env = { ...(await freshStore(t, 'postgres')), BONGSU_MODE: 'production' };
  const carriers = () => [new ScriptedCarrier('sky', { window: 5 }), new ScriptedCarrier('sea')];
  const a = await Network.open(t, { env, carriers: carriers() });
  const b = await Network.open(t, { env, carriers: carriers() });
  for (const node of [a, b]) node.carrier('sea').reply = accept;
  b.carrier('sky').become('down');
  await bothPass(10, a, b);
  for (let count = 0; count < 20; count++) {
    for (const node of [a, b]) await node.client.sms({ to: `010222200${10 + count}` });
  }
  const sentBy = (name: string) => [a, b].map(node => node.carrier(name).submitted.length);
  await until('a has its window full', () => a.carrier('sky').submitted.length === 5);
  await bothPass(20, a, b);
  assert.deepEqual(
    [sentBy('sky'), sentBy('sea')],
    [
      [5, 0],
      [0, 0],
    ],
  );
  a.carrier('sky').reply = accept;
  for (const { submission, answer } of a.carrier('sky').submitted.slice(0, 5)) answer(accept(submission));
  await until('all of them go by a', async () => {
    await bothPass(1, a, b);
    return sentBy('sky')[0] === 40;
  });
  a.carrier('sky').become('down');
  await bothPass(10, a, b);
  await b.client.sms();
  await until('the next goes by the other carrier', async () => {
    await bothPass(1, a, b);
    return (sentBy('sea')[0] ?? 0) + (sentBy('sea')[1] ?? 0) === 1;
  });
});

test('a step that one node cannot route goes on by the other', async t => {
  const env = { ...(await freshStore(t, 'postgres')), BONGSU_MODE: 'production' };
  const z = new ScriptedCarrier('z');
  z.reply = accept;
  const a = await Network.open(t, { file: WITH_Z, env, carriers: [z] });
  const b = await Network.open(t, { file: WITHOUT_Z, env, carriers: [new ScriptedCarrier('y')] });
  const { msgKey } = (await a.client.sms()).body;
  await until('it is with the carrier', () => z.submitted.length === 1);
  // As node B would have enqueued a later step.
  const [live] = z.submitted;
  assert.ok(live && msgKey);
  await b.store.queue.settle(
    [{ kind: 'step', msgKey: msgKey as never, step: 0, attempt: 1, event: { name: 'lost' } }],
    step => ({
      kind: 'moved',
      live: { ...step, state: 'queued', attempt: 0, carrier: '' },
      dueAt: 0,
      history: undefined,
    }),
  );
  await b.pass(3);
  await a.inTime('it goes on', () => z.submitted.length === 2);
});
