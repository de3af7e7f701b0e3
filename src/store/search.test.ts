import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '../domain/ids.ts';
import { recordsIn } from './records/records.ts';
import { findMessages, indexedOf, type SearchEngine } from './search.ts';

const NOW = Date.UTC(2026, 0, 5);
const THEIRS = '01KE61HRW0ABCDEFGHJKMNPQRSTVW001';

/** A list of others' messages without an end. */
const others: SearchEngine = {
  rows: async () => [],
  edge: async () => THEIRS,
  indexed: async () => indexedOf('', '', NOW),
};

test('an account that finds none of its own goes on below a key of nobody', async () => {
  const query = { account: 'acme' as AccountId, isOwn: true, limit: 10 };
  const { messages, next } = await findMessages(others, recordsIn(undefined), query);
  assert.deepEqual(messages, []);
  assert.equal(next, '01KE61HRW0ABCDEFGHJKMNzzzzzzzzzz');
});

test('an operator goes on where the search ended', async () => {
  const { next } = await findMessages(others, recordsIn(undefined), { limit: 10 });
  assert.equal(next, THEIRS);
});
