/** Encrypted at rest: what a gateway with a data key keeps, and that it works as one without. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import pg from 'pg';
import { openDataKeys } from '../../src/composition/data-key-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { MsgKey } from '../../src/domain/ids.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import { BEGINNINGS, createVault, idText } from '../../src/platform/vault.ts';
import { sealedTablesOf } from '../../src/store/sealed-tables.ts';
import type { NewInbound } from '../../src/store/store.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import type { Env } from '../harness/process.ts';
import { storedBytes } from '../harness/stored-bytes.ts';
import { HIDDEN, KOREAN_TEXT, NUMBER, TEXT, useEverything } from './everything.ts';

const KEY = randomBytes(32).toString('base64');

async function openWith(t: TestContext, store: Env, keys: string | undefined, clock?: ManualClock) {
  return testGateway(t, { ...store, ...(keys !== undefined && { BONGSU_DATA_KEY: keys }) }, clock);
}

async function findsByNumber(gateway: TestGateway): Promise<string[]> {
  const answer = await gateway.operator('GET', `/messages?to=${NUMBER}&limit=200`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.messages.map(({ msgKey }: { msgKey: string }) => msgKey);
}

test('a store with a data key contains no number and no text of a message in clear', async t => {
  const store = await freshStore(t);
  const gateway = await openWith(t, store, KEY);
  const [msgKey = ''] = await useEverything(gateway);
  const beforeIndexing = await findsByNumber(gateway);
  assert.ok(beforeIndexing.includes(msgKey));
  await gateway.gateway.store.search.index(gateway.clock.now() + 60_000, 1000);
  assert.deepEqual(await findsByNumber(gateway), beforeIndexing, 'by the keyed hash, as before it');

  const open = await storedBytes(store);
  assert.ok(open.placesOf([msgKey]).length > 0, 'what is there is found');
  assert.deepEqual(open.placesOf(HIDDEN), []);
  await gateway.close();
  assert.deepEqual((await storedBytes(store)).placesOf(HIDDEN), []);
});

test('the same search finds them in a store without a data key', async t => {
  const store = await freshStore(t);
  const gateway = await openWith(t, store, undefined);
  await useEverything(gateway);
  const places = (await storedBytes(store)).placesOf(HIDDEN);
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
    message: new RegExp(`encrypted with the data key ${id}, and BONGSU_DATA_KEY is not set`),
  });
  const other = randomBytes(32).toString('hex');
  await assert.rejects(openWith(t, store, other), new RegExp(`${id}, and BONGSU_DATA_KEY has [0-9a-f]{6}:`));

  const again = await openWith(t, store, `${other},${KEY}`, first.clock);
  const client = new Client(again, 'shop', shop.token);
  assert.equal((await client.inquire(msgKey)).length, 1);
  const { request } = await again.message(msgKey);
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
  await first.holdQueue();
  first.clock.advance(1);
  const waiting = (await shop.sms({ to: NUMBER, text: TEXT })).body.msgKey;
  await first.close();

  const again = await openWith(t, store, KEY, first.clock);
  const client = new Client(again, 'shop', shop.token);
  await again.releaseQueue();
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

test('a message without an id that a carrier repeats after the re-encryption is stored once', async t => {
  const store = await freshStore(t);
  const first = await openWith(t, store, KEY);
  const said: NewInbound = {
    ...{ msgKey: 'M'.repeat(32) as MsgKey, account: undefined, carrier: 'sky', carrierId: undefined },
    ...{ occurrence: 1, to: '15881234', from: NUMBER, text: TEXT, keyword: undefined, rulesAt: undefined },
    receivedAt: first.clock.now(),
  };
  const [{ isNew } = {}] = await first.gateway.store.inbound.add([said]);
  assert.equal(isNew, true);
  await first.close();

  const keys = `${randomBytes(32).toString('hex')},${KEY}`;
  await (await openWith(t, store, keys, first.clock)).close();
  await reseal(store, keys);
  const again = await openWith(t, store, keys, first.clock);
  const repeated = { ...said, msgKey: 'N'.repeat(32) as MsgKey };
  assert.deepEqual(await again.gateway.store.inbound.add([repeated]), [
    { msgKey: said.msgKey, isNew: false },
  ]);
});

test('a text that looks sealed is a text, while a key is introduced and after', async t => {
  const store = await freshStore(t);
  const names = [`~1${'A'.repeat(60)}`, `~2${'A'.repeat(60)}`];
  names.push(...beginningsOf(idOf(KEY)).map(begins => begins + 'B'.repeat(60)));
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

/** How what is encrypted with a key begins, and how its hashes do. */
function beginningsOf(id: string): string[] {
  return Object.values(BEGINNINGS).map(mark => mark + idText(id));
}

function idOf(key: string): string {
  const config = loadConfig({ BONGSU_DATA_KEY: key }, CHANNELS);
  const keys = config.secrets.dataKeys?.reveal();
  assert.ok(keys);
  return createVault(keys).names[0] ?? '';
}

test('everything is encrypted with the first key, then with another, then with none', async t => {
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
  assert.deepEqual([sealed.isStrict, sealed.status.mode], [true, 'strict']);
  const filled = new Set(sealed.status.values.map(({ table }) => table));
  assert.deepEqual(
    sealedTablesOf(undefined, []).filter(({ table }) => !filled.has(table)),
    [],
    'useEverything fills every table that has something sealed',
  );
  assert.deepEqual(new Set(sealed.status.values.map(({ key }) => key)), new Set([idOf(KEY)]));

  const anew = await reseal(store, `${rotated},${KEY}`);
  assert.deepEqual([anew.unused, anew.inUse], [[idOf(KEY)], [idOf(rotated)]]);
  const old = beginningsOf(idOf(KEY));
  const now = beginningsOf(idOf(rotated));
  let stored = await storedBytes(store);
  // Rows that another session of the server may see, such as autovacuum's, survive a VACUUM.
  for (
    let vacuums = 0;
    vacuums < MOST_VACUUMS && stored.placesOf([...HIDDEN, ...old]).length > 0;
    vacuums++
  ) {
    await rewritePostgres(store);
    stored = await storedBytes(store);
  }
  assert.deepEqual(stored.placesOf([...HIDDEN, ...old]), [], 'every place is known');
  assert.ok(stored.placesOf(now).length >= 2);

  const gateway = await openWith(t, store, rotated, clock);
  const audit = (await gateway.operator('GET', '/audit')).body.data.entries;
  const recorded = audit.find(({ action }: { action: string }) => action === 'data-key.reseal');
  assert.deepEqual([recorded.who, recorded.target], ['cli', idOf(rotated)]);
  assert.deepEqual(await findsByNumber(gateway), found);
  const { request } = await gateway.message(msgKey);
  assert.deepEqual([request.body.to, request.body.text], [NUMBER, `${TEXT} ${KOREAN_TEXT}`]);
  const parked = await gateway.gateway.store.queue.parkedFor('simulator', ['29384756'], clock.now() + 1);
  assert.equal(parked.length, 1);
  await gateway.close();

  await assert.rejects(
    reseal(store, `plain,${rotated}`),
    /run "bongsu data-key relax" before you put "plain" first/,
  );
  const tools = await openDataKeys(loadConfig({ ...store, BONGSU_DATA_KEY: rotated }, CHANNELS), 'relax');
  assert.ok(await tools.dataKeys.relax());
  await tools.close();
  const plain = await reseal(store, `plain,${rotated}`);
  assert.deepEqual([plain.unused, plain.inUse], [[idOf(rotated)], []]);
  const without = await openWith(t, store, undefined, clock);
  assert.deepEqual(await findsByNumber(without), found);
});
