import assert from 'node:assert/strict';
import test from 'node:test';
import { freshStore } from '../harness/engines.ts';
import { friendtalk, sms } from '../harness/flows.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { operatorOf } from '../harness/operator.ts';
import { until } from '../harness/until.ts';

const AD = '(광고) sale 무료수신거부 080-123-4567';
const HOUR_MS = 3_600_000;
const LIFETIME = { BONGSU_TOKEN_LIFETIME: '90d' };

async function codesOf(client: Client, msgKey: string): Promise<string[]> {
  const { data } = (await client.call('GET', `/v1/report/inquiry/${msgKey}`)).body;
  return data.report.map((report: { reportCode: string }) => report.reportCode);
}

async function ended(client: Client, msgKey: string): Promise<string[]> {
  await until('it has ended', async () => (await codesOf(client, msgKey)).length > 0);
  return codesOf(client, msgKey);
}

async function send(client: Client, fields: object = {}): Promise<string> {
  const { body } = await client.sms({ text: AD, ...fields });
  assert.equal(body.code, 'A000', body.result);
  return String(body.msgKey);
}

async function historyOf(gateway: TestGateway, msgKey: string) {
  const { data } = (await operatorOf(gateway)('GET', `/messages/${msgKey}`)).body;
  return data.timeline as readonly { event: string; until?: string }[];
}

async function postponed(gateway: TestGateway, msgKey: string): Promise<string | undefined> {
  let found: string | undefined;
  await until('it is postponed', async () => {
    found = (await historyOf(gateway, msgKey)).findLast(({ event }) => event === 'postponed')?.until;
    return found !== undefined;
  });
  return found;
}

/** Turns the clock on to this local time of today or tomorrow. */
function turnTo(gateway: TestGateway, time: string): void {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const local = gateway.clock.now() + 9 * HOUR_MS;
  const wanted = (hours * 60 + minutes) * 60_000;
  gateway.clock.advance((wanted - (local % (24 * HOUR_MS)) + 24 * HOUR_MS) % (24 * HOUR_MS));
}

test('advertisements without their marks are refused, on every channel, where the rules hold', async t => {
  const gateway = await testGateway(t);
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const free = await gateway.account('free');
  const refused = await strict.sms({ text: '(광고) sale' });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.result],
    [400, 'A330', '"text" of an advertisement must name a free number for opting out, such as 080-123-4567'],
  );
  assert.equal((await free.sms({ text: '(광고) sale' })).body.code, 'A000');
  const { body } = await strict.call('POST', '/v1/send/omni', {
    destinations: [
      { to: '01012345678', replaceWords: { mark: '(광고)' } },
      { to: '01087654321', replaceWords: { mark: '' } },
    ],
    messageFlow: [{ sms: { from: '0212345678', text: '#{mark} hello' } }],
  });
  assert.deepEqual(
    body.data.destinations.map(({ code }: { code: string }) => code),
    ['A330', 'A000'],
  );
});

test('a flow that begins with an advertisement is one in all its steps: the night and the marks hold for its fallbacks', async t => {
  const gateway = await testGateway(t, LIFETIME);
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const free = await gateway.account('free');
  const flow = (client: Client, messageFlow: object[]) =>
    client.call('POST', '/v1/send/omni', { destinations: [{ to: '01012345678' }], messageFlow });
  const unmarked = await flow(strict, [friendtalk(), sms()]);
  assert.deepEqual(
    [unmarked.body.code, unmarked.body.result],
    ['A330', '"messageFlow[1].sms.text" of an advertisement must begin with (광고)'],
  );
  const notice = friendtalk({ adFlag: 'N' });
  assert.equal((await flow(strict, [notice, sms()])).body.data.destinations[0].code, 'A000');
  assert.equal((await flow(free, [friendtalk(), sms()])).body.data.destinations[0].code, 'A000');

  turnTo(gateway, '21:00');
  const marked = await flow(strict, [friendtalk(), sms({ text: AD })]);
  const { msgKey } = marked.body.data.destinations[0];
  await until('both steps have ended', async () => (await codesOf(strict, msgKey)).length === 2);
  assert.deepEqual(await codesOf(strict, msgKey), ['63022', '23029']);
  const single = await strict.call('POST', '/v1/send/friendtalk', {
    ...friendtalk().friendtalk,
    to: '01012345678',
    fallback: { type: 'SMS', from: '0212345678', text: 'hello' },
  });
  assert.equal(single.body.code, 'A330', single.text);
});

test('a deferred advertisement waits for the morning and goes out then, however often the gateway restarts', async t => {
  const env = { ...(await freshStore(t)), ...LIFETIME };
  const first = await testGateway(t, env);
  const shop = await first.account('shop', { advertisements: 'defer' });
  turnTo(first, '21:00');
  const ad = await send(shop);
  const plain = String((await shop.sms()).body.msgKey);
  assert.deepEqual(await ended(shop, plain), ['10000']);
  assert.match((await postponed(first, ad)) ?? '', /T08:00:00/);
  const { data } = (await operatorOf(first)('GET', `/messages/${ad}`)).body;
  assert.equal(data.state, 'queued');
  await first.close();

  const second = await testGateway(t, env, first.clock);
  const again = new Client(second, shop.id, shop.token);
  turnTo(second, '07:59');
  assert.deepEqual(await ended(again, String((await again.sms()).body.msgKey)), ['10000']);
  assert.deepEqual(await codesOf(again, ad), []);
  turnTo(second, '08:00');
  await until('it goes out', async () => {
    second.clock.advance(1000);
    return (await codesOf(again, ad)).length > 0;
  });
  assert.deepEqual(await codesOf(again, ad), ['10000']);
});

test('deferred advertisements go out at the rate of the account; an opt-out meanwhile or a cancel ends them', async t => {
  const gateway = await testGateway(t, LIFETIME);
  const shop = await gateway.account('shop', {
    advertisements: 'defer',
    sendRate: 2,
    adHours: '09:00-20:00',
  });
  turnTo(gateway, '20:30');
  const keys: string[] = [];
  for (const to of ['01012345678', '01087654321', '01011112222', '01033334444']) {
    gateway.clock.advance(1000);
    keys.push(await send(shop, { to }));
    await postponed(gateway, keys.at(-1) ?? '');
  }
  const slots = await Promise.all(keys.map(key => postponed(gateway, key)));
  assert.deepEqual(
    slots.map(slot => slot?.slice(11, 19)),
    ['09:00:00', '09:00:00', '09:00:01', '09:00:01'],
  );
  await shop.call('POST', '/v1/optout', { optOuts: [{ to: '01087654321' }] });
  const cancelled = keys.pop() ?? '';
  assert.equal((await shop.call('POST', `/v1/message/${cancelled}/cancel`)).body.code, 'A000');
  assert.deepEqual(await codesOf(shop, cancelled), ['90001']);
  turnTo(gateway, '09:00');
  await until('they have ended', async () => {
    gateway.clock.advance(1000);
    return (await codesOf(shop, keys[2] ?? '')).length > 0;
  });
  assert.deepEqual(await Promise.all(keys.map(key => codesOf(shop, key))), [['10000'], ['90002'], ['10000']]);
  assert.deepEqual(await codesOf(shop, cancelled), ['90001']);
});
