import assert from 'node:assert/strict';
import test from 'node:test';
import { parseMoment } from './moment.ts';

test('reads moments with an offset', () => {
  const expected = Date.UTC(2026, 2, 2, 0, 30);
  for (const text of [
    '2026-03-02T09:30:00+09:00',
    '2026-03-02T09:30+09:00',
    '2026-03-02T00:30:00Z',
    '2026-03-02T00:30:00.000Z',
    '2026-03-01T19:30:00-05:00',
    '2026-03-02T09:30:00 09:00',
  ]) {
    assert.equal(parseMoment(text), expected, text);
  }
});

test('refuses what names no moment, or one before 1970', () => {
  for (const value of [
    '2026-03-02T09:30:00',
    '2026-03-02',
    '2026-03-02 09:30:00Z',
    '2026-13-02T09:30:00Z',
    '1969-12-31T23:59:59Z',
    '1772411400000',
    '',
    1_772_411_400_000,
    null,
    undefined,
  ]) {
    assert.equal(parseMoment(value), undefined, String(value));
  }
});
