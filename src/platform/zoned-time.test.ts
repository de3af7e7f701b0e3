import assert from 'node:assert/strict';
import test from 'node:test';
import {
  calendarOf,
  dateNamed,
  isTimeZone,
  nameOfDate,
  zonedTimeFormatter,
  zonedTimeParser,
} from './zoned-time.ts';

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

const DAYS: [string, string, string][] = [
  ['Asia/Seoul', '2026-11-15T14:59:59Z', '2026-11-14T15:00:00Z'],
  ['Asia/Seoul', '2026-11-15T15:00:00Z', '2026-11-15T15:00:00Z'],
  ['Asia/Kathmandu', '2026-01-01T18:14:59Z', '2025-12-31T18:15:00Z'],
  ['America/New_York', '2026-11-01T04:30:00Z', '2026-11-01T04:00:00Z'],
  ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01T04:00:00Z'],
  ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02T05:00:00Z'],
  ['America/New_York', '2026-03-08T20:00:00Z', '2026-03-08T05:00:00Z'],
  // There is no midnight: the clocks go from 23:59 to 01:00.
  ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z'],
];

for (const [zone, moment, start] of DAYS) {
  test(`the day of ${moment} in ${zone} began at ${start}`, () => {
    const { dateOf, startOf } = calendarOf(zone);
    const date = dateOf(Date.parse(moment));
    assert.equal(nameOfDate(date), zonedTimeFormatter(zone)(Date.parse(moment)).slice(0, 10));
    assert.equal(startOf(date), Date.parse(start));
  });
}

test('reads a time in the zone unless it has an offset, and no day that is not there', () => {
  const seoul = zonedTimeParser('Asia/Seoul');
  assert.equal(seoul('2026-03-02 09:30:00'), Date.parse('2026-03-02T00:30:00Z'));
  assert.equal(seoul('2026-03-02T09:30'), Date.parse('2026-03-02T00:30:00Z'));
  assert.equal(seoul('2026-03-02T09:30:00Z'), Date.parse('2026-03-02T09:30:00Z'));
  assert.equal(seoul('2026-02-30 09:30:00'), undefined);
  assert.equal(seoul('2026-02-28 25:30:00'), undefined);
  const newYork = zonedTimeParser('America/New_York');
  assert.equal(newYork('2026-07-01 12:00:00'), Date.parse('2026-07-01T16:00:00Z'));
  assert.equal(newYork('2026-12-01 12:00:00'), Date.parse('2026-12-01T17:00:00Z'));
});

test('a date is named by its day in every zone, and a day that is not there by none', () => {
  assert.equal(dateNamed('2026-03-08'), Date.UTC(2026, 2, 8));
  for (const name of ['2026-02-30', '2026-3-8', '20260308', '1970-01-02', '']) {
    assert.equal(dateNamed(name), undefined, name);
  }
});

test('hours are counted from the start of their day', () => {
  const { hourOf } = calendarOf('Asia/Kathmandu');
  assert.equal(hourOf(Date.parse('2026-01-01T18:14:59Z')), Date.parse('2026-01-01T17:15:00Z'));
  assert.equal(hourOf(Date.parse('2026-01-01T18:15:00Z')), Date.parse('2026-01-01T18:15:00Z'));
});
