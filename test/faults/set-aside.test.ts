/** An event that PostgreSQL can never write: it is found among the others, kept for the operator, and its message is unknown. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { freshStore } from '../harness/engines.ts';
import { Network } from '../harness/network.ts';
import { until } from '../harness/until.ts';

const MESSAGES = 12;
/** No text of PostgreSQL holds it. Carriers clean what they are told; this one does not. */
const POISON = 'a\0b';

test('a poison answer is set aside, and the eleven beside it are settled', async t => {
  const network = await Network.open(t, { env: await freshStore(t, 'postgres') });
  const sky = network.carrier('sky');
  const keys: string[] = [];
  for (let count = 0; count < MESSAGES; count++) {
    keys.push(String((await network.client.sms({ to: `010666600${count + 10}` })).body.msgKey));
  }
  await until('all are submitted', () => sky.submitted.length === MESSAGES);
  const poisoned = sky.submitted[5]?.submission.attemptId.slice(0, 32);
  for (const [index, { submission, answer }] of sky.submitted.entries()) {
    answer({ kind: 'accepted', refs: [index === 5 ? POISON : submission.attemptId] });
  }
  for (const key of keys) {
    const expected = key === poisoned ? 'unknown' : 'submitted';
    await network.inTime(
      `${key} is ${expected}`,
      async () => (await network.message(key)).state === expected,
    );
  }
  const [entry, ...others] = (await network.gateway.operator('GET', '/queue/set-aside')).body.data;
  assert.deepEqual(others, []);
  assert.match(entry.event, new RegExp(String(poisoned)));
  assert.notEqual(entry.reason, '');
  await network.pass(30);
  assert.equal(sky.submitted.length, MESSAGES, 'it may have been sent, so it is not sent again');
});

test('a poison receipt is set aside and counts as taken, and the others of its batch are settled', async t => {
  const network = await Network.open(t, { env: await freshStore(t, 'postgres') });
  const sky = network.carrier('sky');
  const { msgKey } = (await network.client.sms()).body;
  await until('it is submitted', () => sky.submitted.length === 1);
  await sky.receive(
    { ref: POISON, reportCode: '10000' },
    { attemptId: `${msgKey}-0-1`, reportCode: '10000' },
    { ref: 'nobody', reportCode: '10000' },
  );
  assert.deepEqual(await network.codes(msgKey), ['10000']);
  assert.equal((await network.store.queue.listSetAside(10)).length, 1);
});
