import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '../domain/ids.ts';
import { PassedRecords } from './passed-records.ts';

const ACME = 'acme' as AccountId;

test('a look goes on where the one before it ended', () => {
  const passed = new PassedRecords();
  assert.equal(passed.after(ACME, 0), 0);
  passed.note(ACME, 17, 0, 0);
  assert.equal(passed.after(ACME, Number.MAX_SAFE_INTEGER), 17);
  assert.equal(passed.after('globex' as AccountId, 0), 0);
});

test('begins from the start again once its time is over, however often it went on, and after the clock was set', () => {
  const passed = new PassedRecords(60_000);
  passed.note(ACME, 17, 0, 100_000);
  assert.equal(passed.after(ACME, 140_000), 17);
  passed.note(ACME, 20, 17, 140_000);
  assert.equal(passed.after(ACME, 159_999), 20);
  assert.equal(passed.after(ACME, 160_000), 0);
  assert.equal(passed.after(ACME, 40_000), 0);
  passed.note(ACME, 21, 0, 160_000);
  assert.equal(passed.after(ACME, 219_999), 21);
});
