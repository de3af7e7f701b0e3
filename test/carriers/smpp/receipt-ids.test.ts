/** `receiptIds: auto`, and what is told when a fixed setting is the wrong one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { Reply } from '../../harness/smsc/smsc.ts';
import { internationalStep, type SmppScene, smppScene, submission } from './smpp-under-test.ts';

const FIRST_ID = 4096;

/** Answers tell a number in decimal, receipts in hexadecimal. */
const inTwoBases = {
  submit: (_: unknown, index: number): Reply => {
    const id = FIRST_ID + 17 * index;
    return { kind: 'accept', id: String(id), receipt: { id: id.toString(16), state: 'DELIVRD' } };
  },
};

/** The same, with both numbers as they were in the submit. */
const reversed = {
  submit: (_: unknown, index: number): Reply => {
    const id = FIRST_ID + 17 * index;
    const receipt = { id: id.toString(16), state: 'DELIVRD', isReversed: true } as const;
    return { kind: 'accept', id: String(id), receipt };
  },
};

/** Sends to a number of its own each, and lets the gateway know the references. */
async function sendKnown(scene: SmppScene, messages: number): Promise<void> {
  for (let count = 0; count < messages; count++) {
    const index = scene.smsc.submits.length;
    const to = `+1415555${String(1000 + index)}`;
    scene.host.known.set(String(FIRST_ID + 17 * index), [to]);
    await scene.send('hello', to);
  }
}

test('auto: receipts are matched one by one until the form is learned, then without looking', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  await sendKnown(scene, 8);
  await scene.until('all receipts came', () => scene.host.receipts.length === 8);
  assert.deepEqual(
    scene.host.refs(),
    Array.from({ length: 8 }, (_, index) => String(FIRST_ID + 17 * index)),
  );
  const { lookUps } = scene.host;
  assert.ok(lookUps > 0);
  scene.host.known.clear();
  await scene.send('hello');
  await scene.until('another came', () => scene.host.receipts.length === 9);
  assert.equal(scene.host.refs()[8], String(FIRST_ID + 17 * 8));
  assert.equal(scene.host.lookUps, lookUps);
  assert.deepEqual(new Set(scene.smsc.acknowledged), new Set([STATUS.ok]));
});

test('auto: a receipt that comes before its reference is known waits for it, unacknowledged', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  await scene.send('hello', '+14155551000');
  await scene.until('it was looked up', () => scene.host.lookUps === 1);
  assert.deepEqual([scene.host.receipts, scene.smsc.acknowledged], [[], []]);
  scene.host.known.set(String(FIRST_ID), ['+14155551000']);
  await scene.eventually('it is handed over', () => scene.host.receipts.length === 1);
  assert.deepEqual(scene.host.refs(), [String(FIRST_ID)]);
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 1);
});

test('auto: a receipt with both numbers as in the submit is matched, too', async t => {
  const scene = await smppScene(t, reversed, { receiptIds: 'auto' });
  const to = '+14155551000';
  scene.host.known.set(String(FIRST_ID), [to]);
  await Promise.all(scene.carrier.submit([submission(to, internationalStep('hello', '0212345678'))]));
  await scene.eventually('it is handed over', () => scene.host.receipts.length === 1);
  assert.deepEqual(scene.host.refs(), [String(FIRST_ID)]);
});

test('auto: one that matches nothing is handed over as it is, to be parked', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  await scene.send('hello');
  await scene.eventually('it is handed over', () => scene.host.receipts.length === 1);
  assert.deepEqual(scene.host.refs(), [FIRST_ID.toString(16)]);
  assert.equal(scene.host.lookUps, 3);
});

test('auto: one that matches two messages of its recipient settles neither, and is no vote', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  const to = '+14155551000';
  scene.host.known.set(String(FIRST_ID), [to]);
  scene.host.known.set(FIRST_ID.toString(16), [to]);
  await scene.send('hello', to);
  await scene.eventually('it is handed over', () => scene.host.receipts.length === 1);
  assert.ok(!scene.host.known.has(scene.host.refs()[0] ?? ''), `${scene.host.refs()}`);
});

test('auto: the same id at another recipient is no match', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  scene.host.known.set(FIRST_ID.toString(16), ['+14155559999']);
  scene.host.known.set(String(FIRST_ID), ['+14155551000']);
  await scene.send('hello', '+14155551000');
  await scene.until('it is handed over', () => scene.host.receipts.length === 1);
  assert.deepEqual(scene.host.refs(), [String(FIRST_ID)]);
});

test('auto: when the form changes it is learned again', async t => {
  let isHexadecimal = true;
  const scene = await smppScene(
    t,
    {
      submit: (_, index) => {
        const id = FIRST_ID + 17 * index;
        const receipt = { id: isHexadecimal ? id.toString(16) : String(id), state: 'DELIVRD' };
        return { kind: 'accept', id: String(id), receipt };
      },
    },
    { receiptIds: 'auto' },
  );
  scene.host.isParked = receipt => 'ref' in receipt && !scene.host.known.has(receipt.ref);
  await sendKnown(scene, 8);
  await scene.until('it is learned', () => scene.host.receipts.length === 8);
  isHexadecimal = false;
  await sendKnown(scene, 40);
  await scene.eventually('all came', () => scene.host.receipts.length === 48);
  const wrong = scene.host.refs().filter(ref => !scene.host.known.has(ref));
  assert.ok(wrong.length >= 20 && wrong.length < 30, `${wrong.length} were parked`);
  assert.ok(scene.host.known.has(scene.host.refs().at(-1) ?? ''));
});

test('auto: while the references cannot be looked up, receipts are put off', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  scene.host.known.set(String(FIRST_ID), ['+14155551000']);
  scene.host.lookUpFailures = 1;
  await scene.send('hello', '+14155551000');
  await scene.eventually('it is settled', () => scene.host.receipts.length === 1);
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 2);
  assert.deepEqual(scene.smsc.acknowledged, [STATUS.temporaryAppError, STATUS.ok]);
});

test('auto: what is held when the carrier closes is handed over first', async t => {
  const scene = await smppScene(t, inTwoBases, { receiptIds: 'auto' });
  await scene.send('hello');
  await scene.until('it was looked up', () => scene.host.lookUps === 1);
  await scene.carrier.close();
  assert.deepEqual([scene.host.receipts.length, scene.smsc.acknowledged], [1, [STATUS.ok]]);
});

test('a fixed setting: receipts that would match in another form are told, with the setting', async t => {
  const scene = await smppScene(t, inTwoBases);
  scene.host.isParked = () => true;
  for (let count = 0; count < 3; count++) {
    await sendKnown(scene, 1);
    await scene.until('the receipt is parked', () => scene.host.receipts.length === count + 1);
    scene.clock.advance(5000);
  }
  await scene.until('it is told', () => scene.carrier.status().hint);
  assert.equal(scene.carrier.status().hint, 'receipts would match with receiptIds: hexToDecimal');
  assert.ok(scene.host.notices.includes('receiptIdsMismatch'));
  assert.equal(scene.host.lookUps, 3);

  scene.host.isParked = () => false;
  await sendKnown(scene, 20);
  await scene.until('receipts match again', () => scene.carrier.status().hint === undefined);
});

test('a fixed setting: receipts that match in no form say nothing', async t => {
  const scene = await smppScene(t, inTwoBases);
  scene.host.isParked = () => true;
  for (let count = 0; count < 5; count++) {
    await scene.send('hello');
    await scene.until('it is looked up', () => scene.host.lookUps === count + 1);
    scene.clock.advance(5000);
  }
  assert.equal(scene.carrier.status().hint, undefined);
});
