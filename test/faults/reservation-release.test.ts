/** What must not hold up the release of reservations: a node without the route, a full carrier, sums that cannot be written. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { sms } from '../harness/flows.ts';
import { type Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { failNext } from '../harness/network.ts';
import { configFile } from '../harness/scratch.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const HOUR = 3_600_000;
const SEA = '  - { channel: sms, prefix: ["0109"], via: [sea] }\n';
const SKY = '  - { channel: sms, via: [sky] }\n';
const network = (...routes: string[]) =>
  `carriers:\n  sky: { kind: simulator }\n  sea: { kind: simulator }\nroutes:\n${routes.join('')}`;

async function opened(t: TestContext) {
  const carriers = [new ScriptedCarrier('sky'), new ScriptedCarrier('sea')];
  const path = configFile(network(SEA, SKY));
  const env = { BONGSU_CONFIG: path, BONGSU_MODE: 'production', BONGSU_ADMIN_TOKEN: 'x'.repeat(24) };
  const { gateway, client } = await testAccount(t, {
    settings: { recipientLimit: 1000 },
    env,
    createCarrier: ({ name }) => carriers.find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
  });
  const reload = (...routes: string[]) => {
    writeFileSync(path, network(...routes));
    return gateway.gateway.reload(loadConfig(env, CHANNELS));
  };
  const sent = (name: string) =>
    carriers.find(carrier => carrier.name === name)?.submitted.map(({ submission }) => submission.to) ?? [];
  return { gateway, client, reload, sent, carriers };
}

async function reserve(gateway: TestGateway, client: Client, numbers: readonly string[]): Promise<string> {
  const at = new Date(gateway.clock.now() + HOUR).toISOString();
  const destinations = numbers.map(to => ({ to }));
  const body = { resvSendTime: at, messageFlow: [sms()], destinations };
  const answer = await client.call('POST', '/v1/reservation', body);
  assert.equal(answer.body.code, 'A000', answer.text);
  return String(answer.body.data.destinations[0].msgKey);
}

function inTime<T>(gateway: TestGateway, what: string, isSo: () => T | Promise<T>, stepMs = 250) {
  return until(what, async () => {
    gateway.clock.advance(stepMs);
    return isSo();
  });
}

test('a reservation that a node without its route releases waits for a node that has it', async t => {
  const { gateway, client, reload, sent } = await opened(t);
  const msgKey = await reserve(gateway, client, ['01012345678']);
  const single = await client.sms({ resvSendTime: new Date(gateway.clock.now() + HOUR).toISOString() });
  await reload(SEA);
  gateway.clock.advance(HOUR);
  for (const key of [msgKey, single.body.msgKey]) {
    const stateOf = async () => (await client.call('GET', `/v1/message/${key}`)).body.data.state;
    await inTime(gateway, 'it is released', async () => (await stateOf()) !== 'reserved');
    assert.equal(await stateOf(), 'queued');
  }
  const releasedAt = gateway.clock.now();
  await inTime(gateway, 'half a minute has passed', () => gateway.clock.now() > releasedAt + 30_000, 1000);
  assert.deepEqual(await client.inquire(msgKey), []);
  await reload(SEA, SKY);
  await inTime(gateway, 'both are sent', () => sent('sky').length === 2);
});

test('a reservation whose route nobody has for a minute is refused', async t => {
  const { gateway, client, reload } = await opened(t);
  const msgKey = await reserve(gateway, client, ['01012345678']);
  await reload(SEA);
  gateway.clock.advance(HOUR);
  const [record] = await inTime(gateway, 'it is refused', async () => {
    const records = await client.inquire(msgKey);
    return records.length > 0 && records;
  });
  assert.equal(record?.reportCode, '23015');
});

test('a carrier with a full queue does not delay reservations for another carrier', async t => {
  const { gateway, client, sent, carriers } = await opened(t);
  carriers[0]?.become('down');
  const numbers = Array.from({ length: 1000 }, (_, index) => `0101${String(index).padStart(7, '0')}`);
  // One after the other: those of one moment are looked at in the order of their random keys.
  for (let count = 0; count < 3; count++) await reserve(gateway, client, numbers);
  gateway.clock.advance(1000);
  // So many that the first of an account, which are always looked at, all wait for the same carrier.
  for (let count = 0; count < 24; count++) await reserve(gateway, client, ['01012345678']);
  gateway.clock.advance(1000);
  await reserve(gateway, client, ['01099998888']);
  gateway.clock.advance(HOUR);
  await inTime(gateway, 'the other is sent', () => sent('sea').includes('01099998888'));
});

test('reservations are sent although their sums cannot be written', async t => {
  const { gateway, client, sent } = await opened(t);
  await reserve(gateway, client, ['01012345678']);
  const failures = failNext(
    gateway.gateway.store.reservations,
    'count',
    Array.from({ length: 5 }, () => 'before' as const),
  );
  gateway.clock.advance(HOUR);
  await inTime(gateway, 'it is sent', () => sent('sky').length > 0);
  assert.ok(failures.left > 0, 'before they could be written again');
});
