/** A new data key comes to a cluster node by node, without a moment in which one seals what another cannot read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { freshStore } from '../harness/engines.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];

test('a node does not seal with a key that another lacks; in the right order every node reads everything', async t => {
  const store = await freshStore(t, 'postgres');
  const clock = new ManualClock();
  const start = (keys?: string): Promise<TestGateway> =>
    testGateway(t, { ...store, ...(keys !== undefined && { BONGSU_DATA_KEY: keys }) }, clock);

  let one = await start();
  let two = await start();
  const shop = await one.account('shop');
  await assert.rejects(start(OLD), /could not read what is sealed .*first add the key at the end/s);
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
