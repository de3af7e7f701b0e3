/** Encrypted at rest: what a gateway with a data key keeps, and that it works as one without. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import pg from 'pg';
import { openDataKeys } from '../../src/composition/data-key-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import { beginningsOf, createVault } from '../../src/platform/vault.ts';
import { freshStore } from '../harness/engines.ts';
import { alimtalk, friendtalk, mms, rcs, sms } from '../harness/flows.ts';
import { Client, type TestGateway, testGateway, WEBHOOK_ON_LOOPBACK } from '../harness/gateway.ts';
import { holdQueue, operatorOf } from '../harness/operator.ts';
import type { Env } from '../harness/process.ts';
import { placesOf, storedBytes } from '../harness/stored-bytes.ts';
import { until } from '../harness/until.ts';

const KEY = randomBytes(32).toString('base64');

/** Recipients, in the digits that every way of writing them has; and what stands in texts and variables. */
const NUMBER = '01029384756';
const REFUSED = '01029380001';
const WITHOUT_RCS = '01029380002';
const ABROAD = '+14159384756';
const NUMBERS = ['29384756', '2938-4756', '29380001', '29380002', '4159384756'];
const TEXT = 'zebra-quartz';
const KOREAN_TEXT = '호랑이수정';
const WORD = 'opossum-kim';
const HIDDEN = [...NUMBERS, TEXT, KOREAN_TEXT, WORD];

async function openWith(t: TestContext, store: Env, keys: string | undefined, clock?: ManualClock) {
  return testGateway(t, { ...store, ...(keys !== undefined && { BONGSU_DATA_KEY: keys }) }, clock);
}

function omni(client: Client, messageFlow: object[], destinations: object[], headers = {}) {
  return client.call('POST', '/v1/send/omni', { messageFlow, destinations }, headers);
}

/** Sends by every way there is, and waits for what comes of it; resolves to keys of messages. */
async function useEverything(gateway: TestGateway): Promise<string[]> {
  const { clock } = gateway;
  const { store } = gateway.gateway;
  const shop = await gateway.account('shop');
  const cafe = await gateway.account('cafe', WEBHOOK_ON_LOOPBACK);
  const text = `${TEXT} ${KOREAN_TEXT}`;
  const keys: string[] = [];
  const body = { to: NUMBER, text, ref: 'order-1' };
  for (const repetition of [1, 2]) {
    const sent = await shop.sms(body, { 'idempotency-key': 'once' });
    assert.equal(sent.body.code, 'A000', `${repetition}: ${sent.text}`);
    keys.push(sent.body.msgKey ?? '');
  }
  assert.equal(keys[0], keys[1], 'the second is answered as the first');
  const other = await shop.sms({ ...body, text: 'other' }, { 'idempotency-key': 'once' });
  assert.notEqual(other.body.code, 'A000', 'another body under the same key');
  await shop.international({ to: ABROAD, text });
  await cafe.sms({ to: REFUSED, text });
  const words = { to: '010-2938-4756', replaceWords: { name: WORD } };
  const flows = [
    [rcs({ content: { standalone: { text: `#{name} ${text}` } } }), sms({ text: `#{name} ${text}` })],
    [alimtalk({ text }), friendtalk({ text: `#{name} ${text}` }), mms({ text, title: TEXT })],
  ];
  for (const flow of flows) {
    const answer = await omni(shop, flow, [words, { to: WITHOUT_RCS, replaceWords: { name: WORD } }], {
      'idempotency-key': `flow-${keys.length}`,
    });
    assert.equal(answer.body.code, 'A000', answer.text);
    for (const { msgKey } of answer.body.data.destinations) {
      keys.push(msgKey);
      await shop.reportsOf(msgKey);
    }
  }
  const messageForm = [sms({ text: `#{name} ${text}` })];
  const form = await shop.call('POST', '/v1/form', { messageForm });
  const { formId } = form.body.data;
  assert.deepEqual((await shop.call('GET', `/v1/form/${formId}`)).body.data.messageForm, messageForm);
  await shop.call('POST', '/v1/send/omni', { messageForm: formId, destinations: [words] });
  const reserved = await shop.call('POST', '/v1/reservation', {
    ...{
      resvSendTime: '2026-02-01 09:00:00',
      resvName: TEXT,
      messageFlow: messageForm,
      destinations: [words],
    },
  });
  assert.equal(reserved.body.code, 'A000', reserved.text);
  const template = '/accounts/shop/registry/alimtalkTemplate/sender%2Fwelcome';
  const registered = await operatorOf(gateway)('PUT', template, { text });
  assert.equal(registered.body.code, 'A000', registered.text);
  const composed = await operatorOf(gateway)('POST', '/accounts/shop/send/sms', {
    from: '0212345678',
    to: NUMBER,
    text,
  });
  assert.equal(composed.body.code, 'A000', composed.text);
  const receipt = { kind: 'receipt' as const, carrier: 'simulator', receivedAt: clock.now() };
  const event = { name: 'receivedDelivered' as const };
  await store.queue.settle([{ ...receipt, ref: 'nobodys', to: '821029384756', from: NUMBER, event }], () => ({
    kind: 'ignored',
  }));
  await shop.call('POST', '/v1/optout', { optOuts: [{ to: NUMBER, sender: 'shop' }] });
  const listed = await shop.call('GET', `/v1/optout?to=${NUMBER}`);
  assert.equal(listed.body.data.optOuts[0].to, NUMBER);
  await store.queue.setAside({ at: clock.now(), reason: text, event: JSON.stringify({ to: NUMBER }) });
  await until('the refused message has its delivery', async () => {
    clock.advance(1000);
    const answer = await operatorOf(gateway)('GET', '/webhooks?account=cafe');
    return answer.body.data.deliveries[0]?.attempts > 0;
  });
  return keys;
}

async function findsByNumber(gateway: TestGateway): Promise<string[]> {
  const answer = await operatorOf(gateway)('GET', `/messages?to=${NUMBER}&limit=200`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.messages.map(({ msgKey }: { msgKey: string }) => msgKey);
}

test('neither a number nor a text of a message is in what a store with a data key has kept', async t => {
  const store = await freshStore(t);
  const gateway = await openWith(t, store, KEY);
  const [msgKey = ''] = await useEverything(gateway);
  const beforeIndexing = await findsByNumber(gateway);
  assert.ok(beforeIndexing.includes(msgKey));
  await gateway.gateway.store.search.index(gateway.clock.now() + 60_000, 1000);
  assert.deepEqual(await findsByNumber(gateway), beforeIndexing, 'by the keyed hash, as before it');

  const open = await storedBytes(store);
  assert.ok(placesOf(open, [msgKey]).length > 0, 'what is there is found');
  assert.deepEqual(placesOf(open, HIDDEN), []);
  await gateway.close();
  assert.deepEqual(placesOf(await storedBytes(store), HIDDEN), []);
});

test('without a key the same look finds them', async t => {
  const store = await freshStore(t);
  const gateway = await openWith(t, store, undefined);
  await useEverything(gateway);
  const places = placesOf(await storedBytes(store), HIDDEN);
  for (const hidden of HIDDEN.filter(text => text !== '2938-4756'))
    assert.ok(
      places.some(place => place.endsWith(hidden)),
      hidden,
    );
});

test('a gateway without the key of its store does not start, and says which one it lacks', async t => {
  const store = await freshStore(t);
  const first = await openWith(t, store, KEY);
  const shop = await first.account('shop');
  const { msgKey = '' } = (await shop.sms({ to: NUMBER, text: TEXT })).body;
  await shop.reportsOf(msgKey);
  const [id = ''] = first.gateway.store.dataKeys.own;
  await first.close();

  await assert.rejects(openWith(t, store, undefined), {
    message: new RegExp(`sealed with the data key ${id}, and BONGSU_DATA_KEY is not set`),
  });
  const other = randomBytes(32).toString('hex');
  await assert.rejects(openWith(t, store, other), new RegExp(`${id}, and BONGSU_DATA_KEY has [0-9a-f]{6}:`));

  const again = await openWith(t, store, `${other},${KEY}`, first.clock);
  const client = new Client(again, 'shop', shop.token);
  assert.equal((await client.inquire(msgKey)).length, 1);
  const { request } = (await operatorOf(again)('GET', `/messages/${msgKey}`)).body.data;
  assert.deepEqual([request.body.to, request.body.text], [NUMBER, TEXT]);
  assert.deepEqual(await findsByNumber(again), [msgKey]);
});

test('what was stored before the first key is read, found and settled with it', async t => {
  const store = await freshStore(t);
  const first = await openWith(t, store, undefined);
  const shop = await first.account('shop');
  const sent = await shop.sms({ to: NUMBER, text: TEXT }, { 'idempotency-key': 'once' });
  const { msgKey = '' } = sent.body;
  await shop.reportsOf(msgKey);
  await first.gateway.store.search.index(first.clock.now() + 60_000, 1000);
  await holdQueue(first);
  first.clock.advance(1);
  const waiting = (await shop.sms({ to: NUMBER, text: TEXT })).body.msgKey;
  await first.close();

  const again = await openWith(t, store, KEY, first.clock);
  const client = new Client(again, 'shop', shop.token);
  await operatorOf(again)('POST', '/carriers/simulator/resume');
  assert.equal((await client.reportsOf(waiting))[0]?.reportCode, '10000');
  assert.deepEqual(await findsByNumber(again), [waiting, msgKey]);
  const replayed = await client.sms({ to: NUMBER, text: TEXT }, { 'idempotency-key': 'once' });
  assert.equal(replayed.body.msgKey, msgKey);
});

/** Runs `bongsu data-key reseal` in this process. */
async function reseal(store: Env, keys: string) {
  const config = loadConfig({ ...store, BONGSU_DATA_KEY: keys }, CHANNELS);
  const { dataKeys, close } = await openDataKeys(config, 'reseal');
  try {
    const result = await dataKeys.reseal(() => {});
    const again = await dataKeys.reseal(() => {});
    assert.equal(again.changed, 0, 'a second time there is nothing to do');
    return { ...result, status: await dataKeys.status() };
  } finally {
    await close();
  }
}

test('a text that looks sealed is a text, while a key is introduced and after', async t => {
  const store = await freshStore(t);
  const names = [`~1${'A'.repeat(60)}`, `${beginningsOf(idOf(KEY)).sealed}${'B'.repeat(60)}`];
  const body = { messageFlow: [sms({ text: TEXT })], destinations: [{ to: NUMBER }] };
  let clock: ManualClock | undefined;
  let token = '';
  for (const keys of [undefined, `plain,${KEY}`, KEY]) {
    const gateway = await openWith(t, store, keys, clock);
    const shop = clock ? new Client(gateway, 'shop', token) : await gateway.account('shop');
    token = shop.token;
    clock = gateway.clock;
    for (const resvName of names) {
      const reserved = await shop.call('POST', '/v1/reservation', {
        ...{ ...body, resvName, resvSendTime: '2026-02-01 09:00:00' },
      });
      assert.equal(reserved.body.code, 'A000', reserved.text);
    }
    const listed = await gateway.gateway.store.reservations.list({
      ...{ account: undefined, status: undefined, sendFrom: undefined, before: undefined, limit: 10 },
    });
    assert.deepEqual(new Set(listed.map(({ name }) => name)), new Set(names));
    await gateway.close();
  }
  const { status } = await reseal(store, KEY);
  assert.deepEqual(new Set(status.values.map(({ key }) => key)), new Set([idOf(KEY)]));
});

const MOST_VACUUMS = 5;

/** PostgreSQL keeps rows as they were until they are vacuumed. */
async function rewritePostgres({ BONGSU_DATABASE_URL: url }: Env): Promise<void> {
  if (!url) return;
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM FULL');
  await client.end();
}

function idOf(key: string): string {
  const config = loadConfig({ BONGSU_DATA_KEY: key }, CHANNELS);
  const keys = config.secrets.dataKeys?.reveal();
  assert.ok(keys);
  return createVault(keys).names[0] ?? '';
}

test('everything is sealed with the first key, then with another, then with none', async t => {
  const store = await freshStore(t);
  const first = await openWith(t, store, undefined);
  const [msgKey = ''] = await useEverything(first);
  await first.gateway.store.search.index(first.clock.now() + 60_000, 1000);
  const found = await findsByNumber(first);
  const { clock } = first;
  await first.close();
  const rotated = randomBytes(32).toString('hex');

  const sealed = await reseal(store, KEY);
  assert.ok(sealed.changed > 10);
  assert.deepEqual(new Set(sealed.status.values.map(({ key }) => key)), new Set([idOf(KEY)]));

  const anew = await reseal(store, `${rotated},${KEY}`);
  assert.deepEqual([anew.unused, anew.inUse], [[idOf(KEY)], [idOf(rotated)]]);
  const old = Object.values(beginningsOf(idOf(KEY)));
  const now = Object.values(beginningsOf(idOf(rotated)));
  let stored = await storedBytes(store);
  // Rows that another session of the server may see, such as autovacuum's, survive a VACUUM.
  for (
    let vacuums = 0;
    vacuums < MOST_VACUUMS && placesOf(stored, [...HIDDEN, ...old]).length > 0;
    vacuums++
  ) {
    await rewritePostgres(store);
    stored = await storedBytes(store);
  }
  assert.deepEqual(placesOf(stored, [...HIDDEN, ...old]), [], 'every place is known');
  assert.ok(placesOf(stored, now).length >= 2);

  const gateway = await openWith(t, store, rotated, clock);
  const audit = (await operatorOf(gateway)('GET', '/audit')).body.data.entries;
  const recorded = audit.find(({ action }: { action: string }) => action === 'data-key.reseal');
  assert.deepEqual([recorded.who, recorded.target], ['cli', idOf(rotated)]);
  assert.deepEqual(await findsByNumber(gateway), found);
  const { request } = (await operatorOf(gateway)('GET', `/messages/${msgKey}`)).body.data;
  assert.deepEqual([request.body.to, request.body.text], [NUMBER, `${TEXT} ${KOREAN_TEXT}`]);
  const parked = await gateway.gateway.store.queue.parkedFor('simulator', ['29384756'], clock.now() + 1);
  assert.equal(parked.length, 1);
  await gateway.close();

  const plain = await reseal(store, `plain,${rotated}`);
  assert.deepEqual([plain.unused, plain.inUse], [[idOf(rotated)], []]);
  const without = await openWith(t, store, undefined, clock);
  assert.deepEqual(await findsByNumber(without), found);
});
