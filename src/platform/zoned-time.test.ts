import assert from 'node:assert/strict';
import test from 'node:test';
import { isTimeZone, zonedTimeFormatter } from './zoned-time.ts';

const CASES: [string, string, string][] = [
  ['Asia/Seoul', '2026-11-15T01:02:03.999Z', '2026-11-15T10:02:03+09:00'],
  ['UTC', '2026-11-15T01:02:03Z', '2026-11-15T01:02:03+00:00'],
  ['America/New_York', '2026-07-01T00:00:00Z', '2026-06-30T20:00:00-04:00'],
  ['America/New_York', '2026-12-01T00:00:00Z', '2026-11-30T19:00:00-05:00'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01T05:45:00+05:45'],
];

for (const [zone, moment, expected] of CASES) {
  test(`${moment} is ${expected} in ${zone}`, () => {
    assert.equal(zonedTimeFormatter(zone)(Date.parse(moment)), expected);
  });
}

test('the time is right on both sides of a change of clocks', () => {
  const format = zonedTimeFormatter('America/New_York');
  assert.equal(format(Date.parse('2026-11-01T05:59:59Z')), '2026-11-01T01:59:59-04:00');
  assert.equal(format(Date.parse('2026-11-01T06:00:00Z')), '2026-11-01T01:00:00-05:00');
});

test('knows a zone from a word', () => {
  assert.equal(isTimeZone('Asia/Seoul'), true);
  assert.equal(isTimeZone('Mars/Olympus'), false);
});

test('writes milliseconds where they are asked for', () => {
  const format = zonedTimeFormatter('Asia/Seoul', 'milliseconds');
  assert.equal(format(Date.parse('2026-01-05T03:00:00.007Z')), '2026-01-05T12:00:00.007+09:00');
});
