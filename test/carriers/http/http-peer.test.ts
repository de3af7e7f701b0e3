import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '../../harness/until.ts';
import { RecordingHost, submission, submitOne } from './carrier-under-test.ts';
import { httpPeer } from './http-peer.ts';

test('a receipt that could not be settled comes again', async t => {
  const { carrier, samples } = await httpPeer(t);
  t.after(() => carrier.close());
  const host = new RecordingHost();
  host.isRefusing = true;
  await carrier.start(host);
  const answer = await submitOne(carrier, { ...submission(), ...samples.delivered });
  assert.ok(answer.kind === 'accepted');
  await until('it was put off', () => host.notices.includes('callbackPutOff'));
  assert.deepEqual(host.receipts, []);
  host.isRefusing = false;
  const receipt = await until('it is settled', () => host.receipts[0]);
  assert.ok('ref' in receipt && receipt.ref === answer.refs[0]);
});

test('without its provider it goes down, and refuses as its own trouble', async t => {
  const { carrier, samples, takeAway } = await httpPeer(t);
  t.after(() => carrier.close());
  const host = new RecordingHost();
  const before = await submitOne(carrier, submission());
  assert.ok(before.kind === 'temporary' && before.isCarriersFault, 'nothing is sent before the start');
  await carrier.start(host);
  await takeAway();
  assert.equal(carrier.status().state, 'down');
  assert.ok(host.changes > 0);
  const answer = await submitOne(carrier, { ...submission(), ...samples.delivered });
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
  assert.equal((await carrier.test()).isOk, false);
});
