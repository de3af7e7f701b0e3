import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '../../domain/ids.ts';
import { BULK, SINGLE } from '../phase.ts';
import { LATE_COMMIT_MS } from './long-look.ts';
import { BEGINNING, QueueHead } from './queue-heads.ts';

const ACME = 'acme' as AccountId;
const GLOBEX = 'globex' as AccountId;
const NOW = 1_000_000;
/** A little before now, where nothing is left. */
const LEFT = NOW - LATE_COMMIT_MS;

async function longHead(): Promise<QueueHead> {
  let at = 0;
  const head = new QueueHead({ monotonic: () => at });
  for (let look = 0; look < 5; look++) {
    await head.look.make(async () => {
      at += 1_000;
    });
  }
  return head;
}

test('while looks are short every claim begins at the beginning', () => {
  const head = new QueueHead({ monotonic: () => 0 });
  head.looked(new Map([[ACME, { rank: SINGLE, dueAt: 500 }]]), true, NOW);
  head.claimed(ACME, [{ rank: SINGLE, dueAt: 500 }], 1, NOW);
  assert.deepEqual(head.headOf(ACME), BEGINNING);
});

test('a claim begins at the first step that a look found, and of others a little before the look', async () => {
  const head = await longHead();
  head.looked(new Map([[ACME, { rank: SINGLE, dueAt: 500 }]]), true, NOW);
  assert.deepEqual(head.headOf(ACME), { single: 500, bulk: 0 });
  assert.deepEqual(head.headOf(GLOBEX), { single: LEFT, bulk: LEFT });
  head.looked(new Map([[ACME, { rank: BULK, dueAt: 600 }]]), false, NOW);
  assert.deepEqual(head.headOf(ACME), { single: LEFT, bulk: 600 });
  assert.deepEqual(head.headOf(GLOBEX), BEGINNING);
});

test('the next claim begins behind the last, where that took as many as it might', async () => {
  const head = await longHead();
  head.looked(new Map([[ACME, { rank: SINGLE, dueAt: 500 }]]), true, NOW);
  const single = (dueAt: number) => ({ rank: SINGLE, dueAt });
  head.claimed(ACME, [single(500), single(510)], 2, NOW);
  assert.deepEqual(head.headOf(ACME), { single: 510, bulk: 0 });
  head.claimed(ACME, [single(520), { rank: BULK, dueAt: 300 }], 2, NOW);
  assert.deepEqual(head.headOf(ACME), { single: LEFT, bulk: 300 });
  head.claimed(ACME, [], 2, NOW);
  assert.deepEqual(head.headOf(ACME), { single: LEFT, bulk: LEFT });
  head.returned(ACME, single(505));
  assert.deepEqual(head.headOf(ACME), { single: 505, bulk: LEFT });
});
