import assert from 'node:assert/strict';
import test from 'node:test';
import { destinationRef, parseRef, requestRef } from './references.ts';
import { readRecords } from './report-records.ts';

const ATTEMPT = '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1';

test('a reference says where it came from, and whose it is', () => {
  assert.deepEqual(parseRef(ATTEMPT), { place: 'single', attemptId: ATTEMPT });
  assert.deepEqual(parseRef(destinationRef(ATTEMPT)), { place: 'destination', attemptId: ATTEMPT });
  assert.deepEqual(parseRef(requestRef([ATTEMPT])), { place: 'request', attemptId: ATTEMPT });
  assert.deepEqual(parseRef(requestRef([ATTEMPT, 'another'])), { place: 'severalInRequest' });
  for (const foreign of ['', 'order 7', `x-${ATTEMPT}`, `${ATTEMPT}-`, 'd-', 'n-1', 'd'.repeat(1000)]) {
    assert.equal(parseRef(foreign), undefined, foreign);
  }
});

test('a record becomes a receipt with its code, network, parts and kind of user', () => {
  const record = { msgKey: 'M1', ref: ATTEMPT, reportCode: '23001', serviceType: 'INTERNATIONAL' };
  const { receipts } = readRecords([
    { ...record, carrier: '10003', resCnt: '2', userType: 'N', reportText: 'No such subscriber' },
    { ...record, carrier: null, resCnt: '', userType: 'X' },
    { ...record, ref: null },
  ]);
  assert.deepEqual(receipts, [
    { ref: 'M1', attemptId: ATTEMPT, reportCode: '23001', network: '10003', resCnt: '2', userType: 'N' },
    { ref: 'M1', attemptId: ATTEMPT, reportCode: '23001' },
    { ref: 'M1', reportCode: '23001' },
  ]);
});

test("of several recipients' common reference only the key of the message is used", () => {
  const read = readRecords([{ msgKey: 'M1', ref: requestRef([ATTEMPT, ATTEMPT]), reportCode: '10000' }]);
  assert.deepEqual(read.receipts, [{ ref: 'M1', reportCode: '10000' }]);
  assert.deepEqual([...read.places], ['severalInRequest']);
});

test("a stranger's record and one that cannot be read are counted, and nothing else", () => {
  const read = readRecords([
    { msgKey: 'M1', ref: 'order 7', reportCode: '10000' },
    { msgKey: 'M1', ref: ATTEMPT },
    { msgKey: 'k'.repeat(1000), ref: ATTEMPT, reportCode: '10000' },
    null,
    'text',
  ]);
  assert.deepEqual([read.receipts, read.foreign, read.unreadable], [[], 1, 4]);
});

test('a failure whose code is in no table is a failure of no known reason', () => {
  const read = readRecords([{ msgKey: 'M1', ref: ATTEMPT, reportCode: '88888' }]);
  assert.deepEqual(read.receipts, [{ ref: 'M1', attemptId: ATTEMPT, reportCode: '99999' }]);
  assert.deepEqual([...read.unknownCodes], ['88888']);
});
