/** A new data key, and a new form of encryption, come to a cluster without a moment in which a node writes what another cannot read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import pg from 'pg';
import { openDataKeys } from '../../src/composition/data-key-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { MsgKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { BEGINNINGS, idText } from '../../src/platform/vault.ts';
import { freshStore } from '../harness/engines.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];

test('a node does not encrypt with a key that another lacks; in the right order every node reads everything', async t => {
  const store = await freshStore(t, 'postgres');
  const clock = new ManualClock();
  const start = (keys?: string): Promise<TestGateway> =>
    testGateway(t, { ...store, ...(keys !== undefined && { BONGSU_DATA_KEY: keys }) }, clock);

  let one = await start();
  let two = await start();
  const shop = await one.account('shop');
  await assert.rejects(start(OLD), /could not read what is encrypted .*first add the key at the end/s);
  const roll = async (keys: string) => {
    await one.close();
    one = await start(keys);
    await two.close();
    two = await start(keys);
  };
  await roll(`plain,${OLD}`);
  await roll(OLD);
  await assert.rejects(start(`${NEW},${OLD}`), /node-.* could not read/);
  await roll(`${OLD},${NEW}`);
  // One seals with the new key while the other still does with the old.
  await one.close();
  one = await start(`${NEW},${OLD}`);
  for (const [from, by] of [
    [one, two],
    [two, one],
  ] as const) {
    const sent = await new Client(from, 'shop', shop.token).sms({ to: '01029384756', text: 'zebra' });
    assert.equal((await new Client(by, 'shop', shop.token).reportsOf(sent.body.msgKey)).length, 1);
    const found = await by.gateway.store.messages.find(sent.body.msgKey as never);
    assert.equal(found?.to, '01029384756');
  }
});

test('a key is replaced while two nodes send: nothing is lost, and nothing is left under the old one', async t => {
  const store = await freshStore(t, 'postgres');
  const clock = new ManualClock();
  const start = (keys: string) => testGateway(t, { ...store, BONGSU_DATA_KEY: keys }, clock);
  let nodes = [await start(OLD), await start(OLD)];
  const shop = await nodes[0]?.account('shop');
  const sent: string[] = [];
  const sendByAll = async () => {
    for (const node of nodes) {
      const { msgKey = '' } = (await new Client(node, 'shop', shop?.token ?? '').sms({ to: '01029384756' }))
        .body;
      sent.push(msgKey);
    }
  };
  await sendByAll();
  for (const keys of [`${OLD},${NEW}`, `${NEW},${OLD}`]) {
    const next = [];
    for (const node of nodes) {
      await node.close();
      next.push(await start(keys));
    }
    nodes = next;
    await sendByAll();
  }
  const config = loadConfig({ ...store, BONGSU_DATA_KEY: `${NEW},${OLD}` }, CHANNELS);
  const { dataKeys, close } = await openDataKeys(config, 'reseal');
  const sending: Promise<void>[] = [];
  const { unused, isStrict } = await dataKeys.reseal(() => sending.push(sendByAll()));
  await Promise.all(sending);
  await close();
  assert.deepEqual([unused.length, isStrict], [1, true]);

  for (const node of nodes) await node.close();
  const last = await start(NEW);
  assert.ok(sent.length > 20);
  for (const msgKey of sent) {
    const found = await last.gateway.store.messages.find(msgKey as MsgKey);
    assert.equal(found?.to, '01029384756');
  }
  assert.deepEqual(await last.gateway.store.queue.listSetAside(10), []);
});

test('nodes use the form of version 0.2 until everything is re-encrypted, and then accept only the new form', async t => {
  const store = await freshStore(t, 'postgres');
  const env = { ...store, BONGSU_DATA_KEY: OLD };
  const clock = new ManualClock();
  const db = new pg.Client(store.BONGSU_DATABASE_URL);
  await db.connect();
  t.after(() => db.end());
  const formsOf = async () => {
    const { rows } = await db.query(
      'SELECT DISTINCT substr(recipient, 1, 2) AS form FROM message ORDER BY 1',
    );
    return rows.map(({ form }) => form);
  };
  const toolsFor = (keys: string, access: 'relax' | 'reseal') =>
    openDataKeys(loadConfig({ ...env, BONGSU_DATA_KEY: keys }, CHANNELS), access);
  const reseal = async (keys = OLD) => {
    const { dataKeys, close } = await toolsFor(keys, 'reseal');
    let isOver = false;
    const resealing = dataKeys
      .reseal(() => {})
      .finally(() => {
        isOver = true;
      });
    resealing.catch(() => {});
    // Nodes learn of it with their heartbeats.
    await until('it is over', () => {
      clock.advance(1000);
      return isOver;
    });
    return resealing.finally(close);
  };

  // A store of version 0.2 with a node of it, which tells nothing about encryption.
  let one = await testGateway(t, env, clock);
  const id = one.gateway.store.dataKeys.own[0] ?? '';
  await one.close();
  await db.query("DELETE FROM data_key WHERE id IN ('gcm', 'strict')");
  const profile = JSON.stringify({ mode: '', carriers: [], channels: [], dataKeys: [id] });
  await db.query("INSERT INTO node (id, alive_until, profile) VALUES ('old', now() + interval '1 day', $1)", [
    profile,
  ]);

  one = await testGateway(t, env, clock);
  let two = await testGateway(t, env, clock);
  const shop = await one.account('shop');
  const sendBy = async (node: TestGateway) => {
    const sent = await new Client(node, 'shop', shop.token).sms({ to: '01029384756', text: 'zebra' });
    assert.equal((await new Client(two, 'shop', shop.token).reportsOf(sent.body.msgKey)).length, 1);
    return sent.body.msgKey ?? '';
  };
  await sendBy(one);
  await sendBy(two);
  assert.deepEqual(await formsOf(), ['~1']);
  await assert.rejects(
    reseal(),
    /^DataKeyProblem: old could not read what this version encrypts: upgrade every node first/,
  );
  await sendBy(one);
  assert.deepEqual(await formsOf(), ['~1']);

  await db.query("UPDATE node SET alive_until = now() - interval '1 hour' WHERE id = 'old'");
  await assert.rejects(
    reseal(),
    /^DataKeyProblem: old could not read .* or "bongsu node forget" one that is gone/,
  );
  assert.deepEqual(await formsOf(), ['~1'], 'a node that was frozen for an hour may go on');
  await one.gateway.store.nodes.forget('old');
  const { isStrict } = await reseal();
  assert.ok(isStrict);
  const last = await sendBy(one);
  await sendBy(two);
  assert.deepEqual(await formsOf(), ['~2']);

  // Version 0.2 takes the marks for keys that it lacks, and does not start.
  const { rows } = await db.query('SELECT id FROM data_key ORDER BY id');
  assert.deepEqual(
    rows,
    [id, 'gcm', 'strict'].sort().map(each => ({ id: each })),
  );

  await until('both nodes know that it is strict', () => {
    clock.advance(1000);
    return [one, two].every(({ gateway }) => gateway.store.dataKeys.mode === 'strict');
  });
  await db.query("UPDATE message SET recipient = '01000000000' WHERE msg_key = $1", [last]);
  const shownBy = async (node: TestGateway) => {
    const answer = await node.operator('GET', '/messages?limit=50');
    const messages: { msgKey: string; to: string }[] = answer.body.data.messages;
    return messages.find(({ msgKey }) => msgKey === last)?.to;
  };
  assert.deepEqual([await shownBy(one), await shownBy(two)], ['?', '?']);
  await two.close();
  two = await testGateway(t, env, clock);
  assert.equal(await shownBy(two), '?', 'also after a restart');

  // Nodes that would write plain values do not start until the store reads them again.
  const plain = { ...env, BONGSU_DATA_KEY: `plain,${OLD}` };
  await assert.rejects(
    testGateway(t, plain, clock),
    /run "bongsu data-key relax" before you put "plain" first/,
  );
  await assert.rejects(
    toolsFor(`plain,${OLD}`, 'reseal'),
    /run "bongsu data-key relax" before you put "plain" first/,
  );
  const { dataKeys, close } = await toolsFor(OLD, 'relax');
  assert.deepEqual([await dataKeys.relax(), await dataKeys.relax()], [true, false]);
  await close();
  await until('the other node reads it again', async () => {
    clock.advance(1000);
    return (await shownBy(one)) === '01000000000';
  });
  await two.close();
  two = await testGateway(t, plain, clock);
  const sent = await sendBy(two);
  assert.equal((await one.gateway.store.messages.find(sent as never))?.to, '01029384756');
  assert.equal((await reseal()).isStrict, false, 'a node writes plain values');
});

test('re-encryption that was interrupted goes on, and is strict only when all of it is done', async t => {
  const store = await freshStore(t, 'postgres');
  const db = new pg.Client(store.BONGSU_DATABASE_URL);
  await db.connect();
  t.after(() => db.end());
  const plain = await testGateway(t, store);
  const shop = await plain.account('shop');
  for (let index = 0; index < 3; index++) {
    const { msgKey } = (await shop.sms({ to: '01029384756', text: 'zebra' })).body;
    await shop.reportsOf(msgKey);
  }
  await plain.close();
  const config = loadConfig({ ...store, BONGSU_DATA_KEY: OLD }, CHANNELS);
  const first = await openDataKeys(config, 'reseal');
  const seen: string[] = [];
  const interrupted = first.dataKeys.reseal(({ table }) => {
    seen.push(table);
    if (table === 'message') throw new Error('the process ends');
  });
  await assert.rejects(interrupted, /the process ends/);
  await first.close();
  assert.deepEqual([...new Set(seen)], ['request', 'message']);

  const second = await openDataKeys(config, 'reseal');
  const status = await second.dataKeys.status();
  assert.equal(status.mode, 'gcm');
  assert.ok(
    status.values.some(({ form }) => form === 'plain'),
    'not everything was reached',
  );
  // What cannot be read cannot be encrypted again either.
  const write = (recipient: string) =>
    db.query('UPDATE message SET recipient = $1 WHERE msg_key = (SELECT min(msg_key) FROM message)', [
      recipient,
    ]);
  await write(BEGINNINGS.ctr + idText(status.keys[0] ?? '') + 'A'.repeat(60));
  const result = await second.dataKeys.reseal(() => {});
  assert.equal(result.isStrict, false);
  assert.ok(result.changed > 0 && result.changed < result.seen);
  await write('01029384756');
  assert.ok((await second.dataKeys.reseal(() => {})).isStrict);
  const forms = new Set((await second.dataKeys.status()).values.map(({ form }) => form));
  assert.deepEqual(forms, new Set(['gcm']));
  await second.close();
});
