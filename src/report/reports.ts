/** Collecting reports: polling with acknowledgement, and inquiry by msgKey. */
import type { Account } from '../domain/account/account.ts';
import { type AccountId, BASE32, parseMsgKey, type ReportId, timePrefix } from '../domain/ids.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { Pieces, TurnShare } from '../platform/pieces.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { isInDoubt, StoreTime } from '../store/store-time.ts';
import { acknowledgeUntilCertain, pollUntilCertain } from './certainty.ts';
import { KeptBatches, type PolledBatch } from './kept-batches.ts';
import { sharedByAccount } from './shared-run.ts';
import { type WireReport, wireReport } from './wire-record.ts';

export interface Reports {
  /** A batch that is asked for again may be the same object. */
  poll(account: Account): Promise<PolledBatch | typeof NOTHING | Problem>;
  acknowledge(account: Account, reportId: string): Promise<Problem | undefined>;
  inquire(account: Account, msgKey: string): Promise<WireReport[]>;
}

const NOTHING = { reportId: '', report: null } as const;
const BATCH_LIMIT = 1000;
/**
 * Records put into words in one turn of the event loop, of all accounts that ask: reading, wording and writing a thousand took up to
 * 21 ms.
 */
const WORDED_A_TURN = 250;
/** Later than any report: a poll that may open no new batch. */
const NEVER = Number.MAX_SAFE_INTEGER;
const REPORT_ID_RANDOM = 18;

export function createReports(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Pick<Events, 'reportsFetched'>;
  readonly formatTime: FormatTime;
  readonly reportRetentionMs: number;
  readonly inquiryWindowMs: number;
  readonly storeTimeoutMs: number;
}): Reports {
  const { store, clock, random, events, formatTime, reportRetentionMs, inquiryWindowMs } = deps;
  const kept = new KeptBatches(clock);
  const wordedNow = new TurnShare(WORDED_A_TURN);
  const wording = new Pieces(wordedNow.rest);
  const pollShared = sharedByAccount(openBatchOf);

  return {
    async poll(account) {
      if (!account.settings.pull) return new Problem('A802');
      const batch = await pollShared(account);
      if (!batch) return NOTHING;
      events.reportsFetched(account.id, batch.report.length);
      return batch;
    },
    async acknowledge(account, reportId) {
      if (!account.settings.pull) return new Problem('A802');
      try {
        return await acknowledgeUntilCertain(new StoreTime(clock, deps.storeTimeoutMs), {
          acknowledge: () => store.reports.acknowledge(account.id, reportId as ReportId, clock.now()),
          holds: () => store.reports.holds(account.id, reportId as ReportId),
        });
      } finally {
        kept.drop(account.id);
      }
    },
    async inquire(account, key) {
      const msgKey = parseMsgKey(key);
      if (msgKey === undefined) return [];
      const records = await store.reports.inquire({
        account: account.id,
        msgKey,
        lastOnly: account.settings.reportRecords === 'final',
        since: clock.now() - inquiryWindowMs,
      });
      return records.map(record => wireReport(record, account.settings, formatTime, 'inquiry'));
    },
  };

  async function openBatchOf(account: Account): Promise<PolledBatch | undefined> {
    const time = new StoreTime(clock, deps.storeTimeoutMs);
    const known = kept.find(account);
    if (known && (await isStillOpen(account.id, known.reportId, time))) return known;
    const now = clock.now();
    const query = {
      account: account.id,
      lastOnly: account.settings.reportRecords === 'final',
      newId: () => (timePrefix(now) + random.characters(REPORT_ID_RANDOM, BASE32)) as ReportId,
      limit: BATCH_LIMIT,
      // What came in webhook mode is pushed; a batch handed out before still comes back until its DELETE.
      since: account.settings.reportMode === 'webhook' ? NEVER : now - reportRetentionMs,
      now,
    };
    const batch = await pollUntilCertain(time, () => store.reports.poll(query));
    if (!batch) return undefined;
    const polled = { reportId: batch.reportId, report: await inWords(batch.records, account) };
    kept.keep(account, polled);
    return polled;
  }

  async function inWords(records: readonly ReportRecord[], { id, settings }: Account): Promise<WireReport[]> {
    const words: WireReport[] = [];
    while (words.length < records.length) {
      await wording.do(id, async () => {
        const piece = records.slice(words.length, words.length + WORDED_A_TURN);
        for (const record of piece) words.push(wireReport(record, settings, formatTime));
        wordedNow.count(piece.length);
      });
    }
    return words;
  }

  /** False also where it is in doubt: then the batch is read again. */
  async function isStillOpen(account: AccountId, reportId: ReportId, time: StoreTime): Promise<boolean> {
    try {
      return await time.within(store.reports.holds(account, reportId));
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      return false;
    }
  }
}
