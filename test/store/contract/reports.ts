import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportId } from '../../../src/domain/ids.ts';
import { nextTurn } from '../../../src/platform/next-turn.ts';
import type { ReportBatch } from '../../../src/store/store.ts';
import { ACME, answer, GLOBEX, NEXT_CARRIER, type OpenStore, TWO_STEPS } from './store-under-test.ts';

export function reportsContract(open: OpenStore): void {
  test('hands out nothing when there is nothing', async t => {
    const bench = await open(t);
    assert.equal(await bench.poll(), undefined);
  });

  test('hands out the oldest records first, and no more than asked', async t => {
    const bench = await open(t);
    const keys: string[] = [];
    for (let index = 0; index < 3; index++) {
      keys.push(await bench.deliver());
      bench.clock.advance(1);
    }
    const first = await bench.poll({ limit: 2 });
    assert.deepEqual(keysOf(first), keys.slice(0, 2));
    assert.equal(await bench.store.reports.acknowledge(ACME, idOf(first), bench.clock.now()), true);
    assert.deepEqual(keysOf(await bench.poll({ limit: 2 })), keys.slice(2));
  });

  test('hands out the same batch until it is acknowledged', async t => {
    const bench = await open(t);
    await bench.deliver();
    const batch = await bench.poll();
    await bench.deliver();
    assert.deepEqual(await bench.poll(), batch);
    await bench.reopen();
    assert.deepEqual(await bench.poll({ limit: 1 }), batch);
  });

  test('hands out what came while a batch was open in the next one', async t => {
    const bench = await open(t);
    await bench.deliver();
    const batch = await bench.poll();
    const later = await bench.deliver();
    await bench.store.reports.acknowledge(ACME, idOf(batch), bench.clock.now());
    const next = await bench.poll();
    assert.deepEqual(keysOf(next), [later]);
    assert.notEqual(next?.reportId, batch?.reportId);
  });

  test('hands out an acknowledged record never again, and still answers an inquiry', async t => {
    const bench = await open(t);
    const msgKey = await bench.deliver();
    await bench.store.reports.acknowledge(ACME, idOf(await bench.poll()), bench.clock.now());
    assert.equal(await bench.poll(), undefined);
    assert.equal((await bench.inquire(msgKey)).length, 1);
  });

  test('acknowledges the open batch once and no other', async t => {
    const bench = await open(t);
    await bench.deliver();
    const { reports } = bench.store;
    const reportId = idOf(await bench.poll());
    assert.equal(await reports.acknowledge(ACME, 'another' as ReportId, 1), false);
    const results = await Promise.all([1, 2, 3].map(() => reports.acknowledge(ACME, reportId, 1)));
    assert.deepEqual(results.sort(), [false, false, true]);
    assert.equal(await reports.acknowledge(ACME, reportId, 1), false);
  });

  test('tells when the records of a message were fetched', async t => {
    const bench = await open(t);
    const fetched = await bench.deliver();
    const batch = await bench.poll();
    const waiting = await bench.deliver();
    bench.clock.advance(5_000);
    await bench.store.reports.acknowledge(ACME, idOf(batch), bench.clock.now());
    assert.deepEqual(await bench.store.reports.handedOver(fetched), [
      { step: 0, event: 'reportFetched', at: bench.clock.now() },
    ]);
    assert.deepEqual(await bench.store.reports.handedOver(waiting), []);
  });

  test('gives pollers at the same time the same batch', async t => {
    const bench = await open(t);
    for (let index = 0; index < 20; index++) await bench.deliver();
    const batches = await Promise.all(Array.from({ length: 10 }, () => bench.poll({ limit: 5 })));
    assert.equal(batches[0]?.records.length, 5);
    for (const batch of batches) assert.deepEqual(batch, batches[0]);
  });

  test('loses and repeats no record while some poll and others settle', async t => {
    const bench = await open(t);
    const requests = Array.from({ length: 100 }, () => bench.request());
    await Promise.all(requests.map(request => bench.accept(request)));
    const steps = await bench.claim({ limit: 100 });
    const fetched: string[] = [];
    const settling = Promise.all(
      steps.map(live => bench.settle(answer(live, { name: 'receivedDelivered' }))),
    );
    let isSettled = false;
    void settling.then(() => {
      isSettled = true;
    });
    for (;;) {
      const wasSettled = isSettled;
      const [batch] = await Promise.all([bench.poll({ limit: 7 }), bench.poll({ limit: 7 })]);
      fetched.push(...keysOf(batch));
      if (batch) await bench.store.reports.acknowledge(ACME, batch.reportId, bench.clock.now());
      else if (wasSettled) break;
      else await nextTurn();
    }
    await settling;
    assert.deepEqual(fetched.toSorted(), steps.map(({ msgKey }) => msgKey).toSorted());
  });

  test('gives every batch a name of its own, however many pollers fetch and acknowledge', async t => {
    const bench = await open(t);
    const records = 100;
    await Promise.all(Array.from({ length: records }, () => bench.accept(bench.request())));
    const steps = await bench.claim({ limit: records });
    const seen = new Map<string, string>();
    const fetched = new Set<string>();
    const settling = steps.map(live => bench.settle(answer(live, { name: 'receivedDelivered' })));
    const pollers = Array.from({ length: 8 }, async () => {
      while (fetched.size < records) {
        const batch = await bench.poll({ limit: 3 });
        if (!batch) {
          await nextTurn();
          continue;
        }
        const keys = batch.records.map(({ msgKey }) => msgKey);
        assert.equal(seen.get(batch.reportId) ?? keys.join(), keys.join());
        seen.set(batch.reportId, keys.join());
        for (const key of keys) fetched.add(key);
        await bench.store.reports.acknowledge(ACME, batch.reportId, bench.clock.now());
      }
    });
    await Promise.all([...settling, ...pollers]);
  });

  test('keeps the records and batches of accounts apart', async t => {
    const bench = await open(t);
    const ours = await bench.deliver({ account: ACME });
    const theirs = await bench.deliver({ account: GLOBEX });
    const batch = await bench.poll({ account: ACME });
    assert.deepEqual(keysOf(batch), [ours]);
    assert.equal(await bench.store.reports.acknowledge(GLOBEX, idOf(batch), bench.clock.now()), false);
    assert.deepEqual(keysOf(await bench.poll({ account: GLOBEX })), [theirs]);
    assert.deepEqual(await bench.poll({ account: ACME }), batch);
    assert.deepEqual(await bench.inquire(theirs, { account: ACME }), []);
    assert.equal((await bench.inquire(theirs, { account: GLOBEX })).length, 1);
  });

  test('hands out no record from before the asked time', async t => {
    const bench = await open(t);
    const old = await bench.deliver();
    bench.clock.advance(1_000);
    const since = bench.clock.now();
    assert.equal(await bench.poll({ since }), undefined);
    const recent = await bench.deliver();
    assert.deepEqual(keysOf(await bench.poll({ since })), [recent]);
    assert.deepEqual(await bench.inquire(old, { since }), []);
    assert.equal((await bench.inquire(recent, { since })).length, 1);
  });

  test('leaves out all but the last record of a message where only that is asked for', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ flow: TWO_STEPS });
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    assert.equal(await bench.poll({ lastOnly: true }), undefined);
    assert.deepEqual(await bench.inquire(live.msgKey, { lastOnly: true }), []);
    const [next] = await bench.claim({ carrier: NEXT_CARRIER });
    assert.ok(next);
    await bench.settle(answer(next, { name: 'receivedDelivered' }));
    const batch = await bench.poll({ lastOnly: true });
    assert.deepEqual(
      batch?.records.map(({ step, isLast }) => [step, isLast]),
      [[1, true]],
    );
    assert.deepEqual(
      (await bench.inquire(live.msgKey, { lastOnly: true })).map(({ step }) => step),
      [1],
    );
    assert.equal((await bench.inquire(live.msgKey)).length, 2);
  });

  test('drops the records that a poll leaves out, and looks behind them for one to hand out', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ flow: TWO_STEPS });
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    // An account in webhook mode: what came since is pushed.
    assert.equal(await bench.poll({ lastOnly: true, since: Number.MAX_SAFE_INTEGER }), undefined);
    const [first] = await bench.claim({ carrier: NEXT_CARRIER });
    assert.ok(first);
    await bench.settle(answer(first, { name: 'receivedDelivered' }));
    const other = await bench.sendAndClaim({ flow: TWO_STEPS });
    await bench.settle(answer(other, { name: 'refused', reportCode: '23001' }));
    const batch = await bench.poll({ lastOnly: true, limit: 1 });
    assert.deepEqual(
      batch?.records.map(({ msgKey, step }) => [msgKey, step]),
      [[live.msgKey, 1]],
    );
    await bench.store.reports.acknowledge(ACME, idOf(batch), bench.clock.now());
    assert.equal(await bench.poll({ lastOnly: true }), undefined);
    assert.equal(await bench.poll(), undefined);
    assert.equal((await bench.inquire(live.msgKey)).length, 2);
  });

  test('knows which batch an account holds', async t => {
    const bench = await open(t);
    await bench.deliver();
    const batch = await bench.poll();
    assert.ok(batch);
    const { reports } = bench.store;
    assert.equal(await reports.holds(ACME, batch.reportId), true);
    assert.equal(await reports.holds(GLOBEX, batch.reportId), false);
    await reports.acknowledge(ACME, batch.reportId, bench.clock.now());
    assert.equal(await reports.holds(ACME, batch.reportId), false);
  });
}

function keysOf(batch: ReportBatch | undefined): string[] {
  return batch?.records.map(({ msgKey }) => msgKey) ?? [];
}

function idOf(batch: ReportBatch | undefined): ReportId {
  if (!batch) throw new Error('there is no batch');
  return batch.reportId;
}
