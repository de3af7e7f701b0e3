/** Whatever an SMSC does, in whatever order: no submission stays unanswered, and nothing it may have goes out twice. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { Reply } from '../../harness/smsc/smsc.ts';
import { type Scope, smppScene } from './smpp-under-test.ts';

const reply = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Reply>({ kind: 'accept', receipt: { state: 'DELIVRD' } }) },
  fc.constantFrom<Reply>(
    { kind: 'silent' },
    { kind: 'drop' },
    { kind: 'garbage' },
    { kind: 'nack', status: STATUS.systemError },
    { kind: 'refuse', status: STATUS.throttled },
    { kind: 'refuse', status: STATUS.systemError },
    { kind: 'refuse', status: STATUS.invalidDestination },
  ),
);

/** Submits texts of these lengths; tells the parts that went out again though the SMSC may have had them. */
async function sentTwice(
  scope: Scope,
  replies: readonly Reply[],
  lengths: readonly number[],
  window: number,
): Promise<string[]> {
  const mayHave = new Set<string>();
  const again: string[] = [];
  const scene = await smppScene(
    scope,
    {
      submit: ({ shortMessage, destination }, index) => {
        const given = replies[index] ?? { kind: 'accept' };
        const part = `${destination.digits} ${Buffer.from(shortMessage).toString('hex')}`;
        if (mayHave.has(part)) again.push(part);
        if (given.kind !== 'refuse' && given.kind !== 'nack') mayHave.add(part);
        return given;
      },
    },
    { window, responseTimeout: '5s', enquireLink: '5s' },
  );
  lengths.forEach((length, index) => {
    void scene.send('a'.repeat(length), `+1415555${1000 + index}`);
  });
  await scene.eventually('all are answered', () => scene.answers.length === lengths.length);
  return again;
}

test('every submission is answered, and no part that was not refused is submitted again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 8 }),
      async (replies, lengths, window) => {
        const tasks: (() => Promise<void>)[] = [];
        try {
          assert.deepEqual(
            await sentTwice({ after: task => tasks.push(task) }, replies, lengths, window),
            [],
          );
        } finally {
          for (const task of tasks) await task();
        }
      },
    ),
    { numRuns: 25 },
  );
});
