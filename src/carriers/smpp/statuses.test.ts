import assert from 'node:assert/strict';
import test from 'node:test';
import { REPORT_CODES } from '../../domain/reports/report-codes.ts';
import { describeStatus, meaningOf, STATUS, STATUS_TABLE } from './statuses.ts';

test('every status has one row, a name of the standard and a report code of text messages', () => {
  assert.equal(new Set(STATUS_TABLE.map(([status]) => status)).size, STATUS_TABLE.length);
  assert.equal(new Set(STATUS_TABLE.map(([, name]) => name)).size, STATUS_TABLE.length);
  for (const [status, name, statusClass, reportCode] of STATUS_TABLE) {
    assert.match(name, /^ESME_R[A-Z_]+$/);
    assert.ok(Object.hasOwn(REPORT_CODES, reportCode));
    assert.equal(statusClass === 'ok', reportCode === '10000');
    if (statusClass !== 'ok') assert.match(reportCode, /^23/, name);
    assert.deepEqual(meaningOf(status), { name, class: statusClass, reportCode });
  }
});

// What gateways commonly do with each; a wrong class loses messages or sends them twice.
const CLASSES: [number, string][] = [
  [0x14, 'full'],
  [0x58, 'throttle'],
  [0x08, 'temporary'],
  [0x64, 'temporary'],
  [0x0a, 'permanent'],
  [0x0b, 'permanent'],
  [0x0c, 'permanent'],
  [0x33, 'permanent'],
  [0x34, 'permanent'],
  [0x40, 'permanent'],
  [0x43, 'permanent'],
  [0x0d, 'account'],
  [0x0e, 'account'],
  [0x0f, 'account'],
];
for (const [status, expected] of CLASSES) {
  test(`${describeStatus(status)} is ${expected}`, () => {
    assert.equal(meaningOf(status).class, expected);
  });
}

test('a status that nobody knows is a refusal for good', () => {
  assert.deepEqual(meaningOf(0x4ff), { name: '0x4ff', class: 'permanent', reportCode: '23014' });
});

test('every status the session speaks has a row', () => {
  for (const status of Object.values(STATUS)) assert.match(describeStatus(status), /^ESME_/);
});
