/** Answers and receipts that come late, early or without their reference: each ends where the lifecycle says. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { AccountSettings } from '../../src/domain/account/account.ts';
import { ENGINES, type Engine, freshStore } from '../harness/engines.ts';
import { type Network, networked } from '../harness/network.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

/** RCS by sky with an SMS by sea behind it. */
const RCS_THEN_SMS = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: rcs, via: [sky] }
  - { channel: sms, via: [sea] }
`;

const RCS = {
  from: '0212345678',
  to: '01012345678',
  brandKey: 'brand',
  formatId: 'SS000000',
  // Forty seconds.
  expiryOption: '2',
  content: { standalone: { text: 'hello' } },
  fallback: { type: 'SMS', text: 'hello' },
};

/** An RCS message whose submit was not answered in time: the SMS behind it is with its carrier. */
async function fallenBack(t: TestContext, engine: Engine, account: Partial<AccountSettings> = {}) {
  const network = await networked(t, { file: RCS_THEN_SMS, env: await freshStore(t, engine), account });
  network.carrier('sea').reply = accept;
  const { body } = await network.client.call('POST', '/v1/send/rcs', RCS);
  await until('it is submitted', () => network.carrier('sky').submitted.length === 1);
  await network.inTime('the fallback is', () => network.carrier('sea').submitted.length === 1, 1000);
  const [submitted] = network.carrier('sky').submitted;
  if (!submitted) throw new Error('nothing was submitted');
  return { network, msgKey: String(body.msgKey), answer: submitted.answer };
}

async function lateSteps(network: Network, msgKey: string): Promise<number[]> {
  const { timeline } = await network.message(msgKey);
  return timeline
    .filter(({ event }: { event: string }) => event === 'lateDelivery')
    .map(({ step }: { step: number }) => step);
}

for (const engine of ENGINES) {
  test(`${engine}: an answer after the deadline still names the carrier that was asked`, async t => {
    const { network, msgKey, answer } = await fallenBack(t, engine);
    answer({ kind: 'accepted', refs: ['r1'] });
    await network.pass(1);
    await network.carrier('sky').receive({ ref: 'r1', reportCode: '10000' });
    await network.inTime('it is told', async () => (await lateSteps(network, msgKey))[0] === 0);
    assert.deepEqual(await network.codes(msgKey), ['32000']);
  });

  test(`${engine}: a receipt that was parked is taken along by an answer after the deadline`, async t => {
    const { network, msgKey, answer } = await fallenBack(t, engine);
    await network.carrier('sky').receive({ ref: 'r1', reportCode: '10000' });
    assert.deepEqual(await lateSteps(network, msgKey), []);
    answer({ kind: 'accepted', refs: ['r1'] });
    await network.inTime('it is told', async () => (await lateSteps(network, msgKey)).length === 1);
  });

  test(`${engine}: a late success is a record of its own where the account asks for it`, async t => {
    const { network, msgKey, answer } = await fallenBack(t, engine, { lateReports: true });
    const [first] = (await network.client.poll()).body.data.report;
    assert.deepEqual([first.reportCode, first.serviceType], ['32000', 'RCS']);
    answer({ kind: 'accepted', refs: ['r1'] });
    await network.pass(1);
    const late = { ref: 'r1', reportCode: '10000', network: '10001' } as const;
    await network.carrier('sky').receive(late);
    await network.carrier('sky').receive(late);
    assert.deepEqual(await network.codes(msgKey, 2), ['32000', '10000']);
    const { reportId } = (await network.client.poll()).body.data;
    await network.client.call('DELETE', `/v1/report/polling/${reportId}`);
    const { report } = (await network.client.poll()).body.data;
    assert.deepEqual(
      report.map((record: Record<string, string>) => [record.reportCode, record.serviceType, record.carrier]),
      [['10000', 'RCS', '10001']],
    );
  });

  test(`${engine}: a failure that is about an earlier attempt does not end the one under way`, async t => {
    const network = await networked(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    const { msgKey } = (await network.client.sms()).body;
    await until('it is submitted', () => sky.submitted.length === 1);
    sky.submitted[0]?.answer({ kind: 'temporary', reportCode: '22003' });
    await network.inTime('it is tried again', () => sky.submitted.length === 2);
    await sky.receive({ attemptId: `${msgKey}-0-1`, reportCode: '23001' });
    await sky.receive({ attemptId: `${msgKey}-0-2`, reportCode: '10000' });
    assert.deepEqual(await network.codes(msgKey), ['10000']);
  });
}

/** Messages whose answers went down with the process: a second gateway finds them in doubt. */
async function afterCrash(t: TestContext, engine: Engine, recipients: readonly string[]) {
  const env = { ...(await freshStore(t, engine)), BONGSU_SHUTDOWN_TIMEOUT: '1s' };
  const first = await networked(t, { env });
  const keys: string[] = [];
  for (const to of recipients) keys.push(String((await first.client.sms({ to })).body.msgKey));
  await until('all are submitted', () => first.carrier('sky').submitted.length === recipients.length);
  await first.gateway.close();
  const clock = first.gateway.clock;
  const second = await networked(t, {
    env,
    clock,
    carriers: [new ScriptedCarrier('sky'), new ScriptedCarrier('sea')],
  });
  for (const key of keys) {
    await second.inTime(`${key} is in doubt`, async () => (await second.message(key)).state === 'unknown');
  }
  return { network: second, keys };
}

for (const engine of ENGINES) {
  test(`${engine}: a receipt whose reference died with its process settles the one step in doubt that it fits`, async t => {
    const { network, keys } = await afterCrash(t, engine, ['01011110001', '01011110002']);
    const sky = network.carrier('sky');
    await sky.receive({ ref: 'a', reportCode: '10000', to: '821011110001', from: '0212345678' });
    await sky.receive({ ref: 'b', reportCode: '23001', to: '821011110002', from: '0212345678' });
    await sky.receive({ ref: 'c', reportCode: '10000', to: '821011110003', from: '0212345678' });
    await network.pass(45);
    assert.deepEqual(await network.codes(keys[0]), ['10000']);
    assert.deepEqual(await network.codes(keys[1]), ['23001']);
    assert.deepEqual(sky.submitted, [], 'nothing is sent again');
  });

  test(`${engine}: a receipt that fits several steps in doubt waits, and their timelines say so`, async t => {
    const { network, keys } = await afterCrash(t, engine, ['01011110001', '01011110001']);
    const receipt = { ref: 'a', reportCode: '10000', to: '01011110001', from: '0212345678' } as const;
    await network.carrier('sky').receive(receipt);
    const notesOf = async (key: string) => {
      const { timeline } = await network.message(key);
      return timeline.filter(({ event }: { event: string }) => event === 'receiptAmbiguous').length;
    };
    for (const key of keys) {
      await network.inTime('its timeline says so', async () => (await notesOf(key)) > 0, 1000);
    }
    await network.pass(30);
    for (const key of keys) {
      assert.equal(await notesOf(key), 1);
      assert.equal((await network.message(key)).state, 'unknown');
    }
  });

  test(`${engine}: a receipt that fits an earlier step of the message too settles nothing`, async t => {
    const file = RCS_THEN_SMS.replace('via: [sea]', 'via: [sky]');
    const network = await networked(t, { file, env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    const msgKey = String((await network.client.call('POST', '/v1/send/rcs', RCS)).body.msgKey);
    await network.inTime('both are submitted', () => sky.submitted.length === 2, 1000);
    sky.submitted[1]?.answer({ kind: 'unknown' });
    const stateOf = async () => (await network.message(msgKey)).state;
    await network.inTime('the second is in doubt', async () => (await stateOf()) === 'unknown');
    await sky.receive({ ref: 'a', reportCode: '10000', to: RCS.to, from: RCS.from });
    const isNoted = async () => {
      const { timeline } = await network.message(msgKey);
      return timeline.some(({ event }: { event: string }) => event === 'receiptAmbiguous');
    };
    await network.inTime('its timeline says so', isNoted, 1000);
    assert.equal(await stateOf(), 'unknown');
  });

  test(`${engine}: a receipt of another sender settles nothing`, async t => {
    const { network, keys } = await afterCrash(t, engine, ['01011110001']);
    const receipt = { ref: 'a', reportCode: '10000', to: '01011110001', from: '0298765432' } as const;
    await network.carrier('sky').receive(receipt);
    await network.pass(60);
    assert.equal((await network.message(keys[0])).state, 'unknown');
  });
}
