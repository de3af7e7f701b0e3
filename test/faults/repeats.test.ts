/** Carriers that promise to send an attempt once, however often it comes: what is repeated, where, and until when. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ENGINES, type Engine, freshStore } from '../harness/engines.ts';
import { Network } from '../harness/network.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const HOUR_MS = 3_600_000;
const repeatable = (name: string) => new ScriptedCarrier(name, { repeatableForMs: HOUR_MS });

/** Two messages that the carrier has taken, two without an answer; then the process ends and another begins. */
async function restarted(t: TestContext, engine: Engine, isDown: boolean) {
  const env = { ...(await freshStore(t, engine)), BONGSU_SHUTDOWN_TIMEOUT: '1s' };
  const before = repeatable('sky');
  before.isHanging = true;
  const first = await Network.open(t, { env, carriers: [before, new ScriptedCarrier('sea')] });
  const keys: string[] = [];
  for (let count = 0; count < 4; count++) {
    keys.push(String((await first.client.sms({ to: `0103333000${count}` })).body.msgKey));
  }
  await until('all are submitted', () => before.submitted.length === 4);
  for (const { submission, answer } of before.submitted) {
    if (keys.indexOf(submission.attemptId.slice(0, 32)) < 2) answer(accept(submission));
  }
  await until('two are with the carrier', async () => (await first.message(keys[1])).state === 'submitted');
  await until('two are with the carrier', async () => (await first.message(keys[0])).state === 'submitted');
  await first.gateway.close();
  const sky = repeatable('sky');
  const sea = new ScriptedCarrier('sea');
  sky.reply = accept;
  sea.reply = accept;
  if (isDown) sky.become('down');
  const network = await Network.open(t, {
    env,
    clock: first.gateway.clock,
    carriers: [sky, sea],
  });
  return { network, sky, sea, keys };
}

for (const engine of ENGINES) {
  test(`${engine}: after a restart only what is in doubt is submitted again, under its attempt id`, async t => {
    const { network, sky, sea, keys } = await restarted(t, engine, false);
    await network.inTime('what is in doubt is repeated', () => sky.submitted.length >= 2);
    await network.pass(10);
    const repeated = sky.submitted.map(({ submission }) => submission.attemptId).toSorted();
    assert.deepEqual(repeated, [`${keys[2]}-0-1`, `${keys[3]}-0-1`].toSorted());
    assert.deepEqual(sea.submitted, []);
    for (const key of keys) await sky.receive({ attemptId: `${key}-0-1`, reportCode: '10000' });
    for (const key of keys) assert.deepEqual(await network.codes(key), ['10000']);
  });

  test(`${engine}: while the carrier is down nothing in doubt goes out by another, and receipts count`, async t => {
    const { network, sky, sea, keys } = await restarted(t, engine, true);
    await network.pass(60);
    assert.deepEqual([...sky.submitted, ...sea.submitted], []);
    await sky.receive({ attemptId: `${keys[2]}-0-1`, reportCode: '10000' });
    assert.deepEqual(await network.codes(keys[2]), ['10000']);
    sky.become('up');
    await network.inTime('the other is repeated', () => sky.submitted.length === 1);
    assert.equal(sky.submitted[0]?.submission.attemptId, `${keys[3]}-0-1`);
    assert.deepEqual(sea.submitted, []);
  });

  test(`${engine}: nothing is repeated after the time that the provider promised`, async t => {
    const { network, sky, keys } = await restarted(t, engine, true);
    await network.pass(5);
    network.gateway.clock.advance(2 * HOUR_MS);
    sky.become('up');
    await network.inTime('it is unknown', async () => (await network.message(keys[3])).state === 'unknown');
    await network.pass(5);
    assert.deepEqual(sky.submitted, []);
  });
}
