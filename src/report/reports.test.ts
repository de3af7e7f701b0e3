import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Account, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import type { AccountId, ReportId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import { ManualClock } from '../platform/clock.ts';
import { systemRandomness } from '../platform/randomness.ts';
import { type ReportBatch, type ReportStore, type Store, StoreFault } from '../store/store.ts';
import { createReports } from './reports.ts';

const TIMEOUT_MS = 10_000;
const ACME: Account = {
  id: 'acme' as AccountId,
  passwordHash: '',
  blocked: false,
  tokenEpoch: 0,
  createdAt: 0,
  settings: DEFAULT_ACCOUNT_SETTINGS,
};
const fault = (outcome: StoreFault['outcome']) => Promise.reject(new StoreFault(outcome, 'cut'));

/** One batch in a store whose calls go wrong as the test says: before they are done, or after. */
function reportsOver(trouble: (call: string) => 'none' | 'before' | 'after' | 'away') {
  const clock = new ManualClock();
  let open: string | undefined = 'batch-1';
  const polled: ReportId[] = [];
  const maybe = async <T>(call: string, work: () => T): Promise<T> => {
    const what = trouble(call);
    if (what === 'away') return fault('didNotHappen');
    if (what === 'before') return fault('mayHaveHappened');
    const result = work();
    return what === 'after' ? fault('mayHaveHappened') : result;
  };
  const store: Pick<ReportStore, 'poll' | 'acknowledge' | 'holds'> = {
    poll: ({ newId }) =>
      maybe('poll', (): ReportBatch => {
        polled.push(newId());
        return { reportId: 'batch-1' as ReportId, records: [] };
      }),
    acknowledge: (_account, reportId) =>
      maybe('acknowledge', () => {
        const isOpen = open === reportId;
        if (isOpen) open = undefined;
        return isOpen;
      }),
    holds: (_account, reportId) => maybe('holds', () => open === reportId),
  };
  const reports = createReports({
    store: { reports: store } as unknown as Store,
    clock,
    random: systemRandomness(),
    events: { reportsFetched: () => {} } as unknown as Events,
    formatTime: String,
    reportRetentionMs: 1,
    inquiryWindowMs: 1,
    storeTimeoutMs: TIMEOUT_MS,
  });
  return { reports, clock, polled };
}

function onceIn(call: string, what: 'before' | 'after') {
  let isDone = false;
  return (name: string) => {
    if (name !== call || isDone) return 'none';
    isDone = true;
    return what;
  };
}

for (const what of ['before', 'after'] as const) {
  test(`a poll whose answer was lost ${what} it was done still returns its batch`, async () => {
    const { reports, polled } = reportsOver(onceIn('poll', what));
    const answer = await reports.poll(ACME);
    assert.ok(!(answer instanceof Problem));
    assert.equal(answer.reportId, 'batch-1');
    assert.equal(new Set(polled).size, polled.length, 'no two batches may have one name');
  });

  test(`a DELETE whose answer was lost ${what} it was done succeeds`, async () => {
    const { reports } = reportsOver(onceIn('acknowledge', what));
    assert.equal(await reports.acknowledge(ACME, 'batch-1'), undefined);
    assert.equal((await reports.acknowledge(ACME, 'batch-1'))?.code, 'A805', 'now it is gone');
  });
}

test('a poll that begins after a DELETE does not share what was read before it', async () => {
  const clock = new ManualClock();
  const reads: PromiseWithResolvers<ReportBatch>[] = [];
  const reports = createReports({
    store: {
      reports: {
        poll: () => {
          const read = Promise.withResolvers<ReportBatch>();
          reads.push(read);
          return read.promise;
        },
        acknowledge: async () => true,
        holds: async () => false,
      },
    } as unknown as Store,
    clock,
    random: systemRandomness(),
    events: { reportsFetched: () => {} } as unknown as Events,
    formatTime: String,
    reportRetentionMs: 1,
    inquiryWindowMs: 1,
    storeTimeoutMs: TIMEOUT_MS,
  });
  const before = reports.poll(ACME);
  await reports.acknowledge(ACME, 'batch-1');
  const after = [reports.poll(ACME), reports.poll(ACME), reports.poll(ACME)];
  await turn();
  assert.equal(reads.length, 1, 'one poll is under way');
  reads[0]?.resolve({ reportId: 'batch-1' as ReportId, records: [] });
  assert.deepEqual(await before, { reportId: 'batch-1', report: [] });
  await turn();
  assert.equal(reads.length, 2, 'one poll for the three that waited');
  reads[1]?.resolve({ reportId: 'batch-2' as ReportId, records: [] });
  for (const answer of await Promise.all(after)) {
    assert.deepEqual(answer, { reportId: 'batch-2', report: [] });
  }
});

test('callers that wait for a poll learn that it failed', async () => {
  let asked = 0;
  const { reports } = reportsOver(() => {
    asked++;
    return 'away';
  });
  const answers = await Promise.allSettled([reports.poll(ACME), reports.poll(ACME), reports.poll(ACME)]);
  assert.ok(answers.every(({ status }) => status === 'rejected'));
  assert.equal(asked, 1);
  await assert.rejects(reports.poll(ACME));
  assert.equal(asked, 2, 'the next one asks again');
});

test('a DELETE whose outcome cannot be found out in time says so', async () => {
  const { reports, clock } = reportsOver(call => (call === 'holds' ? 'away' : 'after'));
  const answer = reports.acknowledge(ACME, 'batch-1');
  for (let passed = 0; passed <= TIMEOUT_MS; passed += 50) {
    clock.advance(50);
    await turn();
  }
  const problem = await answer;
  assert.equal(problem?.code, 'A920');
  assert.equal(problem?.retryAfterSeconds, 1);
  assert.match(problem?.result ?? '', /not known whether the reports were deleted/);
});

test('records for several accounts at once are written in parts, one part in a turn', async () => {
  const record = { msgKey: 'A', serviceType: 'SMS', msgType: 'SMS', reportedAt: 1, reportCode: '10000' };
  const batch = { reportId: 'batch-1' as ReportId, records: Array(600).fill(record) };
  let worded = 0;
  const reports = createReports({
    store: { reports: { poll: async () => batch } } as unknown as Store,
    clock: new ManualClock(),
    random: systemRandomness(),
    events: { reportsFetched: () => {} },
    formatTime(at) {
      if (at === record.reportedAt) worded++;
      return String(at);
    },
    reportRetentionMs: 1,
    inquiryWindowMs: 1,
    storeTimeoutMs: TIMEOUT_MS,
  });
  let answered = 0;
  for (const id of ['a', 'b', 'c'])
    void reports.poll({ ...ACME, id: id as AccountId }).then(() => answered++);
  const inTurn: number[] = [];
  while (answered < 3) {
    const before = worded;
    await turn();
    inTurn.push(worded - before);
  }
  assert.equal(worded, 3 * 600);
  assert.ok(Math.max(...inTurn) < 2 * 250, `less than a share and one more piece: ${inTurn}`);
});
