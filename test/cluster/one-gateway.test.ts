/**
 * Two nodes on one PostgreSQL are one gateway: one limit, one pace, one poller, one live stream. In real time, because leases
 * go by the clock of the database; what is asserted holds however slow the machine is.
 */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createCarrier } from '../../src/carriers/create-carrier.ts';
import { openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { ManualClock, systemClock } from '../../src/platform/clock.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { json, type ProviderServer, startProvider } from '../carriers/http/provider-server.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { Client, TestGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const RATE = 20;
const SEND_RATE = 5;

interface Node {
  readonly gateway: TestGateway;
  readonly sky: ScriptedCarrier;
}

/** A node of its own name at the provider: that is a difference between the nodes, too. */
async function startNode(
  t: TestContext,
  store: Readonly<Record<string, string>>,
  name: string,
  provider: ProviderServer,
): Promise<Node> {
  const file = configFile(
    `carriers:
  sky: { kind: simulator }
  hub:
    kind: http
    allowPrivate: true
    submit: { url: "${provider.url}/send", json: { to: "{{to}}", text: "{{text}}" } }
    channels: { rcs: {} }
    outcomes: [{ status: 200, result: accepted }]
    receipt: { id: /id, status: /status, statuses: { OK: delivered, "*": failed } }
    polling: { url: "${provider.url}/receipts/${name}", interval: 1s, idleInterval: 1s, list: /receipts }
routes:
  - { channel: sms, via: [sky] }
`,
  );
  const settings = {
    ...store,
    BONGSU_CONFIG: file,
    BONGSU_NODE_NAME: name,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_LOG: 'silent',
    BONGSU_SIMULATOR_LATENCY: '0',
  };
  const sky = new ScriptedCarrier('sky', { rate: RATE, window: 1000 });
  sky.reply = ({ attemptId }) => ({ kind: 'accepted', refs: [attemptId] });
  const deps = {
    clock: systemClock,
    random: systemRandomness(),
    simulatorLatency: { minMs: 0, maxMs: 0 },
    formatTime: zonedTimeFormatter('UTC'),
    publicUrl: undefined,
    readFile: async () => undefined,
    objects: () => [],
  };
  const config = loadConfig(settings, CHANNELS);
  const gateway = await openGateway(config, {
    createCarrier: carrier => (carrier.name === 'sky' ? sky : createCarrier(carrier, deps)),
  });
  await gateway.start();
  t.after(() => gateway.close());
  return { gateway: new TestGateway(gateway, new ManualClock(), config.dataDir), sky };
}

test('two nodes are one gateway', async t => {
  const store = await freshStore(t, 'postgres');
  const provider = await startProvider(t, (_request, response) => json(response, 200, { receipts: [] }));
  const one = await startNode(t, store, 'one', provider);
  const drained = 'one';
  // What is left of the second from before it was started again.
  await die(one, 'two');
  const two = await startNode(t, store, 'two', provider);
  const both = [one, two];
  const sent = () => both.reduce((sum, { sky }) => sum + sky.submitted.length, 0);
  const clientOn = ({ gateway }: Node, { id, token }: Client) => new Client(gateway, id, token);

  let accepted = 0;
  await t.test('one limit', async () => {
    const made = await one.gateway.account('limited', { sendRate: SEND_RATE });
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => clientOn(index % 2 ? one : two, made).sms()),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    accepted = answers.filter(({ body }) => body.code === 'A000').length;
    assert.ok(answers.every(({ body }) => ['A000', 'A020'].includes(body.code)));
    assert.ok(accepted >= SEND_RATE, `${accepted} were accepted`);
    const most = SEND_RATE + Math.floor(SEND_RATE * seconds);
    assert.ok(accepted <= most, `${accepted} were accepted in ${seconds} s`);
  });

  await t.test('one pace', async () => {
    const client = await one.gateway.account('shop');
    await until('what was sent before is gone', () => sent() === accepted);
    const before = sent();
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => clientOn(index % 2 ? one : two, client).sms()),
    );
    await until('all are sent', () => {
      const seconds = (performance.now() - startedAt) / 1000;
      // A twentieth of a second's worth on each node, and at least one, may be sent at once.
      const most = RATE * seconds + 2 * Math.max(1, RATE / 20) + 2;
      assert.ok(sent() - before <= most, `${sent() - before} were sent in ${seconds} s`);
      return sent() - before === 60;
    });
    t.diagnostic(`sent by each node: ${both.map(({ sky }) => sky.submitted.length).join(', ')}`);
  });
  await t.test(
    'one poller; another takes over from a node that is drained; differences are shown',
    async () => {
      const polledBy = (name: string) => provider.at(`/receipts/${name}`).length;
      await until('somebody polls', () => polledBy('one') + polledBy('two') >= 3);
      assert.deepEqual([polledBy('two'), polledBy('one') > 0], [0, true], 'the first has it');

      const { data } = (await two.gateway.operator('GET', '/nodes')).body;
      assert.equal(data.nodes.length, 2);
      assert.deepEqual(
        data.drift.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
        [['carrier', 'hub']],
      );
      for (const node of data.nodes) {
        assert.equal(node.state, 'running');
        assert.ok(Math.abs(node.clockSkewMs) < 60_000 && node.version !== null, JSON.stringify(node));
      }
      assert.equal((await two.gateway.operator('POST', `/nodes/${drained}/drain`)).body.code, 'A000');
      await until('the other polls', () => polledBy('two') > 0);
      await until('the first is not ready', async () => {
        const { status } = await one.gateway.request('GET', '/readyz');
        return status === 503;
      });
      assert.equal((await two.gateway.request('GET', '/readyz')).status, 200);
      await until('it is drained', async () => {
        const { nodes } = (await two.gateway.operator('GET', '/nodes')).body.data;
        return nodes.find(({ node }: { node: string }) => node === drained).state === 'drained';
      });
      assert.equal((await two.gateway.operator('POST', `/nodes/${drained}/resume`)).body.code, 'A000');
      await until('it is ready', async () => (await one.gateway.request('GET', '/readyz')).status === 200);
    },
  );

  await t.test('one operator lets every node try a carrier again', async () => {
    assert.equal((await one.gateway.operator('POST', '/carriers/sky/reconnect')).body.code, 'A000');
    await until('both try', () => both.every(({ sky }) => sky.reconnects === 1));
  });

  await t.test('one live stream', async () => {
    const url = await two.gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
    const abort = new AbortController();
    t.after(() => abort.abort());
    const response = await fetch(`${url}/admin/v1/events`, {
      headers: bearer(ADMIN_TOKEN),
      signal: abort.signal,
    });
    let text = '';
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
    };
    // Ends with the connection.
    read().catch(() => {});
    const client = await one.gateway.account('watched');
    // The other node learns with its next heartbeat that somebody watches.
    await until('an event of the other node is shown', async () => {
      await client.sms();
      return /"account":"watched","to":"01012345678","channel":"sms","event":"accepted"/.test(text);
    });
    await until('its figures are counted', () => /"acceptedPerSecond":[1-9]/.test(text));
    abort.abort();
  });

  await t.test('a node that died is gone, and its carriers too, until it is forgotten or back', async () => {
    await die(one, 'ghost');
    const nodes = async () => stateOf((await one.gateway.operator('GET', '/nodes')).body.data.nodes);
    const carriers = async () => stateOf((await one.gateway.operator('GET', '/carriers')).body.data.carriers);
    assert.deepEqual(await nodes(), ['ghost gone', 'one running', 'two running']);
    assert.deepEqual(new Set(await carriers()), new Set(['ghost gone', 'one up', 'two up']));

    assert.match((await one.gateway.operator('POST', '/nodes/two/forget')).body.result, /is alive/);
    assert.equal((await one.gateway.operator('POST', '/nodes/ghost/forget')).body.data.node, 'ghost');
    assert.equal((await one.gateway.operator('POST', '/nodes/ghost/forget')).status, 404);
    const [entry] = (await one.gateway.operator('GET', '/audit')).body.data.entries;
    assert.deepEqual([entry.action, entry.target], ['node.forget', 'ghost']);
    await two.gateway.gateway.close();
    assert.deepEqual(await nodes(), ['one running']);
    assert.deepEqual(new Set(await carriers()), new Set(['one up']));
  });
});

/** Leaves in the store what a node leaves that is killed: a lease that has ended, and carriers that were up. */
async function die(like: Node, name: string): Promise<void> {
  const { store } = like.gateway.gateway;
  const [living] = await store.nodes.list();
  const { profile } = living ?? assert.fail();
  await store.nodes.heartbeat(`id of ${name}`, 0, { ...profile, name });
  const up = profile.carriers.map(carrier => ({ carrier: carrier.name, report: '{"state":"up"}' }));
  await store.carriers.publish(`id of ${name}`, up, Date.now());
}

function stateOf(lines: readonly { readonly node: string; readonly state: string }[]): string[] {
  return lines.map(({ node, state }) => `${node} ${state}`);
}
