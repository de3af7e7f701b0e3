/** Sums whose answer was lost are given to the store again; they are added once, whether they were written or not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CarrierSumsWriter } from '../../src/observe/carrier-sums.ts';
import { Statistics } from '../../src/observe/statistics.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { calendarOf, zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 4000;

/** What becomes of the calls that add sums, in order; those after them are answered. */
type Fate = 'answerLost' | 'notDone';

async function suffer(fates: Fate[], add: () => Promise<void>): Promise<void> {
  const fate = fates.shift();
  if (fate === 'notDone') throw new StoreFault('didNotHappen', 'the database cannot be reached');
  await add();
  if (fate === 'answerLost') throw new StoreFault('mayHaveHappened', 'the answer was lost');
}

for (const fates of [['answerLost'], ['notDone'], ['answerLost', 'notDone', 'answerLost']] as const) {
  test(`sums are exact after ${fates.join(', then ')}`, async t => {
    const clock = new ManualClock();
    const store = openSqliteStore({ dataDir: scratchDirectory(), exclusive: true, now: () => clock.now() });
    t.after(() => store.close());
    const [ofStatistics, ofCarriers]: Fate[][] = [[...fates], [...fates]];
    const doubtful: Pick<Store, 'statistics' | 'rollups'> = {
      statistics: {
        ...store.statistics,
        add: batch => suffer(ofStatistics ?? [], () => store.statistics.add(batch)),
      },
      rollups: {
        ...store.rollups,
        addCarriers: (batch, calendar) =>
          suffer(ofCarriers ?? [], () => store.rollups.addCarriers(batch, calendar)),
      },
    };
    let failures = 0;
    const onFailure = () => {
      failures++;
    };
    const statistics = new Statistics({
      store: doubtful,
      clock,
      formatTime: zonedTimeFormatter('UTC'),
      node: 'node',
      events: { failed: onFailure },
    });
    const carrierSums = new CarrierSumsWriter({
      store: doubtful,
      clock,
      events: { failed: onFailure },
      calendar: calendarOf('UTC'),
      node: 'node',
    });
    const day = clock.now() - (clock.now() % DAY_MS);
    statistics.start();
    carrierSums.start();
    for (const [index] of fates.entries()) {
      statistics.accepted(1);
      carrierSums.add('alpha', { submitted: 1, refused: 0, throttled: 0 });
      clock.advance(INTERVAL_MS);
      await until('both have failed', () => failures === 2 * (index + 1));
      await turn();
    }
    statistics.accepted(10);
    carrierSums.add('alpha', { submitted: 10, refused: 0, throttled: 0 });
    await Promise.all([statistics.stop(), carrierSums.stop()]);

    const sum = 10 + fates.length;
    const [bucket] = await statistics.read(day, day + DAY_MS, DAY_MS);
    assert.equal(bucket?.accepted, sum);
    assert.deepEqual(await store.rollups.readCarriers('day', day, day + DAY_MS), [
      { at: day, carrier: 'alpha', submitted: sum, refused: 0, throttled: 0 },
    ]);
  });
}
