/** Whoever can write to the database cannot change what is encrypted there, nor use it in another place. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import pg from 'pg';
import { openDataKeys } from '../../src/composition/data-key-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { MsgKey } from '../../src/domain/ids.ts';
import { createVault } from '../../src/platform/vault.ts';
import { bigint } from '../../src/store/records/columns.ts';
import { CARRIER_REF_COLUMNS } from '../../src/store/records/receipt-columns.ts';
import { readColumnsOf, sealedTablesOf } from '../../src/store/sealed-tables.ts';
import { DATABASE_FILE } from '../../src/store/sqlite/sqlite-store.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import type { Env } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { useEverything } from './everything.ts';
import { changeRows } from './stored-rows.ts';

const KEY = randomBytes(32);

/** Of an encrypted value, behind the mark: the key's id, the salt of the process and the number of the value. */
const NUMBER_BYTES = 4;
const NONCE_BYTES = 3 + 12 + NUMBER_BYTES;
/** What a row belongs to, wherever its table says so. */
const OWNERS = ['account', 'resv_key', 'request_id', 'msg_key'];
/** The key of a message is of one account; an order may be for all accounts. */
const WITHOUT_ACCOUNT = new Set(['webhook_delivery.recent', 'erasure.number']);

function nonceOf(stored: string): string {
  return Buffer.from(stored.slice(2, 30), 'base64url').subarray(0, NONCE_BYTES).toString('hex');
}

type Row = Record<string, unknown>;

async function rowsOf(env: Env, sql: string): Promise<Row[]> {
  if (!env.BONGSU_DATABASE_URL) {
    const db = new DatabaseSync(join(env.BONGSU_DATA_DIR ?? '', DATABASE_FILE), { readOnly: true });
    const rows = db.prepare(sql).all();
    db.close();
    return rows;
  }
  const client = new pg.Client(env.BONGSU_DATABASE_URL);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

for (const engine of ENGINES) {
  test(`on ${engine} a value decrypts only in its own row and column, and not when it was cut or changed`, async t => {
    const store = await freshStore(t, engine);
    const env = { ...store, BONGSU_DATA_KEY: KEY.toString('hex') };
    const gateway = await testGateway(t, env);
    await useEverything(gateway);
    await gateway.close();
    const restarted = await testGateway(t, env, gateway.clock);
    await useEverything(restarted, ['second-shop', 'second-cafe']);
    await restarted.close();

    const vault = createVault({ keys: [KEY], isSealing: true });
    const { carrier, ref, msgKey, part } = CARRIER_REF_COLUMNS;
    const refKey = engine === 'sqlite' ? [bigint('id')] : [carrier, ref, msgKey, part];
    const values = [];
    const nonces: string[] = [];
    for (const table of sealedTablesOf(vault, refKey)) {
      const rows = await rowsOf(
        store,
        `SELECT ${readColumnsOf(table).join(', ')} FROM ${table.table} WHERE ${table.where ?? '1 = 1'}`,
      );
      for (const { name, kind, anew, empty, boundTo = [] } of table.columns) {
        if (kind === 'hashed') continue;
        const stored = rows.filter(row => row[name] !== null && row[name] !== empty);
        const place = `${table.table}.${name}`;
        nonces.push(...stored.map(row => nonceOf(String(row[name]))));
        // What was given to another account, list or number does not open there.
        for (const bound of boundTo) {
          for (const row of stored.slice(0, 2)) {
            const moved = { ...row, [bound]: row[bound] === 7 ? 8 : 7 };
            assert.throws(() => anew(moved, moved), /was changed/, `${place} with another ${bound}`);
          }
        }
        const [whole = {}] = await rowsOf(store, `SELECT * FROM ${table.table} LIMIT 1`);
        for (const owner of OWNERS) {
          if (!(owner in whole) || (owner === 'account' && WITHOUT_ACCOUNT.has(place))) continue;
          assert.ok(boundTo.includes(owner), `${place} is bound to its ${owner}`);
        }
        assert.ok(stored.length >= 2, `${place} has too few values to be compared: ${stored.length}`);
        for (const row of stored.slice(0, 2)) {
          const opened = (text: string) => anew({ ...row, [name]: text }, row);
          values.push({ place, opened, text: String(row[name]), empty });
        }
      }
    }
    assert.equal(new Set(nonces).size, nonces.length, 'no nonce was used twice');
    const salts = new Set(nonces.map(each => each.slice(0, -2 * NUMBER_BYTES)));
    assert.equal(salts.size, 2, 'the gateway was started twice');
    vault.mode = 'strict';
    for (const { place, opened, text, empty } of values) {
      assert.doesNotThrow(() => opened(text), place);
      // One that was encrypted by this very process as well.
      const again = opened(text);
      for (const own of [text, again]) {
        assert.doesNotThrow(() => opened(own), place);
        for (let end = empty === '' ? 1 : 0; end < own.length; end += 7)
          assert.throws(() => opened(own.slice(0, end)), `${place} cut at ${end}`);
        for (let index = 0; index < own.length; index += 3) {
          const changed = own[index] === 'A' ? 'B' : 'A';
          const text = own.slice(0, index) + changed + own.slice(index + 1);
          assert.throws(() => opened(text), `${place} changed at ${index}`);
        }
      }
      for (const other of values) {
        if (other.text === text) continue;
        assert.throws(() => opened(other.text), /changed|form/, `${other.place} in ${place}`);
        assert.throws(() => opened(other.opened(other.text)), /changed|form/, `${other.place} in ${place}`);
      }
    }
  });

  test(`on ${engine} numbers that were exchanged in the database are shown by nobody, also not by the gateway that wrote them`, async t => {
    const store = await freshStore(t, engine);
    const gateway = await testGateway(t, { ...store, BONGSU_DATA_KEY: KEY.toString('hex') });
    const [shop, cafe] = [await gateway.account('shop'), await gateway.account('cafe')];
    const keys = [];
    for (const [client, to] of [
      [shop, '01029384756'],
      [shop, '01029384757'],
      [cafe, '01029384758'],
    ] as const) {
      const { msgKey = '' } = (await client.sms({ to, text: 'zebra' })).body;
      await client.reportsOf(msgKey);
      keys.push(msgKey);
    }
    const { search, queue } = gateway.gateway.store;
    const [one, two, three] = keys;
    await changeRows(
      store,
      `UPDATE message SET recipient = other.recipient FROM (SELECT msg_key, recipient FROM message) AS other
        WHERE other.msg_key =
              CASE message.msg_key WHEN '${one}' THEN '${two}' WHEN '${two}' THEN '${three}' ELSE '${one}' END`,
    );
    const { messages } = await search.find({ limit: 10 });
    assert.deepEqual(
      messages.map(({ to }) => to),
      ['?', '?', '?'],
    );
    const aside = await until('they are set aside', async () => {
      const listed = await queue.listSetAside(10);
      return listed.length === keys.length && listed;
    });
    for (const { reason } of aside) assert.match(reason, /message.recipient was changed after it was stored/);
  });
}

test('a backup from before the re-encryption is read as what it is: its mode is in it', async t => {
  const store = await freshStore(t, 'sqlite');
  const dataDir = store.BONGSU_DATA_DIR ?? '';
  const env = { ...store, BONGSU_DATA_KEY: KEY.toString('hex') };
  const before = await testGateway(t, store);
  const shop = await before.account('shop');
  const msgKey = (await shop.sms({ to: '01029384756', text: 'zebra' })).body.msgKey as MsgKey;
  await shop.reportsOf(msgKey);
  await before.close();
  const backup = scratchDirectory();
  cpSync(dataDir, backup, { recursive: true });
  const reseal = async () => {
    const { dataKeys, close } = await openDataKeys(loadConfig(env, CHANNELS), 'reseal');
    const { changed, isStrict } = await dataKeys.reseal(() => {});
    await close();
    return [changed > 0, isStrict];
  };
  assert.deepEqual(await reseal(), [true, true]);

  rmSync(dataDir, { recursive: true });
  cpSync(backup, dataDir, { recursive: true });
  const restored = await testGateway(t, env, before.clock);
  assert.notEqual(restored.gateway.store.dataKeys.mode, 'strict');
  assert.equal((await restored.gateway.store.messages.find(msgKey))?.to, '01029384756');
  await restored.close();
  assert.deepEqual(await reseal(), [true, true]);
});

for (const engine of ENGINES) {
  test(`on ${engine} what was erased or removed is not encrypted again, and a strict store reads it`, async t => {
    const store = await freshStore(t, engine);
    const env = { ...store, BONGSU_DATA_KEY: KEY.toString('hex') };
    const before = await testGateway(t, store);
    const shop = await before.account('shop');
    const keys: MsgKey[] = [];
    for (const to of ['01029384756', '01029384757', '01029384758']) {
      const msgKey = (await shop.sms({ to, text: 'zebra' })).body.msgKey as MsgKey;
      await shop.reportsOf(msgKey);
      keys.push(msgKey);
    }
    const [erased = '' as MsgKey] = keys;
    assert.equal(keys.length, 3);
    const { privacy, upkeep } = before.gateway.store;
    const now = before.clock.now();
    const order = {
      id: 'order',
      orderedAt: now,
      account: undefined,
      recipient: '010****4756',
      withImages: false,
    };
    await privacy.order(order);
    await privacy.erase(order.id, [erased], now);
    await upkeep.removeTexts({ now, acceptedBefore: now + 1 });
    const { clock } = before;
    await before.close();

    const { dataKeys, close } = await openDataKeys(loadConfig(env, CHANNELS), 'reseal');
    assert.ok((await dataKeys.reseal(() => {})).isStrict);
    await close();
    const after = await testGateway(t, env, clock);
    const { messages } = after.gateway.store;
    const found = [];
    for (const key of keys) found.push(await messages.find(key));
    assert.deepEqual(
      found.map(message => message && [message.to, message.flow]),
      ['erased', '01029384757', '01029384758'].map(to => [to, [{ channel: 'sms' }]]),
    );
    assert.equal(await after.gateway.store.privacy.textFate(erased), 'removed');
    assert.deepEqual(await after.gateway.store.queue.listSetAside(10), []);
  });
}
