import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { type TestGateway, testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier, turnAway } from '../harness/scripted-carrier.ts';
import { pass, settled } from '../harness/settled.ts';
import { until } from '../harness/until.ts';

const TWO_CARRIERS = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: sms, via: [sky, sea] }
`;

/** A gateway whose carriers the test plays. */
async function networked(
  t: TestContext,
  { file = TWO_CARRIERS, carriers = [new ScriptedCarrier('sky'), new ScriptedCarrier('sea')] } = {},
) {
  const path = configFile(file);
  const { gateway, client } = await testAccount(t, {
    env: { BONGSU_CONFIG: path },
    createCarrier: ({ name }) => carriers.find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
  });
  const [sky = new ScriptedCarrier('sky'), sea = new ScriptedCarrier('sea')] = carriers;
  return { gateway, client, sky, sea, path };
}

const recipients = (carrier: ScriptedCarrier) => carrier.submitted.map(({ submission }) => submission.to);

/** Turns the clock until something is so. */
function inTime<T>(gateway: TestGateway, what: string, isSo: () => T | Promise<T>) {
  return until(what, async () => {
    gateway.clock.advance(100);
    return isSo();
  });
}

test('the reason for the carrier is kept on the message', async t => {
  const { gateway, sky, client } = await networked(t);
  sky.reply = accept;
  const { msgKey } = (await client.sms()).body;
  await until('it is with the carrier', async () => (await gateway.message(msgKey)).state === 'submitted');
  const [first] = (await gateway.message(msgKey)).timeline;
  assert.deepEqual([first.event, first.carrier, first.why], ['routed', 'sky', 'routes[0]']);
});

test('what a carrier said of a refusal is kept on the message, for now and for good', async t => {
  const { gateway, sky, client } = await networked(t);
  sky.reply = ({ attempt }) => {
    const kind = attempt === 1 ? 'temporary' : 'permanent';
    return { kind, reportCode: '23011', detail: `refusal ${attempt}` };
  };
  const { msgKey } = (await client.sms()).body;
  const timeline = async () => (await gateway.message(msgKey)).timeline;
  await inTime(gateway, 'it has failed', async () => (await gateway.message(msgKey)).state === 'failed');
  assert.deepEqual(
    (await timeline()).slice(1).map(({ event, why }: { event: string; why: string }) => [event, why]),
    [
      ['deferred', 'refusal 1'],
      ['refused', 'refusal 2'],
    ],
  );
});

test('while a carrier is down the next of the route serves, and the reason is told', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sea.reply = accept;
  sky.become('down');
  const waiting = (await client.sms({ to: '01011110001' })).body.msgKey;
  await inTime(gateway, 'what waited for it goes another way', () => recipients(sea).includes('01011110001'));
  const events = (await gateway.message(waiting)).timeline.map(({ event }: { event: string }) => event);
  assert.deepEqual(events.slice(0, 2), ['routed', 'rerouted']);
  const { msgKey } = (await client.sms({ to: '01011110002' })).body;
  await until('new ones go there at once', () => recipients(sea).includes('01011110002'));
  const [first] = (await gateway.message(msgKey)).timeline;
  assert.equal(first.why, 'routes[0]; sky is not available');
  assert.deepEqual(recipients(sky), []);
});

test('when no carrier of the route is up, messages wait and go out when one comes back', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sky.reply = accept;
  sky.become('down');
  sea.become('down');
  gateway.clock.advance(10_000);
  const { msgKey } = (await client.sms()).body;
  gateway.clock.advance(600_000);
  await settled();
  assert.equal((await gateway.message(msgKey)).state, 'queued');
  sky.become('up');
  await inTime(gateway, 'it goes out', () => sky.submitted.length === 1);
  assert.equal(sky.submitted[0]?.submission.attempt, 1);
});

test('a carrier that refuses for its own reasons loses its traffic, and no attempt is counted', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sky.reply = turnAway;
  sea.reply = accept;
  for (let number = 0; number < 10; number++) await client.sms({ to: `0101111000${number}` });
  await inTime(gateway, 'the other carrier has them all', () => sea.submitted.length === 10);
  assert.deepEqual(
    sea.submitted.map(({ submission }) => submission.attempt),
    Array(10).fill(1),
  );
});

test('a link that is asked to slow down keeps its messages and sends them later', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sky.reply = () => {
    sky.become('slowed');
    return { kind: 'temporary', reportCode: '22007', isCarriersFault: true, retryAfterMs: 2000 };
  };
  const { msgKey } = (await client.sms()).body;
  await until('it was turned away', () => sky.submitted.length === 1);
  await until('it is back in the queue', async () => (await gateway.message(msgKey)).state === 'queued');
  sky.reply = accept;
  sky.become('up');
  gateway.clock.advance(1900);
  assert.equal(sky.submitted.length, 1);
  await inTime(gateway, 'it is sent again', () => sky.submitted.length === 2);
  assert.deepEqual(recipients(sea), []);
});

test('what may have been sent is never sent by another carrier', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sky.reply = () => ({ kind: 'unknown' });
  const { msgKey } = (await client.sms()).body;
  await until('nobody knows', async () => (await gateway.message(msgKey)).state === 'unknown');
  sky.become('down');
  gateway.clock.advance(3_600_000);
  assert.deepEqual(recipients(sea), []);
  assert.equal(sky.submitted.length, 1);
});

test('a paused carrier gets nothing until it is resumed', async t => {
  const { gateway, sky, sea, client } = await networked(t);
  sky.reply = accept;
  sea.reply = accept;
  assert.equal((await gateway.operator('POST', '/carriers/sky/pause')).status, 200);
  await client.sms({ to: '01011110001' });
  await until('the other serves', () => recipients(sea).length === 1);
  const { carriers } = (await inTime(gateway, 'it is told', async () => {
    const { data } = (await gateway.operator('GET', '/carriers')).body;
    return data.carriers.some(({ since }: { since: string | null }) => since !== null) && data;
  })) as { carriers: { name: string; paused: boolean }[] };
  assert.deepEqual(
    carriers.map(({ name, paused }) => [name, paused]),
    [
      ['sea', false],
      ['simulator', false],
      ['sky', true],
    ],
  );
  await gateway.operator('POST', '/carriers/sky/resume');
  await client.sms({ to: '01011110002' });
  await until('it serves again', () => recipients(sky).length === 1);
  assert.equal((await gateway.operator('POST', '/carriers/fog/pause')).status, 404);
});

test('a carrier can be asked for a sign of life', async t => {
  const { gateway, sky } = await networked(t);
  assert.deepEqual((await gateway.operator('POST', '/carriers/sky/test')).body.data, {
    isOk: true,
    detail: 'scripted, up',
  });
  sky.become('down');
  assert.equal((await gateway.operator('POST', '/carriers/sky/test')).body.data.isOk, false);
});

test('explains which way a message would go', async t => {
  const { gateway } = await networked(t, {
    file: `${TWO_CARRIERS}  - { channel: international, prefix: ["+1"], account: [bank], via: [sea] }\n`,
  });
  const explain = async (query: string) => (await gateway.operator('GET', `/routes/explain?${query}`)).body;
  assert.deepEqual((await explain('channel=international&to=%2B14155550123&account=bank')).data, {
    carrier: 'sea',
    why: 'routes[1]',
    considered: [
      { route: 0, matches: false, why: 'serves sms' },
      { route: 1, matches: true, why: 'matches; via sea' },
    ],
  });
  const { data } = await explain('channel=international&to=%2B14155550123&account=shop');
  assert.deepEqual([data.carrier, data.why], ['simulator', 'no route matches; simulator serves the rest']);
  assert.match((await explain('channel=fax&to=1')).result, /^"channel" must be "sms", /);
  assert.match((await explain('channel=sms&to=x')).result, /^"to" must be digits/);
});

test('a lane sends no more parts a second than its carrier takes', async t => {
  const sky = new ScriptedCarrier('sky', { rate: 20 });
  sky.reply = accept;
  sky.parts = 2;
  const { gateway, client } = await networked(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  for (let number = 0; number < 30; number++)
    await client.sms({ to: `010111100${String(number).padStart(2, '0')}` });
  await until('the first is sent', () => sky.submitted.length > 0);
  const startedAt = gateway.clock.now();
  await until('half of them are sent', () => {
    gateway.clock.advance(10);
    return sky.submitted.length >= 15;
  });
  // 15 messages of two parts, less the first, at 20 parts a second.
  assert.ok(gateway.clock.now() - startedAt >= 1300, `after ${gateway.clock.now() - startedAt} ms`);
});

test('parts that a carrier submits again wait for room in window and rate, and hold no place before', async t => {
  const sky = new ScriptedCarrier('sky', { rate: 20, window: 3 });
  sky.parts = 3;
  const { gateway, client } = await networked(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  const { clock } = gateway;
  const sent = (count: number) =>
    until(`${count} are sent`, () => {
      clock.advance(10);
      return sky.submitted[count - 1];
    });
  for (let number = 0; number < 3; number++) await client.sms({ to: `0101111000${number}` });
  const first = await sent(1);
  sky.takePartly(first, { taken: 1, throttled: 2 });
  const second = await sent(2);
  let isSubmitted = false;
  sky.submitRest(first, 2, () => {
    isSubmitted = true;
  });
  clock.advance(1000);
  await settled();
  assert.equal(isSubmitted, false);
  second.answer({ kind: 'accepted', refs: ['1', '2', '3'] });
  await until('the rest has room, and goes before the third', () => isSubmitted);
  assert.equal(sky.submitted.length, 2);
  const restAt = clock.now();
  first.answer({ kind: 'accepted', refs: ['4', '5', '6'] });
  await sent(3);
  // Two parts at 20 a second.
  assert.ok(clock.now() - restAt >= 50, `after ${clock.now() - restAt} ms`);
});

test('a paused carrier still gets the rest of a message that it took in part', async t => {
  const sky = new ScriptedCarrier('sky', { rate: 20 });
  sky.parts = 2;
  const { gateway, client } = await networked(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  await client.sms();
  const first = await inTime(gateway, 'it is submitted', () => sky.submitted[0]);
  sky.takePartly(first, { taken: 1, throttled: 0 });
  await gateway.operator('POST', '/carriers/sky/pause');
  // Longer than a share of the rate lasts.
  await pass(6, gateway);
  let isSubmitted = false;
  sky.submitRest(first, 1, () => {
    isSubmitted = true;
  });
  await inTime(gateway, 'the rest is submitted', () => isSubmitted);
  assert.equal(sky.submitted.length, 1);
});

test('a lane claims no more than its window leaves free', async t => {
  const sky = new ScriptedCarrier('sky', { window: 3 });
  const { client } = await networked(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  for (let number = 0; number < 10; number++) await client.sms({ to: `0101111000${number}` });
  await until('the window is full', () => sky.submitted.length === 3);
  sky.submitted[0]?.answer({ kind: 'accepted', refs: ['r0'] });
  await until('one more is sent', () => sky.submitted.length === 4);
});

test('a stalled carrier holds up its own traffic only', async t => {
  const sky = new ScriptedCarrier('sky', { window: 1 });
  const sea = new ScriptedCarrier('sea');
  sea.reply = accept;
  const { client } = await networked(t, {
    carriers: [sky, sea],
    file: TWO_CARRIERS.replace('via: [sky, sea]', 'prefix: ["0101111"], via: [sky]').concat(
      '  - { channel: sms, via: [sea] }\n',
    ),
  });
  for (let number = 0; number < 5; number++) await client.sms({ to: `0101111000${number}` });
  for (let number = 0; number < 5; number++) await client.sms({ to: `0102222000${number}` });
  await until('the others are sent', () => sea.submitted.length === 5);
  assert.equal(sky.submitted.length, 1);
});

test('a reload brings new carriers and routes, keeps links that did not change, and loses nothing', async t => {
  const sky = new ScriptedCarrier('sky', { window: 2 });
  const { gateway, sea, client, path } = await networked(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  sea.reply = accept;
  for (let number = 0; number < 6; number++) await client.sms({ to: `0101111000${number}` });
  await until('two are under way', () => sky.submitted.length === 2);
  writeFileSync(path, 'carriers:\n  sea: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sea] }\n');
  const config = loadConfig({ BONGSU_CONFIG: path }, CHANNELS);
  const reloading = gateway.gateway.reload(config);
  for (const { answer, submission } of sky.submitted) answer(accept(submission));
  await reloading;
  assert.equal(sky.isClosed, true);
  assert.equal(sea.isClosed, false);
  await inTime(gateway, 'the rest goes by the other', () => sea.submitted.length === 4);
  await client.sms({ to: '01099990000' });
  await until('so do new ones', () => recipients(sea).includes('01099990000'));
});

test('a carrier that a reload has removed is not shown in the metrics as down', async t => {
  const { gateway, sky, path } = await networked(t);
  const shown = async () =>
    (await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' })).body
      .split('\n')
      .filter(line => /^bongsu_carrier_(up|in_flight|window|rate)\{carrier="sky"\}/.test(line));
  sky.become('down');
  await inTime(gateway, 'it is shown', async () =>
    (await shown()).includes('bongsu_carrier_up{carrier="sky"} 0'),
  );
  writeFileSync(path, 'carriers:\n  sea: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sea] }\n');
  await gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS));
  await inTime(gateway, 'it is gone', async () => (await shown()).length === 0);
});

for (const isHanging of [false, true]) {
  test(`a reload settles what a carrier that ${isHanging ? 'never closes' : 'goes'} leaves unanswered`, async t => {
    const { gateway, sky, client, path } = await networked(t);
    sky.isHanging = isHanging;
    const { msgKey } = (await client.sms()).body;
    await until('it is under way', () => sky.submitted.length === 1);
    writeFileSync(path, 'carriers:\n  sea: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sea] }\n');
    let isReloaded = false;
    const reloading = gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS)).then(() => {
      isReloaded = true;
    });
    await inTime(gateway, 'it is reloaded', () => isReloaded);
    await reloading;
    await until('nobody knows', async () => (await gateway.message(msgKey)).state === 'unknown');
    sky.submitted[0]?.answer({ kind: 'accepted', refs: ['late'] });
    await until(
      'a late answer counts',
      async () => !isHanging || (await gateway.message(msgKey)).state === 'submitted',
    );
  });
}
