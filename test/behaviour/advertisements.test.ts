import assert from 'node:assert/strict';
import test from 'node:test';
import type { MsgKey } from '../../src/domain/ids.ts';
import { freshStore } from '../harness/engines.ts';
import { friendtalk, sms } from '../harness/flows.ts';
import { type Answer, Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { changeRows } from './stored-rows.ts';

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
  const data = await gateway.message(msgKey);
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
  assert.deepEqual(refused.refusal, [
    400,
    'A330',
    '"text" of an advertisement must contain a free number for opting out, such as 080-123-4567',
  ]);
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

test('a mark that is missing whatever the words are refuses the whole send, and the form that lacks it', async t => {
  const gateway = await testGateway(t);
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const messageFlow = [sms({ text: '#{name}' }), friendtalk({ adFlag: 'N', text: '(광고) #{name}' })];
  const destinations = [{ to: '01012345678', replaceWords: { name: 'Kim' } }];
  const resvSendTime = '2026-01-05T14:00:00';
  for (const [method, path, body, field] of [
    ['POST', '/v1/send/omni', { destinations, messageFlow }, 'messageFlow[1].friendtalk.adFlag'],
    [
      'POST',
      '/v1/reservation',
      { destinations, messageFlow, resvSendTime },
      'messageFlow[1].friendtalk.adFlag',
    ],
    ['POST', '/v1/form', { messageForm: messageFlow }, 'messageForm[1].friendtalk.adFlag'],
  ] as const) {
    const refused = await strict.call(method, path, body);
    assert.deepEqual(refused.refusal, [400, 'A330', `"${field}" must be "Y" for an advertisement`], path);
  }
});

test('a reservation for the night refuses the recipients whose words make it an advertisement', async t => {
  const gateway = await testGateway(t, LIFETIME);
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const messageFlow = [sms({ text: '#{text}' })];
  const destinations = [
    { to: '01012345678', replaceWords: { text: AD } },
    { to: '01087654321', replaceWords: { text: 'hello' } },
  ];
  const codesIn = ({ body }: Answer) => [
    body.code,
    ...body.data.destinations.map(({ code }: { code: string }) => code),
  ];
  const reserve = (resvSendTime: string, to = destinations) =>
    strict.call('POST', '/v1/reservation', { destinations: to, messageFlow, resvSendTime });
  const night = await reserve('2026-01-05T23:00:00');
  assert.deepEqual(codesIn(night), ['A000', 'A330', 'A000']);
  const { resvKey } = night.body.data;
  const add = () => strict.call('POST', `/v1/reservation/resvKey/${resvKey}/destinations`, { destinations });
  assert.deepEqual(codesIn(await add()), ['A000', 'A330', 'A000']);
  assert.deepEqual(codesIn(await reserve('2026-01-05T14:00:00')), ['A000', 'A000', 'A000']);
});

test('a reservation is not moved into the night where its words make it an advertisement', async t => {
  const gateway = await testGateway(t, LIFETIME);
  const moved = async (client: Client, words: string[]) => {
    const { resvKey } = (
      await client.call('POST', '/v1/reservation', {
        resvSendTime: '2026-01-05T14:00:00',
        messageFlow: [sms({ text: '#{text}' })],
        destinations: words.map((text, index) => ({ to: `0101234567${index}`, replaceWords: { text } })),
      })
    ).body.data;
    const to = (resvSendTime: string) =>
      client.call('PUT', `/v1/reservation/resvKey/${resvKey}`, { resvSendTime });
    const { body } = await to('2026-01-05T23:00:00');
    assert.equal((await to('2026-01-05T15:00:00')).body.code, 'A000');
    return [body.code, body.code === 'A000' ? '' : body.result];
  };
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const refused = ['A330', 'Advertisements of this account are sent only within 08:00-20:50'];
  assert.deepEqual(await moved(strict, ['hello', AD]), refused);
  assert.deepEqual(await moved(strict, [AD.replace('(광고)', '（광고）')]), refused, 'of full width');
  assert.deepEqual(await moved(strict, ['hello', 'and hello']), ['A000', '']);
  const late = await gateway.account('late', { advertisements: 'defer' });
  assert.deepEqual(await moved(late, [AD]), ['A000', '']);
});

test('a flow that begins with an advertisement is one in all its steps: the night and the marks hold for its fallbacks', async t => {
  const gateway = await testGateway(t, LIFETIME);
  const strict = await gateway.account('strict', { advertisements: 'refuse' });
  const free = await gateway.account('free');
  const flow = (client: Client, messageFlow: object[]) =>
    client.call('POST', '/v1/send/omni', { destinations: [{ to: '01012345678' }], messageFlow });
  const unmarked = await flow(strict, [friendtalk(), sms()]);
  assert.deepEqual(unmarked.refusal, [
    400,
    'A330',
    '"messageFlow[1].sms.text" of an advertisement must begin with (광고)',
  ]);
  const notice = friendtalk({ adFlag: 'N' });
  assert.equal((await flow(strict, [notice, sms()])).body.data.destinations[0].code, 'A000');
  assert.equal((await flow(free, [friendtalk(), sms()])).body.data.destinations[0].code, 'A000');

  turnTo(gateway, '21:00');
  const marked = await flow(strict, [friendtalk(), sms({ text: AD })]);
  const { msgKey } = marked.body.data.destinations[0];
  await until('both steps have ended', async () => (await codesOf(strict, msgKey)).length === 2);
  assert.deepEqual(await codesOf(strict, msgKey), ['63022', '23029']);
  const { messages } = (await gateway.operator('GET', '/messages?limit=1')).body.data;
  assert.deepEqual([messages[0].msgKey, messages[0].carrier], [msgKey, null], 'no carrier was asked');
  const single = await strict.call('POST', '/v1/send/friendtalk', {
    ...friendtalk().friendtalk,
    to: '01012345678',
    fallback: { type: 'SMS', from: '0212345678', text: 'hello' },
  });
  assert.equal(single.body.code, 'A330', single.text);
});

test('a deferred advertisement waits for the morning and goes out then, however often the gateway restarts', async t => {
  const env = { ...(await freshStore(t)), ...LIFETIME };
  const { gateway: first, client: shop } = await testAccount(t, {
    settings: { advertisements: 'defer' },
    env,
  });
  turnTo(first, '21:00');
  const ad = await send(shop);
  const plain = String((await shop.sms()).body.msgKey);
  assert.deepEqual(await ended(shop, plain), ['10000']);
  assert.match((await postponed(first, ad)) ?? '', /T08:00:00/);
  const data = await first.message(ad);
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
  const { gateway, client: shop } = await testAccount(t, {
    settings: { advertisements: 'defer', sendRate: 2, adHours: '09:00-20:00' },
    env: LIFETIME,
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

test('an advertisement of an account that cannot be read waits until it can be', async t => {
  const store = await freshStore(t);
  const { gateway: first, client } = await testAccount(t, {
    settings: { advertisements: 'refuse' },
    env: { ...LIFETIME, ...store },
  });
  await first.holdQueue();
  const msgKey = await send(client);
  await first.close();
  await changeRows(store, `UPDATE account SET settings = '{' || settings`);
  const gateway = await testGateway(t, { ...LIFETIME, ...store }, first.clock);
  await gateway.releaseQueue();
  // One that is claimed with it, or after it.
  const other = await gateway.account('other');
  assert.deepEqual(await ended(other, await send(other)), ['10000']);
  assert.equal((await gateway.gateway.store.messages.find(msgKey as MsgKey))?.state, 'queued');
  // Another process has written, which the gateway notices: so it does at a repair.
  await changeRows(store, `UPDATE account SET settings = substr(settings, 2)`);
  const again = new Client(gateway, 'shop', client.token);
  await until('it is sent', async () => {
    gateway.clock.advance(10_000);
    const { body } = await again.call('GET', `/v1/report/inquiry/${msgKey}`);
    return body.data?.report.length > 0;
  });
  assert.deepEqual(await codesOf(again, msgKey), ['10000']);
});
