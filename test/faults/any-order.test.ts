/** Answers and receipts that come late, early or without their reference: each ends where the lifecycle says. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { AccountSettings } from '../../src/domain/account/account.ts';
import { changeRows } from '../behaviour/stored-rows.ts';
import { ENGINES, type Engine, freshStore } from '../harness/engines.ts';
import { Network } from '../harness/network.ts';
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

const SMS = { from: '0212345678', to: '01011110001' } as const;
const RECEIPT = { reportCode: '10000', ...SMS } as const;

/** Waits until the receipts that came so far have been compared with the steps in doubt: another such step has been found by its own. */
async function compared(network: Network): Promise<void> {
  const sky = network.carrier('sky');
  const count = sky.submitted.length;
  const to = `0109999${String(count).padStart(4, '0')}`;
  const { msgKey } = (await network.client.sms({ ...SMS, to })).body;
  await network.inTime('it is submitted', () => sky.submitted.length > count);
  sky.submitted.at(-1)?.answer({ kind: 'unknown' });
  await network.inTime('it is in doubt', async () => (await network.message(msgKey)).state === 'unknown');
  for (let part = 0; part < sky.parts; part++) {
    await sky.receive({ ...RECEIPT, to, ref: `another ${count}-${part}` });
  }
  await network.inTime(
    'it is found',
    async () => (await network.message(msgKey)).state === 'delivered',
    1000,
  );
}

/** An RCS message whose submit was not answered in time: the SMS behind it is with its carrier. */
async function fallenBack(t: TestContext, engine: Engine, settings: Partial<AccountSettings> = {}) {
  const network = await Network.open(t, { file: RCS_THEN_SMS, env: await freshStore(t, engine), settings });
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
    const network = await Network.open(t, { env: await freshStore(t, engine) });
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
async function afterCrash(
  t: TestContext,
  engine: Engine,
  recipients: readonly string[],
  { parts = 1, text = 'hello' } = {},
) {
  const env = { ...(await freshStore(t, engine)), BONGSU_SHUTDOWN_TIMEOUT: '1s' };
  const file = `${Network.SKY_AND_SEA}  - { channel: international, via: [sky] }\n`;
  const first = await Network.open(t, { env, file });
  const keys: string[] = [];
  for (const to of recipients) {
    const sent = to.startsWith('+')
      ? first.client.international({ to, text })
      : first.client.sms({ to, text });
    keys.push(String((await sent).body.msgKey));
  }
  await until('all are submitted', () => first.carrier('sky').submitted.length === recipients.length);
  await first.gateway.close();
  const clock = first.gateway.clock;
  const sky = new ScriptedCarrier('sky');
  sky.parts = parts;
  const second = await Network.open(t, { env, file, clock, carriers: [sky, new ScriptedCarrier('sea')] });
  for (const key of keys) {
    await second.inTime(`${key} is in doubt`, async () => (await second.message(key)).state === 'unknown');
  }
  return { network: second, keys };
}

for (const engine of ENGINES) {
  test(`${engine}: a receipt whose reference died with its process settles the one step in doubt that it fits`, async t => {
    const { network, keys } = await afterCrash(t, engine, ['01011110001', '01011110002']);
    const sky = network.carrier('sky');
    await sky.receive({ ref: 'x', reportCode: '23001', to: '0211110001', from: '0212345678' });
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
    const network = await Network.open(t, { file, env: await freshStore(t, engine) });
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

  test(`${engine}: a receipt that may be about a message that cannot be read settles nothing`, async t => {
    const env = await freshStore(t, engine);
    const network = await Network.open(t, { env });
    const sky = network.carrier('sky');
    const keys: string[] = [];
    for (const turn of [0, 1]) {
      keys.push(String((await network.client.sms(SMS)).body.msgKey));
      await network.inTime('it is submitted', () => sky.submitted.length === turn + 1);
      sky.submitted[turn]?.answer({ kind: 'unknown' });
    }
    const stateOf = async (key = '') => (await network.message(key)).state;
    await network.inTime('both are in doubt', async () => (await stateOf(keys[1])) === 'unknown');
    await changeRows(env, `UPDATE request SET flow = '{' WHERE request_id = '${keys[0]?.slice(0, 29)}'`);
    await sky.receive({ ...RECEIPT, ref: 'x' });
    await network.pass(90);
    assert.equal(await stateOf(keys[1]), 'unknown');
  });

  test(`${engine}: a receipt that may be about a message that awaits its receipt settles nothing`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    const keys: string[] = [];
    for (const turn of [0, 1]) {
      keys.push(String((await network.client.sms(SMS)).body.msgKey));
      await network.inTime('it is submitted', () => sky.submitted.length === turn + 1);
    }
    sky.submitted[0]?.answer({ kind: 'accepted', refs: ['known'] });
    sky.submitted[1]?.answer({ kind: 'unknown' });
    await network.inTime('it is in doubt', async () => (await network.message(keys[1])).state === 'unknown');
    await sky.receive({ ...RECEIPT, ref: 'x' });
    const isNoted = async () => {
      const { timeline } = await network.message(keys[1]);
      return timeline.some(({ event }: { event: string }) => event === 'receiptAmbiguous');
    };
    await network.inTime('its timeline says so', isNoted, 1000);
    assert.equal((await network.message(keys[1])).state, 'unknown');
    await sky.receive({ ...RECEIPT, ref: 'known', reportCode: '23001' });
    assert.deepEqual(await network.codes(keys[0]), ['23001']);
    await network.inTime(
      'it can be about no other',
      async () => (await network.message(keys[1])).state === 'delivered',
      1000,
    );
  });

  test(`${engine}: a receipt from before the submit settles nothing`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    await sky.receive({ ...RECEIPT, ref: 'older' });
    await network.pass(40);
    const { msgKey } = (await network.client.sms(SMS)).body;
    await until('it is submitted', () => sky.submitted.length === 1);
    sky.submitted[0]?.answer({ kind: 'unknown' });
    await compared(network);
    assert.equal((await network.message(msgKey)).state, 'unknown');
    await sky.receive({ ...RECEIPT, ref: 'its own', reportCode: '23001' });
    assert.deepEqual(await network.codes(msgKey), ['23001']);
  });

  test(`${engine}: a part that was taken before another was refused keeps its receipt from the next message`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    const keys: string[] = [];
    for (const turn of [0, 1]) {
      keys.push(String((await network.client.sms(SMS)).body.msgKey));
      await network.inTime('it is submitted', () => sky.submitted.length === turn + 1);
    }
    sky.submitted[0]?.answer({ kind: 'permanent', reportCode: '23003', refs: ['part', undefined] });
    sky.submitted[1]?.answer({ kind: 'unknown' });
    assert.deepEqual(await network.codes(keys[0]), ['23003']);
    await sky.receive({ ...RECEIPT, ref: 'part' });
    await compared(network);
    assert.equal((await network.message(keys[1])).state, 'unknown');
    assert.deepEqual(await network.codes(keys[0]), ['23003']);
  });

  test(`${engine}: a repeated receipt of an earlier message does not settle a step in doubt`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    const keys: string[] = [];
    for (const turn of [0, 1]) {
      keys.push(String((await network.client.sms(SMS)).body.msgKey));
      await network.inTime('it is submitted', () => sky.submitted.length === turn + 1);
    }
    sky.submitted[0]?.answer({ kind: 'accepted', refs: ['r1'] });
    await sky.receive({ ...RECEIPT, ref: 'r1' });
    assert.deepEqual(await network.codes(keys[0]), ['10000']);
    sky.submitted[1]?.answer({ kind: 'unknown' });
    await sky.receive({ ...RECEIPT, ref: 'r1' });
    await compared(network);
    assert.equal((await network.message(keys[1])).state, 'unknown');
    await sky.receive({ ...RECEIPT, ref: 'its own', reportCode: '23001' });
    assert.deepEqual(await network.codes(keys[1]), ['23001']);
  });

  for (const parts of [1, 2]) {
    test(`${engine}: a message that the carrier sends in ${parts} needs as many receipts, whatever the contract counts`, async t => {
      const text = parts === 1 ? 'a'.repeat(400) : 'hello';
      const { network, keys } = await afterCrash(t, engine, ['+14155550101'], { parts, text });
      const sky = network.carrier('sky');
      const receipt = { reportCode: '10000', to: '14155550101', from: '0212345678' } as const;
      for (let part = 1; part <= parts; part++) {
        await compared(network);
        assert.equal((await network.message(keys[0])).state, 'unknown');
        await sky.receive({ ...receipt, ref: `part ${part}` });
      }
      assert.deepEqual(await network.codes(keys[0]), ['10000']);
    });
  }

  test(`${engine}: a receipt of another sender settles nothing`, async t => {
    const { network, keys } = await afterCrash(t, engine, ['01011110001']);
    const receipt = { ref: 'a', reportCode: '10000', to: '01011110001', from: '0298765432' } as const;
    await network.carrier('sky').receive(receipt);
    await network.pass(60);
    assert.equal((await network.message(keys[0])).state, 'unknown');
  });
}

/** Two carriers on one account of the other side, each of which brings the receipts of the other. */
function onOneAccount() {
  const sky = new ScriptedCarrier('sky', { receiptsOf: ['sea'] });
  const sea = new ScriptedCarrier('sea', { receiptsOf: ['sky'] });
  return { sky, sea, carriers: [sky, sea] };
}
const EACH_ITS_OWN = Network.SKY_AND_SEA.replace(
  '[sky, sea] }',
  '[sky] }\n  - { channel: international, via: [sea] }',
);
const ABROAD = { from: SMS.from, to: '+821011110001' } as const;

for (const engine of ENGINES) {
  test(`${engine}: a receipt whose reference was lost settles its step also where it comes by the other carrier of the account`, async t => {
    const { sky, sea, carriers } = onOneAccount();
    const network = await Network.open(t, { file: EACH_ITS_OWN, env: await freshStore(t, engine), carriers });
    const { msgKey } = (await network.client.sms(SMS)).body;
    await until('it is submitted', () => sky.submitted.length === 1);
    sky.submitted[0]?.answer({ kind: 'unknown' });
    await network.inTime('it is in doubt', async () => (await network.message(msgKey)).state === 'unknown');
    const receiving = sea.receive({ ...RECEIPT, ref: 'lost', reportCode: '23001' });
    assert.deepEqual(await network.codes(msgKey), ['23001']);
    await receiving;
  });

  test(`${engine}: a receipt that may be about a message of the other carrier of the account settles nothing`, async t => {
    const { sky, sea, carriers } = onOneAccount();
    const network = await Network.open(t, { file: EACH_ITS_OWN, env: await freshStore(t, engine), carriers });
    const keys = [
      (await network.client.sms(SMS)).body.msgKey,
      (await network.client.international(ABROAD)).body.msgKey,
    ];
    await until('both are submitted', () => sky.submitted.length + sea.submitted.length === 2);
    for (const { answer } of [...sky.submitted, ...sea.submitted]) answer({ kind: 'unknown' });
    const receiving = sea.receive({ ...RECEIPT, ref: 'lost' });
    for (const key of keys) {
      await network.inTime(
        'its timeline says so',
        async () => {
          const { timeline } = await network.message(key);
          return timeline.some(({ event }: { event: string }) => event === 'receiptAmbiguous');
        },
        1000,
      );
      assert.equal((await network.message(key)).state, 'unknown');
    }
    await receiving;
  });

  test(`${engine}: a receipt by the other carrier of the account waits for the answer that names its reference`, async t => {
    const { sky, sea, carriers } = onOneAccount();
    const network = await Network.open(t, { file: EACH_ITS_OWN, env: await freshStore(t, engine), carriers });
    const { msgKey } = (await network.client.sms(SMS)).body;
    await until('it is submitted', () => sky.submitted.length === 1);
    let isParked = false;
    void sea.receive({ ref: 'r1', reportCode: '23001', to: SMS.to }).then(() => {
      isParked = true;
    });
    await network.inTime('it is parked', () => isParked);
    sky.submitted[0]?.answer({ kind: 'accepted', refs: ['r1'] });
    assert.deepEqual(await network.codes(msgKey), ['23001']);
  });

  test(`${engine}: of carriers on one account with the same reference, the recipient decides whose receipt it is`, async t => {
    const { sky, sea, carriers } = onOneAccount();
    for (const carrier of carriers) carrier.reply = () => ({ kind: 'accepted', refs: ['1'] });
    const network = await Network.open(t, { file: EACH_ITS_OWN, env: await freshStore(t, engine), carriers });
    const keys = [
      (await network.client.sms(SMS)).body.msgKey,
      (await network.client.international()).body.msgKey,
    ];
    await until('both are submitted', () => sky.submitted.length + sea.submitted.length === 2);
    for (const key of keys) {
      await network.inTime('it is taken', async () => (await network.message(key)).state === 'submitted');
    }
    const receipt = { ref: '1', reportCode: '23001' } as const;
    const receiving = [
      sky.receive({ ...receipt, to: '14155550123' }),
      sea.receive({ ...receipt, to: SMS.to }),
    ];
    for (const key of keys) assert.deepEqual(await network.codes(key), ['23001']);
    await Promise.all(receiving);
  });
}

test('a receipt that names the attempt is counted for the carrier that has it, whichever brings it', async t => {
  const { sky, sea, carriers } = onOneAccount();
  sky.reply = accept;
  const network = await Network.open(t, { file: EACH_ITS_OWN, carriers });
  const { msgKey } = (await network.client.sms(SMS)).body;
  await until('it is submitted', () => sky.submitted.length === 1);
  await network.inTime('it is taken', async () => (await network.message(msgKey)).state === 'submitted');
  await sea.receive({ attemptId: `${msgKey}-0-1`, reportCode: '23001' });
  const { body } = await network.gateway.gateway.http.inject({ method: 'GET', url: '/metrics' });
  assert.match(body, /^bongsu_receipts_total\{carrier="sky",settled="ended"\} 1$/m);
  assert.match(body, /^bongsu_receipts_total\{carrier="sea",settled="ended"\} 0$/m);
});
