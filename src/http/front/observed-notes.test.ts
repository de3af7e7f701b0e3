import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { PlainValues } from '../../platform/thread-calls.ts';
import { createObservedNotes } from './observed-notes.ts';

test('answers of one turn are reported together, each with its duration', async () => {
  const notes: PlainValues[] = [];
  const observe = createObservedNotes(values => notes.push(values));
  observe('/v1/send/sms', 200, 0.1);
  observe('/v1/send/sms', 400, 0.2);
  observe('/v1/send/sms', 200, 0.3);
  observe('/v1/send/mms', 200, 0.4);
  assert.deepEqual(notes, []);
  await turn();
  assert.deepEqual(notes, [
    ['observed', '/v1/send/sms', 200, 0.1, 0.3],
    ['observed', '/v1/send/sms', 400, 0.2],
    ['observed', '/v1/send/mms', 200, 0.4],
  ]);
  observe('/v1/send/sms', 200, 0.5);
  await turn();
  assert.deepEqual(notes.slice(3), [['observed', '/v1/send/sms', 200, 0.5]]);
});
