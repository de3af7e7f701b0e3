/** A poll whose answer was lost is repeated; what it began the first time may be fetched and deleted by then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { createReports } from '../../src/report/reports.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { accountNamed, StoreUnderTest } from '../store/contract/store-under-test.ts';

const DAY_MS = 86_400_000;

test('gives no batch the name of one that was deleted', async t => {
  const clock = new ManualClock();
  const dataDir = scratchDirectory();
  const open = () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const store = open();
  t.after(() => store.close());
  const bench = new StoreUnderTest(store, clock, async () => open());
  const deleted: string[] = [];
  let isFirst = true;
  const doubtful: Store = {
    ...store,
    reports: {
      ...store.reports,
      async poll(query) {
        const batch = await store.reports.poll(query);
        if (!isFirst || !batch) return batch;
        isFirst = false;
        // The answer is lost; meanwhile another poller fetches the batch and deletes it, and more reports come in.
        await store.reports.acknowledge(query.account, batch.reportId, clock.now());
        deleted.push(batch.reportId);
        await bench.deliver();
        throw new StoreFault('mayHaveHappened', 'the answer was lost');
      },
    },
  };
  const reports = createReports({
    store: doubtful,
    clock,
    random: systemRandomness(),
    events: { reportsFetched: () => {} },
    formatTime: zonedTimeFormatter('Asia/Seoul'),
    reportRetentionMs: DAY_MS,
    inquiryWindowMs: DAY_MS,
    storeTimeoutMs: 10_000,
  });
  await bench.deliver();
  const answer = await reports.poll(accountNamed('acme'));
  assert.ok('reportId' in answer);
  assert.equal(answer.report?.length, 1);
  assert.equal(deleted.length, 1);
  assert.notEqual(answer.reportId, deleted[0]);
});
