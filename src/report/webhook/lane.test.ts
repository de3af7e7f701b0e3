import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../domain/ids.ts';
import { ManualClock } from '../../platform/clock.ts';
import { type LaneDeps, WebhookLane } from './lane.ts';

/** More than a look into an empty store takes. */
const MOST_STEPS = 40;

test('a lane that is woken looks, however little is left of the look before', async () => {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    let looks = 0;
    const accounts = {
      async find() {
        looks++;
        return undefined;
      },
    };
    const lane = new WebhookLane(
      'shop' as AccountId,
      { store: { accounts }, clock: new ManualClock() } as unknown as LaneDeps,
      () => {},
    );
    lane.wake();
    for (let step = 0; step < steps; step++) await undefined;
    const before = looks;
    lane.wake();
    await nextTurn();
    assert.ok(
      looks > before,
      `woken after ${steps} steps, it had looked ${before} times and did not look again`,
    );
  }
});
