import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../platform/clock.ts';
import type { DurabilityRisk } from '../store/store.ts';
import { createDurabilityWatch } from './durability-watch.ts';

const risk = (setting: string): DurabilityRisk => ({ setting, value: '', risk: '', advice: '' });

function watched(options: { isRequired: boolean; found?: DurabilityRisk[] }) {
  const clock = new ManualClock();
  const told: string[][] = [];
  const world = { risks: options.found ?? [], isAway: false, asked: 0 };
  const watch = createDurabilityWatch({
    store: {
      async durability() {
        world.asked++;
        if (world.isAway) throw new Error('away');
        return { settings: {}, standbys: 0, risks: world.risks };
      },
    },
    clock,
    isRequired: options.isRequired,
    onChange: risks => void told.push(risks.map(({ setting }) => setting)),
    found: world.risks,
  });
  const pass = async (seconds: number) => {
    clock.advance(1000 * seconds);
    watch.look();
    await turn();
  };
  return { world, watch, told, pass };
}

test('asks every ten seconds, and tells what has changed', async () => {
  const { world, watch, told, pass } = watched({ isRequired: true });
  await pass(9);
  assert.equal(world.asked, 0);
  world.risks = [risk('fsync')];
  await pass(1);
  assert.deepEqual(told, [['fsync']]);
  assert.equal(watch.isRefused(), true);
  await pass(10);
  assert.equal(told.length, 1, 'the same is told once');
  world.isAway = true;
  await pass(10);
  assert.equal(watch.isRefused(), true, 'what was known stays');
  world.isAway = false;
  world.risks = [];
  await pass(10);
  assert.deepEqual([told.at(-1), watch.isRefused()], [[], false]);
});

test('standbys that commits do not wait for are refused after a minute, which a failover does not take', async () => {
  const { world, watch, pass } = watched({ isRequired: true });
  world.risks = [risk('synchronous_standby_names')];
  await pass(10);
  await pass(50);
  assert.equal(watch.isRefused(), false);
  await pass(10);
  assert.equal(watch.isRefused(), true);
  world.risks = [];
  await pass(10);
  world.risks = [risk('synchronous_standby_names')];
  await pass(10);
  assert.equal(watch.isRefused(), false, 'the minute begins again');
});

test('where it is not required nothing is refused, and the risks are shown all the same', async () => {
  const { watch, pass } = watched({ isRequired: false, found: [risk('fsync')] });
  await pass(100);
  assert.equal(watch.isRefused(), false);
  assert.equal(watch.look().length, 1);
});
