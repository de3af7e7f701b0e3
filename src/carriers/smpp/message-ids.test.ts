import assert from 'node:assert/strict';
import test from 'node:test';
import { type IdForm, type MessageIds, receiptRef, submitRef } from './message-ids.ts';

const PAIRS: [string, string, string, MessageIds, IdForm][] = [
  ['the same id', 'a1b2', 'a1b2', 'exact', 'same'],
  ['another case', '6E7F', '6e7f', 'tolerant', 'same'],
  ['a lost leading zero', '0e99d1', 'E99D1', 'tolerant', 'same'],
  ['nothing but zeros', '000', '0', 'tolerant', 'same'],
  ['hexadecimal then decimal', '812FC7470000001B', '9308878062554710043', 'tolerant', 'decimalToHex'],
  ['decimal then hexadecimal', '9308878062554710043', '812FC7470000001B', 'tolerant', 'hexToDecimal'],
  ['an id of letters where numbers are expected', 'msg-7', 'MSG-7', 'tolerant', 'hexToDecimal'],
];
for (const [title, answered, receipted, messageIds, receiptIds] of PAIRS) {
  test(`an answer and its receipt meet: ${title}`, () => {
    assert.equal(receiptRef(receipted, messageIds, receiptIds), submitRef(answered, messageIds));
  });
}

test('exact ids differ by case and zeros', () => {
  assert.notEqual(receiptRef('6e7f', 'exact', 'same'), submitRef('6E7F', 'exact'));
  assert.notEqual(receiptRef('7', 'exact', 'same'), submitRef('07', 'exact'));
});
