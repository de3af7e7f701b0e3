import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../domain/ids.ts';
import { createMorningSlots } from './morning-slots.ts';

const SHOP = 'shop' as AccountId;
const OTHER = 'other' as AccountId;
const adHours = '08:00-20:50';

test('an account without a rate has all its advertisements due at the opening', () => {
  const slotOf = createMorningSlots();
  assert.deepEqual(
    [1, 2, 3].map(() => slotOf(SHOP, 5000, { sendRate: undefined, adHours })),
    [5000, 5000, 5000],
  );
});

test('an account with a rate has them due one after the other, each morning anew and whatever others do', () => {
  const slotOf = createMorningSlots();
  const next = (account: AccountId, opensAt: number) => slotOf(account, opensAt, { sendRate: 4, adHours });
  assert.deepEqual([next(SHOP, 0), next(SHOP, 0), next(OTHER, 0), next(SHOP, 0)], [0, 250, 0, 500]);
  assert.deepEqual([next(SHOP, 86_400_000), next(SHOP, 86_400_000)], [86_400_000, 86_400_250]);
});

test('more than fit into the hours begin again at the opening', () => {
  const slotOf = createMorningSlots();
  const slots = Array.from({ length: 61 }, () => slotOf(SHOP, 0, { sendRate: 1, adHours: '08:00-08:01' }));
  assert.deepEqual([slots[59], slots[60]], [59_000, 0]);
});
