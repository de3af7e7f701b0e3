import assert from 'node:assert/strict';
import test from 'node:test';
import { roomAfter } from './live-steps.ts';

test('counts the texts of a flow and its words, and stops when there is no room left', () => {
  const flow = [{ channel: 'sms', text: 'hello' }];
  // The index 0, two names of members, two texts.
  assert.equal(
    roomAfter(100, flow),
    100 - 1 - 'channel'.length - 'sms'.length - 'text'.length - 'hello'.length,
  );
  assert.equal(roomAfter(100, undefined), 99);
  assert.ok(roomAfter(1000, [{ channel: 'rcs', body: { description: 'x'.repeat(1001) } }]) < 0);
  assert.ok(
    roomAfter(
      1000,
      Array.from({ length: 5000 }, () => 1),
    ) < 0,
  );
});

test('looks at no more than it has room for', () => {
  let looks = 0;
  const endless = new Proxy(
    {},
    {
      ownKeys: () => Array.from({ length: 10_000 }, (_, index) => String(index)),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: '' }),
      get: () => {
        looks++;
        return 'text';
      },
    },
  );
  assert.ok(roomAfter(100, endless) < 0);
  assert.ok(looks < 50, `${looks} looks`);
});
