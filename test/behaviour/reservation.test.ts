import assert from 'node:assert/strict';
import test from 'node:test';
import { openStore } from '../../src/composition/open-store.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { type Answer, type Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { pass, settled } from '../harness/settled.ts';
import { until } from '../harness/until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ONE = '/v1/reservation/resvKey';

/** `yyyy-MM-dd HH:mm:ss` in Korea, so many milliseconds from now. */
function inMs(gateway: TestGateway, ms: number): string {
  return new Date(gateway.clock.now() + ms + 9 * HOUR).toISOString().slice(0, 19).replace('T', ' ');
}

function numbers(count: number, first = 0): { to: string }[] {
  return Array.from({ length: count }, (_, index) => ({ to: `010${String(10_001_000 + first + index)}` }));
}

async function reserve(client: Client, gateway: TestGateway, body: object = {}): Promise<Answer> {
  return client.call('POST', '/v1/reservation', {
    resvSendTime: inMs(gateway, HOUR),
    messageFlow: [sms()],
    destinations: numbers(1),
    ...body,
  });
}

async function reserved(client: Client, gateway: TestGateway, body: object = {}) {
  const answer = await reserve(client, gateway, body);
  assert.equal(answer.body.code, 'A000', answer.text);
  const { resvKey, destinations } = answer.body.data;
  const keys: string[] = destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
  return { resvKey: String(resvKey), keys };
}

async function shown(client: Client, resvKey: string) {
  return (await client.call('GET', `${ONE}/${resvKey}`)).body.data;
}

/** Turns the clock, a little at a time, until it is so. */
async function turnUntil<T>(
  gateway: TestGateway,
  what: string,
  ask: () => Promise<T | false | undefined>,
): Promise<T> {
  return until(what, async () => {
    gateway.clock.advance(250);
    return ask();
  });
}

test('a reservation has its keys at once, waits for its time, and is sent within a second of it', async t => {
  const { gateway, client } = await testAccount(t);
  const answer = await reserve(client, gateway, {
    resvName: '봄 할인',
    ref: 'spring',
    destinations: numbers(3),
  });
  assert.deepEqual(Object.keys(answer.body), ['code', 'result', 'data', 'ref']);
  const { resvKey, destinations } = answer.body.data;
  const keys: string[] = destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
  assert.deepEqual(await shown(client, resvKey), {
    resvKey,
    resvName: '봄 할인',
    status: 'PENDING',
    resvSendTime: '2026-01-05T13:00:00+09:00',
    channels: ['sms'],
    adYn: 'N',
    paymentCode: null,
    ref: 'spring',
    groupKey: null,
    expectedCnt: 3,
    sentCnt: 0,
    successCnt: 0,
    failCnt: 0,
    regDate: '2026-01-05T12:00:00+09:00',
    updateDate: '2026-01-05T12:00:00+09:00',
  });
  gateway.clock.advance(HOUR - 1000);
  await settled();
  assert.deepEqual(await client.inquire(keys[0]), []);
  assert.equal((await shown(client, resvKey)).status, 'PENDING');
  gateway.clock.advance(1000);
  for (const key of keys) {
    const [record] = await client.reportsOf(key);
    assert.deepEqual([record?.reportCode, record?.ref], ['10000', 'spring']);
    assert.ok(Date.parse(record?.sendTime ?? '') - Date.parse('2026-01-05T13:00:00+09:00') <= 1000);
  }
  const ended = await turnUntil(gateway, 'its outcomes are counted', async () => {
    const now = await shown(client, resvKey);
    return now.successCnt === 3 && now;
  });
  assert.deepEqual([ended.status, ended.sentCnt, ended.failCnt], ['COMPLETED', 3, 0]);
});

test('a restored store sends no reservation until an operator releases it; the sender may cancel it', async t => {
  const env = await freshStore(t);
  const { gateway: original, client: shop } = await testAccount(t, { env });
  const [first, second] = [await reserved(shop, original), await reserved(shop, original)];
  await original.close();
  const config = loadConfig(env, CHANNELS);
  // What `bongsu restore` does with a store that was put back.
  const store = await openStore(config, { clock: original.clock, exclusive: false });
  const now = original.clock.now();
  assert.deepEqual(await store.upkeep.holdBack({ since: now, now }), { doubted: 0, held: 2 });
  await store.close();

  const { gateway, client } = await testAccount(t, { env });
  gateway.clock.advance(2 * HOUR);
  const held = await gateway.operator('GET', '/reservations?status=HELD');
  assert.equal(held.body.data.reservations.length, 2);
  for (const move of ['resume', 'release']) {
    const refused = await client.call('POST', `${ONE}/${first.resvKey}/${move}`);
    assert.notEqual(refused.body.code, 'A000', refused.text);
  }
  assert.equal((await client.call('POST', `${ONE}/${second.resvKey}/cancel`)).body.data.status, 'CANCELLED');
  assert.deepEqual(await client.inquire(first.keys[0]), []);
  const released = await gateway.operator('POST', `/reservations/${first.resvKey}/release`);
  assert.equal(released.body.data.status, 'PENDING', released.text);
  await turnUntil(gateway, 'it is sent', async () => {
    const [record] = await client.inquire(first.keys[0]);
    return record?.reportCode === '10000';
  });
  assert.deepEqual(await client.inquire(second.keys[0]), []);
});

test('a reservation under its key is answered as before, also above the recipientLimit of today', async t => {
  const { gateway, client } = await testAccount(t, { settings: { recipientLimit: 20 } });
  const body = { resvSendTime: inMs(gateway, HOUR), messageFlow: [sms()], destinations: numbers(15) };
  const paths = ['/v1/reservation', '/v1/send/omni'];
  const call = (path: string, key: string) => client.call('POST', path, body, { 'idempotency-key': key });
  const answers = [];
  for (const path of paths) answers.push((await call(path, 'k')).text);
  await gateway.operator('PATCH', '/accounts/shop', { settings: { recipientLimit: 10 } });
  for (const [index, path] of paths.entries()) {
    assert.equal((await call(path, 'k')).text, answers[index], path);
    assert.equal((await call(path, 'another')).body.code, 'A318', path);
  }
});

test('every send takes resvSendTime, and answers as ever with the key of its reservation', async t => {
  const { gateway, client } = await testAccount(t);
  const resvSendTime = inMs(gateway, HOUR).replace(' ', 'T');
  const single = await client.sms({ resvSendTime, ref: 'one' }, { 'idempotency-key': 'k' });
  assert.deepEqual(Object.keys(single.body), ['code', 'result', 'msgKey', 'resvKey', 'ref']);
  const again = await client.sms({ resvSendTime, ref: 'one' }, { 'idempotency-key': 'k' });
  assert.equal(again.text, single.text);
  assert.equal((await client.sms({ resvSendTime }, { 'idempotency-key': 'k' })).body.code, 'A301');
  const omni = await client.call('POST', '/v1/send/omni', {
    ResvSendTime: resvSendTime,
    messageFlow: [sms({ text: '#{name}님' })],
    destinations: [{ to: '01012345678', replaceWords: { name: '지수' } }, { to: '0101' }],
  });
  assert.deepEqual(Object.keys(omni.body.data), ['resvKey', 'destinations']);
  const [passed, refused] = omni.body.data.destinations;
  assert.deepEqual([passed.code, refused.code], ['A000', 'A306']);
  gateway.clock.advance(HOUR);
  await turnUntil(gateway, 'both are delivered', async () => {
    const records = [await client.inquire(single.body.msgKey), await client.inquire(passed.msgKey)];
    return records.every(([record]) => record?.reportCode === '10000');
  });
});

test('the time must lie between a minute and a year from now', async t => {
  const { gateway, client } = await testAccount(t);
  const codeAt = async (resvSendTime: unknown) =>
    (await reserve(client, gateway, { resvSendTime })).body.code;
  assert.equal(await codeAt(undefined), 'A316');
  assert.equal(await codeAt('tomorrow'), 'A316');
  assert.equal(await codeAt('2026-02-30 10:00:00'), 'A316');
  assert.equal(await codeAt(inMs(gateway, MINUTE - 1000)), 'A316');
  assert.equal(await codeAt(inMs(gateway, MINUTE)), 'A000');
  assert.equal(await codeAt(new Date(gateway.clock.now() + 2 * MINUTE).toISOString()), 'A000');
  assert.equal(await codeAt(inMs(gateway, 365 * DAY)), 'A000');
  assert.equal(await codeAt(inMs(gateway, 365 * DAY + 1000)), 'A331');
  assert.equal((await client.sms({ resvSendTime: 'later' })).body.code, 'A316');
});

test('a pending reservation can be changed and cancelled by its account only', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const { resvKey, keys } = await reserved(client, gateway);
  const url = `${ONE}/${resvKey}`;
  for (const [method, path] of [
    ['GET', url],
    ['PUT', url],
    ['POST', `${url}/cancel`],
    ['GET', `${url}/destinations`],
    ['POST', `${url}/destinations`],
    ['DELETE', `${url}/destinations/msgKey/${keys[0]}`],
  ] as const) {
    const body =
      method === 'PUT' || path.endsWith('s') ? { resvName: 'x', destinations: numbers(1) } : undefined;
    assert.equal(
      (await other.call(method, path, method === 'GET' ? undefined : body)).body.code,
      'A823',
      path,
    );
  }
  assert.equal((await client.call('POST', `${url}/stop`)).body.code, 'A824');
  const changed = await client.call('PUT', url, { resvSendTime: inMs(gateway, 3 * HOUR), resvName: 'later' });
  assert.deepEqual(
    [changed.body.data.resvName, changed.body.data.resvSendTime],
    ['later', '2026-01-05T15:00:00+09:00'],
  );
  assert.equal((await client.call('PUT', url, { resvSendTime: inMs(gateway, 0) })).body.code, 'A316');
  gateway.clock.advance(2 * HOUR);
  assert.equal((await shown(client, resvKey)).status, 'PENDING');
  assert.equal((await client.call('POST', `${url}/cancel`)).body.data.status, 'CANCELLED');
  assert.equal((await client.call('POST', `${url}/stop`)).body.code, 'A824');
  assert.equal((await client.call('PUT', url, { resvName: 'x' })).body.code, 'A824');
  gateway.clock.advance(2 * HOUR);
  const marker = await client.sms();
  await client.reportsOf(marker.body.msgKey);
  assert.deepEqual(await client.inquire(keys[0]), []);
  assert.deepEqual((await client.call('GET', `${url}/destinations`)).body.data.destinations, []);
  assert.equal((await other.call('GET', '/v1/reservation/list')).body.data.reservations.length, 0);
});

test('recipients are added and removed until it is sent, and listed in pages', async t => {
  const { gateway, client } = await testAccount(t, { settings: { recipientLimit: 1000 } });
  const { resvKey, keys } = await reserved(client, gateway, { destinations: numbers(150) });
  const url = `${ONE}/${resvKey}/destinations`;
  const added = await client.call('POST', url, { destinations: [...numbers(2, 150), { to: 'nobody' }] });
  const codes = added.body.data.destinations.map(({ code }: { code: string }) => code);
  assert.deepEqual(codes, ['A000', 'A000', 'A306']);
  assert.equal((await client.call('POST', url, { destinations: numbers(1001) })).body.code, 'A318');
  const [gone = '', ...stay] = keys;
  assert.equal((await client.call('DELETE', `${url}/msgKey/${gone}`)).body.code, 'A000');
  assert.equal((await client.call('DELETE', `${url}/msgKey/${gone}`)).body.code, 'A823');
  assert.equal((await shown(client, resvKey)).expectedCnt, 151);
  const listed: string[] = [];
  for (let lastSeq = ''; ; ) {
    const page = (await client.call('GET', `${url}?limit=100&lastSeq=${lastSeq}`)).body.data;
    listed.push(...page.destinations.map(({ msgKey }: { msgKey: string }) => msgKey));
    if (!page.hasNext) break;
    lastSeq = page.lastSeq;
  }
  const addedKeys = added.body.data.destinations.slice(0, 2).map(({ msgKey }: { msgKey: string }) => msgKey);
  assert.deepEqual(listed, [...stay, ...addedKeys]);
  gateway.clock.advance(HOUR);
  await turnUntil(gateway, 'all are sent', async () => (await shown(client, resvKey)).sentCnt === 151);
  const after = (await client.call('GET', `${url}?limit=1000`)).body.data.destinations;
  assert.deepEqual(
    after.map(({ msgKey }: { msgKey: string }) => msgKey),
    listed,
  );
  assert.equal((await client.call('POST', url, { destinations: numbers(1) })).body.code, 'A824');
  assert.deepEqual(await client.inquire(gone), []);
});

test('a reservation in progress is released only as fast as the queue empties; it can be stopped, resumed and cancelled', async t => {
  const { gateway, client } = await testAccount(t, { settings: { recipientLimit: 1000 } });
  const { resvKey } = await reserved(client, gateway, { destinations: numbers(1000) });
  const url = `${ONE}/${resvKey}`;
  for (let call = 1; call < 4; call++) {
    await client.call('POST', `${url}/destinations`, { destinations: numbers(1000, call * 1000) });
  }
  const carrier = (await gateway.operator('GET', '/carriers')).body.data.carriers[0].name;
  await gateway.operator('POST', `/carriers/${carrier}/pause`);
  gateway.clock.advance(HOUR);
  await turnUntil(gateway, 'the queue is long enough', async () => {
    return (await shown(client, resvKey)).sentCnt >= 2000;
  });
  const looksForMore = t.mock.method(gateway.gateway.store.reservations, 'waitingLists');
  await turnUntil(gateway, 'more could have been released', async () => looksForMore.mock.callCount() > 3);
  const { status, sentCnt } = await shown(client, resvKey);
  assert.deepEqual([status, sentCnt], ['PROCESSING', 2000]);
  assert.equal((await client.call('POST', `${url}/cancel`)).body.code, 'A824');
  assert.equal((await client.call('POST', `${url}/stop`)).body.data.status, 'STOPPED');
  await gateway.operator('POST', `/carriers/${carrier}/resume`);
  await turnUntil(gateway, 'what was in the queue is sent', async () => {
    return (await shown(client, resvKey)).successCnt === 2000;
  });
  assert.equal((await shown(client, resvKey)).sentCnt, 2000);
  assert.equal((await client.call('POST', `${url}/resume`)).body.data.status, 'PROCESSING');
  await turnUntil(gateway, 'all are sent', async () => (await shown(client, resvKey)).status === 'COMPLETED');
  assert.equal((await client.call('POST', `${url}/stop`)).body.code, 'A824');
});

test('messages that are no longer valid at the reserved time end with a report; the others are sent', async t => {
  const { gateway, client } = await testAccount(t);
  const form = await client.call('POST', '/v1/form', { messageForm: [sms()] });
  const { formId } = form.body.data;
  const byForm = await reserved(client, gateway, { messageFlow: undefined, messageForm: formId });
  const plain = await reserved(client, gateway);
  await client.call('DELETE', `/v1/form/${formId}`);
  gateway.clock.advance(HOUR);
  const codeOf = async (key: string | undefined) =>
    turnUntil(gateway, 'there is a report', async () => (await client.inquire(key))[0]?.reportCode);
  assert.equal(await codeOf(byForm.keys[0]), '90003');
  assert.equal(await codeOf(plain.keys[0]), '10000');
  const message = await gateway.message(byForm.keys[0]);
  assert.equal(message.state, 'failed');
  const polled = (await client.poll()).body.data.report.map(({ msgKey }: { msgKey: string }) => msgKey);
  assert.ok(polled.includes(byForm.keys[0]));
  const counted = await turnUntil(gateway, 'it is counted', async () => {
    const now = await shown(client, byForm.resvKey);
    return now.failCnt === 1 && now;
  });
  assert.equal(counted.status, 'COMPLETED');
});

test('a clock set ahead makes a reservation due, and a clock set back does not send it twice', async t => {
  const { gateway, client } = await testAccount(t);
  const { keys } = await reserved(client, gateway);
  gateway.clock.setWallBy(2 * HOUR);
  // A clock that was set is in doubt for ten minutes, counted from when it is noticed.
  await pass(3, gateway);
  gateway.clock.advance(10 * MINUTE);
  await turnUntil(gateway, 'it is delivered', async () => (await client.inquire(keys[0])).length === 1);
  gateway.clock.setWallBy(-2 * HOUR);
  gateway.clock.advance(2 * HOUR);
  await client.reportsOf((await client.sms()).body.msgKey);
  assert.equal((await client.inquire(keys[0])).length, 1);
});

test('messages of a reservation are found and counted however late they are', async t => {
  const { gateway, client } = await testAccount(t);
  const { resvKey, keys } = await reserved(client, gateway);
  await client.call('PUT', `${ONE}/${resvKey}`, { resvSendTime: inMs(gateway, 3 * HOUR) });
  gateway.clock.advance(2 * HOUR);
  // Index and sums walk past the keys.
  const marker = await client.sms({ to: '01099998888' });
  await client.reportsOf(marker.body.msgKey);
  await turnUntil(gateway, 'the marker is counted', async () => (await acceptedOf(gateway)) === 1);
  gateway.clock.advance(HOUR);
  await turnUntil(gateway, 'it is delivered', async () => (await client.inquire(keys[0])).length === 1);
  await turnUntil(gateway, 'it is counted', async () => (await acceptedOf(gateway)) === 2);
  await turnUntil(gateway, 'it is found by its recipient', async () => {
    const found = await gateway.operator('GET', '/messages?to=01010001000');
    return found.body.data.messages.length === 1;
  });
  gateway.clock.advance(MINUTE);
  assert.equal(await acceptedOf(gateway), 2);
});

async function acceptedOf(gateway: TestGateway): Promise<number> {
  const { body } = await gateway.operator('GET', '/statistics/traffic');
  return body.data.total?.accepted ?? body.data.totals?.accepted;
}

test('a message that waits in a reservation is shown and cancelled by its key', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('cafe');
  const { resvKey, keys } = await reserved(client, gateway, {
    ref: 'spring',
    groupKey: 'g',
    destinations: [{ to: '01010001001', ref: 'first' }, ...numbers(2, 5)],
  });
  const [first = '', second = '', third = ''] = keys;
  const message = async (key: string, by = client) => (await by.call('GET', `/v1/message/${key}`)).body;
  assert.deepEqual((await message(first)).data, {
    msgKey: first,
    requestId: first.slice(0, -3),
    to: '01010001001',
    ref: 'first',
    groupKey: 'g',
    state: 'reserved',
    resvKey,
    resvSendTime: '2026-01-05T13:00:00+09:00',
    requestTime: '2026-01-05T12:00:00+09:00',
    messages: [],
  });
  assert.equal((await message(second)).data.ref, 'spring');
  assert.equal((await message(first, other)).code, 'A300');

  const cancel = async (key: string, by = client) =>
    (await by.call('POST', `/v1/message/${key}/cancel`)).body;
  assert.equal((await cancel(first, other)).code, 'A300');
  assert.deepEqual((await cancel(first)).data, { msgKey: first, state: 'failed' });
  assert.equal((await cancel(first)).code, 'A000', 'it is gone');
  assert.equal((await message(first)).code, 'A300');
  assert.equal((await shown(client, resvKey)).expectedCnt, 2);

  await turnUntil(gateway, 'the rest is sent', async () => {
    gateway.clock.advance(60_000);
    return (await shown(client, resvKey)).status === 'COMPLETED';
  });
  for (const key of [second, third]) assert.equal((await client.reportsOf(key))[0]?.reportCode, '10000');
  assert.deepEqual(await client.inquire(first), []);
  assert.equal((await message(second)).data.state, 'delivered');
});

test('a reservation has no more recipients in one request than the account may name', async t => {
  const { gateway, client } = await testAccount(t);
  const refused = await reserve(client, gateway, { destinations: numbers(11) });
  assert.deepEqual(refused.refusal, [400, 'A318', '"destinations" has more than 10 entries (was 11)']);
  const { resvKey } = await reserved(client, gateway, { destinations: numbers(10) });
  const added = await client.call('POST', `${ONE}/${resvKey}/destinations`, {
    destinations: numbers(11, 10),
  });
  assert.equal(added.body.data.destinations.length, 11);
});

test('the limit of reservations cannot be exceeded', async t => {
  const { gateway, client } = await testAccount(t, { settings: { reservationLimit: 2 } });
  const { resvKey } = await reserved(client, gateway);
  await reserved(client, gateway);
  const refused = await reserve(client, gateway);
  assert.deepEqual(refused.body, {
    code: 'A300',
    result:
      'The account has reached its limit of 2 reservations (reservationLimit): cancel one, or wait until one has ended',
  });
  const single = { from: '0212345678', to: '01012345678', text: 'hello', resvSendTime: inMs(gateway, HOUR) };
  assert.equal((await client.call('POST', '/v1/send/sms', single)).body.code, 'A300');
  assert.equal((await client.call('POST', `${ONE}/${resvKey}/cancel`)).body.code, 'A000');
  await reserved(client, gateway);
});

test('the limit of pending recipients in reservations cannot be exceeded, whichever call adds them', async t => {
  const { gateway, client } = await testAccount(t, { settings: { reservationRecipients: 5 } });
  const { resvKey, keys } = await reserved(client, gateway, { destinations: numbers(3) });
  const full = (added: number, used = 3) => ({
    code: 'A300',
    result: `The account may have at most 5 recipients in reservations (reservationRecipients): ${used} are pending and the request adds ${added}. Cancel a reservation, or wait until one has been sent`,
  });
  assert.deepEqual((await reserve(client, gateway, { destinations: numbers(3, 10) })).body, full(3));
  const url = `${ONE}/${resvKey}/destinations`;
  const add = async (count: number, from: number) =>
    (await client.call('POST', url, { destinations: numbers(count, from) })).body;
  assert.deepEqual(await add(3, 20), full(3));
  assert.equal((await add(2, 20)).code, 'A000');
  const single = { from: '0212345678', to: '01012345678', text: 'hello', resvSendTime: inMs(gateway, HOUR) };
  const sendSingle = async () => (await client.call('POST', '/v1/send/sms', single)).body;
  assert.deepEqual(await sendSingle(), full(1, 5));
  await client.call('DELETE', `${url}/msgKey/${keys[0]}`);
  assert.equal((await sendSingle()).code, 'A000');
  assert.equal((await client.call('POST', `${ONE}/${resvKey}/cancel`)).body.code, 'A000');
  await reserved(client, gateway, { destinations: numbers(4) });
});

test('the limit of bytes in reservations cannot be exceeded', async t => {
  const { gateway, client } = await testAccount(t, { settings: { reservationBytes: 600 } });
  const { resvKey } = await reserved(client, gateway);
  const long = numbers(10, 50).map(to => ({ ...to, replaceWords: { name: 'x'.repeat(80) } }));
  const messageFlow = [{ sms: { from: '0212345678', text: '#{name}' } }];
  const refused = await reserve(client, gateway, { destinations: long, messageFlow });
  assert.equal(refused.body.code, 'A300');
  assert.match(
    refused.body.result,
    /^The account may have at most 600 bytes in reservations \(reservationBytes\): \d+ are in use and the request adds \d+\. Cancel/,
  );
  const url = `${ONE}/${resvKey}/destinations`;
  const added: string[] = [];
  for (let call = 0; call < 3; call++) {
    added.push((await client.call('POST', url, { destinations: numbers(10, 10 * call) })).body.code);
  }
  assert.deepEqual(added, ['A000', 'A300', 'A300']);
  await client.call('POST', `${ONE}/${resvKey}/cancel`);
  await reserved(client, gateway);
});

test('recipients are listed in the order in which they were added, however few a call', async t => {
  const { gateway, client } = await testAccount(t);
  const { resvKey, keys } = await reserved(client, gateway);
  const url = `${ONE}/${resvKey}/destinations`;
  for (let count = 1; count < 12; count++) {
    const added = await client.call('POST', url, { destinations: numbers(1, count) });
    keys.push(added.body.data.destinations[0].msgKey);
    if (count === 5) await client.call('DELETE', `${url}/msgKey/${keys.shift()}`);
  }
  const { destinations } = (await client.call('GET', url)).body.data;
  assert.deepEqual(
    destinations.map(({ msgKey }: { msgKey: string }) => msgKey),
    keys,
  );
});

test('a reserved message, its request and its reservation may be cancelled twice', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('cafe');
  const { resvKey, keys } = await reserved(client, gateway, { destinations: numbers(3) });
  const cancelled = { msgKey: keys[0], state: 'failed' };
  for (let time = 0; time < 2; time++) {
    const { body } = await client.call('POST', `/v1/message/${keys[0]}/cancel`);
    assert.deepEqual([body.code, body.data], ['A000', cancelled]);
  }
  assert.equal((await other.call('POST', `/v1/message/${keys[0]}/cancel`)).status, 404);
  const requestId = keys[0]?.slice(0, -3);
  const ofRequest = (by: Client) => by.call('POST', `/v1/message/requestId/${requestId}/cancel`);
  assert.equal((await ofRequest(other)).status, 404);
  const first = (await ofRequest(client)).body.data;
  const { messages } = first;
  assert.deepEqual(
    [first.cancelledCnt, messages.map(({ msgKey }: { msgKey: string }) => msgKey)],
    [2, keys.slice(1)],
  );
  const second = (await ofRequest(client)).body;
  assert.deepEqual([second.code, second.data], ['A000', { cancelledCnt: 0, messages: [] }]);
  for (const key of keys) {
    assert.equal((await client.call('POST', `/v1/message/${key}/cancel`)).body.code, 'A000');
  }
  for (let time = 0; time < 2; time++) {
    const { body } = await client.call('POST', `${ONE}/${resvKey}/cancel`);
    assert.deepEqual([body.code, body.data.status], ['A000', 'CANCELLED']);
  }
  gateway.clock.advance(2 * HOUR);
  const marker = await client.sms();
  await client.reportsOf(marker.body.msgKey);
  for (const key of keys) assert.deepEqual(await client.inquire(key), []);
});

test('a key that no message ever had is unknown, also in the request of a reservation', async t => {
  const { gateway, client } = await testAccount(t);
  const { keys } = await reserved(client, gateway, { destinations: numbers(3) });
  const cancel = async (key: string) => {
    const { status, body } = await client.call('POST', `/v1/message/${key}/cancel`);
    return [status, body.code];
  };
  const requestId = (keys[0] ?? '').slice(0, -3);
  for (const last of ['003', '999', 'abc'])
    assert.deepEqual(await cancel(requestId + last), [404, 'A300'], last);
  for (const key of [...keys, ...keys]) assert.deepEqual(await cancel(key), [200, 'A000']);
  assert.deepEqual(await cancel(`${requestId}003`), [404, 'A300']);
});

test('a reservation is moved at most 31 days before the time for which it was first reserved', async t => {
  const { gateway, client } = await testAccount(t);
  const { resvKey } = await reserved(client, gateway, { resvSendTime: inMs(gateway, 40 * DAY) });
  const move = async (ms: number) => {
    return client.call('PUT', `${ONE}/${resvKey}`, { resvSendTime: inMs(gateway, ms) });
  };
  const tooEarly = '"resvSendTime" must be at most 31 days before the time that was first reserved';
  assert.deepEqual((await move(8 * DAY)).refusal, [400, 'A316', tooEarly]);
  assert.equal((await move(9 * DAY)).body.code, 'A000');
  assert.equal((await move(50 * DAY)).body.code, 'A000');
  assert.equal((await move(8 * DAY)).body.code, 'A316', 'the first time counts');
});

test('the list takes a time in every form in which a send is reserved', async t => {
  const { gateway, client } = await testAccount(t);
  const { resvKey } = await reserved(client, gateway);
  for (const form of ['2026-01-05 13:00:00', '2026-01-05T13:00:00', '2026-01-05T13:00:00+09:00']) {
    const { body } = await client.call(
      'GET',
      `/v1/reservation/list?resvSendTime=${encodeURIComponent(form)}`,
    );
    assert.deepEqual(
      body.data?.reservations.map((each: { resvKey: string }) => each.resvKey),
      [resvKey],
      form,
    );
  }
  const later = await client.call('GET', '/v1/reservation/list?resvSendTime=2026-01-05%2013:00:01');
  assert.deepEqual(later.body.data.reservations, []);
  const wrong = await client.call('GET', '/v1/reservation/list?resvSendTime=tomorrow');
  assert.equal(wrong.body.code, 'A316');
});
