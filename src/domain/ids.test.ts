import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { msgKeyOf, parseAccountId, parseMsgKey, type RequestId, timeOfPrefix, timePrefix } from './ids.ts';

test('time prefixes order as their moments do, and tell them', () => {
  const moment = fc.integer({ min: 0, max: 2 ** 49 });
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      assert.equal(timePrefix(a) < timePrefix(b), a < b);
      assert.equal(timeOfPrefix(timePrefix(a)), a);
    }),
  );
});

test('the recipients of one request share all but the last three characters', () => {
  const request = 'R'.repeat(29) as RequestId;
  const keys = [0, 1, 9].map(index => msgKeyOf(request, index));
  assert.deepEqual(keys, [`${request}000`, `${request}001`, `${request}009`]);
  assert.ok(keys.every(key => parseMsgKey(key) === key));
});

test('a text without the form of an id is not an id', () => {
  for (const text of ['', 'x', '../../etc/passwd', `${'A'.repeat(31)}'`, 'A'.repeat(33)]) {
    assert.equal(parseMsgKey(text), undefined);
  }
  for (const text of ['', 'a b', 'a\n', 'x'.repeat(65), "a'--"])
    assert.equal(parseAccountId(text), undefined);
  assert.equal(parseAccountId('shop.one@example-2_x'), 'shop.one@example-2_x');
});
