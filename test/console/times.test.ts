import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cityOf,
  formatClock,
  formatTime,
  fromLocalInput,
  localOf,
  toLocalInput,
  zoneOf,
} from '../../console/src/times.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

/** What the gateway sends, a zone, and what a person reads. */
const SHOWN: [string, string, string, string?][] = [
  ['2026-11-15T14:03:09+09:00', 'Asia/Seoul', '11-15 14:03:09'],
  ['2026-11-15T14:03:09+09:00', 'UTC', '11-15 05:03:09'],
  ['2026-11-15T14:03:09+09:00', 'America/New_York', '11-15 00:03:09'],
  ['2026-11-15T14:03:09.120+09:00', 'Asia/Seoul', '11-15 14:03:09', '11-15 14:03:09.120'],
  ['2026-11-15T14:03:09.12+09:00', 'Asia/Kathmandu', '11-15 10:48:09', '11-15 10:48:09.120'],
  ['2025-12-31T23:59:59Z', 'UTC', '2025-12-31 23:59:59'],
  ['2025-12-31T23:59:59Z', 'Asia/Seoul', '01-01 08:59:59'],
  ['2026-01-01T00:00:00+09:00', 'UTC', '2025-12-31 15:00:00'],
  ['2027-01-01T00:00:00Z', 'America/New_York', '12-31 19:00:00'],
  ['no time', 'UTC', 'no time'],
];

for (const [at, zone, shown, precisely = shown] of SHOWN) {
  test(`${at} is shown as ${shown} in ${zone}`, () => {
    assert.equal(formatTime(at, zone, NOW), shown);
    assert.equal(formatTime(at, zone, NOW, true), precisely);
  });
}

/** What is typed, a zone, and the instant that is meant. */
const TYPED: [string, string, string][] = [
  ['2026-11-15T14:03', 'Asia/Seoul', '2026-11-15T05:03:00.000Z'],
  ['2026-11-15T14:03', 'UTC', '2026-11-15T14:03:00.000Z'],
  ['2026-11-15T14:03', 'America/New_York', '2026-11-15T19:03:00.000Z'],
  ['2026-07-15T14:03', 'America/New_York', '2026-07-15T18:03:00.000Z'],
  // The hours around both changes of the clocks.
  ['2026-03-08T01:59', 'America/New_York', '2026-03-08T06:59:00.000Z'],
  ['2026-03-08T03:00', 'America/New_York', '2026-03-08T07:00:00.000Z'],
  ['2026-11-01T00:59', 'America/New_York', '2026-11-01T04:59:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-11-01T02:00', 'America/New_York', '2026-11-01T07:00:00.000Z'],
  ['0002-11-15T14:03', 'Asia/Seoul', '0002-11-15T05:35:08.000Z'],
];

for (const [local, zone, instant] of TYPED) {
  test(`${local} typed in ${zone} means ${instant}, and is shown as it was typed`, () => {
    assert.equal(fromLocalInput(local, zone), instant);
    assert.equal(toLocalInput(instant, zone), local);
  });
}

test('an hour that the clocks skip means the time after it', () => {
  assert.equal(fromLocalInput('2026-03-08T02:30', 'America/New_York'), '2026-03-08T07:30:00.000Z');
});

test('a time that is not complete means none', () => {
  assert.equal(fromLocalInput('', 'Asia/Seoul'), '');
  assert.equal(fromLocalInput('2026-11', 'Asia/Seoul'), '');
  assert.equal(toLocalInput('', 'Asia/Seoul'), '');
});

test('a clock time has the milliseconds that were sent', () => {
  assert.equal(formatClock('2026-11-15T14:03:09+09:00', 'UTC'), '05:03:09');
  assert.equal(formatClock('2026-11-15T14:03:09.007+09:00', 'UTC'), '05:03:09.007');
  assert.equal(localOf(NOW, 'Asia/Seoul'), '2026-11-15T21:00:00.000');
});

test('the zone is the one that was chosen, or UTC where the browser does not know it', () => {
  assert.equal(zoneOf('gateway', 'Asia/Seoul'), 'Asia/Seoul');
  assert.equal(zoneOf('utc', 'Asia/Seoul'), 'UTC');
  assert.equal(zoneOf('gateway', 'Mars/Olympus'), 'UTC');
  assert.equal(zoneOf('browser', 'Asia/Seoul'), Intl.DateTimeFormat().resolvedOptions().timeZone);
  assert.equal(cityOf('America/New_York'), 'New York');
});
