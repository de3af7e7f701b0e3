import assert from 'node:assert/strict';
import test from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { Receipt } from '../../harness/smsc/receipt-pdu.ts';
import type { Reply } from '../../harness/smsc/smsc.ts';
import { smppScene } from './smpp-under-test.ts';

const reply = (receipt: Receipt, more: Partial<Extract<Reply, { kind: 'accept' }>> = {}): Reply => ({
  kind: 'accept',
  receipt,
  ...more,
});
const DELIVRD: Receipt = { state: 'DELIVRD' };

const FORMS: [string, Reply, Record<string, unknown>][] = [
  ['that comes before the answer', reply(DELIVRD, { isReceiptFirst: true }), {}],
  ['with parameters instead of a text', reply({ ...DELIVRD, withTlvs: true }), {}],
  ['as data_sm', reply({ ...DELIVRD, withTlvs: true, asDataSm: true }), {}],
  ['not marked as one', reply({ ...DELIVRD, esmClass: 0 }), { receipts: 'text' }],
  ['in another case and without zeros', reply({ ...DELIVRD, id: 'AB1' }, { id: '0ab1' }), {}],
  [
    'in decimal, after a hexadecimal answer',
    reply({ ...DELIVRD, id: '9308878062554710043' }, { id: '812FC7470000001B' }),
    { receiptIds: 'decimalToHex' },
  ],
  [
    'in hexadecimal, after a decimal answer',
    reply({ ...DELIVRD, id: '1a' }, { id: '26' }),
    { receiptIds: 'hexToDecimal' },
  ],
  ['with its addresses swapped', reply({ ...DELIVRD, isReversed: true }), {}],
];
for (const [what, given, keys] of FORMS) {
  test(`a receipt ${what} names the reference of its answer and the recipient`, async t => {
    const scene = await smppScene(t, { submit: () => given }, keys);
    const answer = await scene.send('hello');
    assert.ok(answer.kind === 'accepted');
    const receipt = await scene.until('the receipt came', () => scene.host.receipts[0]);
    assert.deepEqual(receipt, {
      ref: answer.refs[0],
      reportCode: '10000',
      to: '+14155550123',
      from: 'Bongsu',
    });
    await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 1);
    assert.deepEqual(scene.smsc.acknowledged, [STATUS.ok]);
  });
}

test('messages that were given the same id are told apart by their recipients', async t => {
  const scene = await smppScene(t, { submit: () => reply(DELIVRD, { id: 'msg_id_not_implemented' }) });
  await Promise.all([scene.send('one', '+14155550001'), scene.send('two', '+14155550002')]);
  await scene.until('both receipts came', () => scene.host.receipts.length === 2);
  assert.deepEqual(scene.host.receipts.map(({ to }) => to).sort(), ['+14155550001', '+14155550002']);
  assert.equal(new Set(scene.host.refs()).size, 1);
});

test('a receipt is acknowledged after it is settled, and refused when it cannot be', async t => {
  const scene = await smppScene(t, { submit: () => reply(DELIVRD) });
  scene.host.refusals = 1;
  await scene.send('hello');
  await scene.until('the receipt is settled', () => scene.host.receipts.length === 1);
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 2);
  assert.deepEqual(scene.smsc.acknowledged, [STATUS.temporaryAppError, STATUS.ok]);
});

test('receipts that arrive together are settled together', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'accept' }) }, { window: 50 });
  await Promise.all(Array.from({ length: 50 }, (_, index) => scene.send(`${index}`)));
  const [session] = scene.smsc.sessions;
  scene.smsc.submits.forEach((submit, index) => {
    session?.sendReceipt(submit, String(index + 1), DELIVRD);
  });
  await scene.until('all came', () => scene.host.receipts.length === 50);
  assert.ok(scene.host.calls.length < 50, `${scene.host.calls.length} calls`);
});

test('a state on the way is acknowledged and noticed, and is not the outcome', async t => {
  const scene = await smppScene(t, { submit: () => reply({ state: 'ENROUTE' }) });
  await scene.send('hello');
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 1);
  assert.deepEqual([scene.host.receipts, scene.smsc.acknowledged], [[], [STATUS.ok]]);
  assert.ok(scene.host.notices.includes('intermediateReceipt'));
});

test('a message that somebody sends us is stored and acknowledged', async t => {
  const scene = await smppScene(t, { submit: () => reply({ state: '', text: 'stop it', esmClass: 0 }) });
  await scene.send('hello');
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 1);
  assert.deepEqual([scene.host.receipts, scene.smsc.acknowledged], [[], [STATUS.ok]]);
  assert.deepEqual(
    scene.host.inbound.map(({ content }) => content),
    [{ kind: 'text', text: 'stop it', occurrence: 0 }],
  );
});

test('an unmarked text that looks like a receipt is a message of a person, and noticed', async t => {
  const scene = await smppScene(t, { submit: () => reply({ ...DELIVRD, esmClass: 0 }) });
  await scene.send('hello');
  await scene.until('it is acknowledged', () => scene.smsc.acknowledged.length === 1);
  assert.deepEqual([scene.host.receipts, scene.host.inbound.length], [[], 1]);
  assert.ok(scene.host.notices.includes('unmarkedReceipt'));
});

test('a deliver_sm that cannot be read is refused, and the link lives on', async t => {
  const scene = await smppScene(t);
  scene.smsc.sessions[0]?.sendOctets(Buffer.from('0000001400000005000000000000000741424344', 'hex'));
  await scene.until('it is refused', () => scene.smsc.acknowledged.length === 1);
  assert.deepEqual(scene.smsc.acknowledged, [STATUS.invalidCommandLength]);
  assert.equal((await scene.send('hello')).kind, 'accepted');
});

test('receipts beyond a thousand unsettled ones are put off, and submits are answered meanwhile', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'accept' }) });
  const settling = Promise.withResolvers<void>();
  scene.host.delay = settling.promise;
  await scene.send('hello');
  const [submit] = scene.smsc.submits;
  assert.ok(submit);
  for (let index = 0; index < 1010; index++) {
    scene.smsc.sessions[0]?.sendReceipt(submit, String(index), { ...DELIVRD, isSentOnce: true });
  }
  await scene.until('some are put off', () => scene.smsc.acknowledged.length === 10);
  assert.deepEqual(new Set(scene.smsc.acknowledged), new Set([STATUS.temporaryAppError]));
  assert.equal((await scene.send('again')).kind, 'accepted');
  settling.resolve();
  await scene.until('the others are settled', () => scene.smsc.acknowledged.length === 1010);
  assert.equal(scene.host.receipts.length, 1000);
});

test('an SMSC that does not know enquire_link is alive nevertheless', async t => {
  const scene = await smppScene(t, { isEnquiryAnswered: () => false });
  const testing = scene.carrier.test();
  const sequence = await scene.until('it was asked', () => scene.smsc.lastEnquiry);
  scene.smsc.sessions[0]?.send({ command: 'genericNack', status: STATUS.invalidCommandId, sequence });
  assert.ok((await testing).isOk);
  assert.equal(scene.carrier.status().state, 'up');
});
