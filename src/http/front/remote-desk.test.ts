import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../domain/request/problem.ts';
import type { PlainValues, ThreadCaller } from '../../platform/thread-calls.ts';
import { packAnswer } from './packed-calls.ts';
import { createRemoteDesk } from './remote-desk.ts';

/** A desk whose engine knows one token. */
function desk() {
  const asked: unknown[] = [];
  const call = async (values: PlainValues) => {
    asked.push(values[1]);
    return packAnswer(values.includes('Bearer of-shop') ? 'shop' : { problem: new Problem('A002') });
  };
  return { asked, ...createRemoteDesk({ isFull: false, call } as unknown as ThreadCaller) };
}

const address = '10.0.0.1';

test('a token that was learnt is recognised, and not asked for again', async () => {
  const { learn, recognise, asked } = desk();
  learn({ authorization: 'Bearer of-shop', address });
  await new Promise(setImmediate);
  assert.equal(recognise('Bearer of-shop'), 'shop');
  learn({ authorization: 'Bearer of-shop', address });
  learn({ authorization: undefined, address });
  assert.equal(asked.length, 1);
});

test('a token that the engine does not know is not learnt', async () => {
  const { learn, recognise } = desk();
  learn({ authorization: 'Bearer of-nobody', address });
  await new Promise(setImmediate);
  assert.equal(recognise('Bearer of-nobody'), undefined);
});
