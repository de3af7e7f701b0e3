/** How long things are kept, and what deletes them when their time is over: one sweep for each kind of thing. */
import type { Files } from '../accept/files.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import { LAST_ATTEMPT_GRACE_MS } from '../domain/reports/webhook.ts';
import { backgroundTasks } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { whenTrusted } from '../platform/cluster-clock.ts';
import { FairQueue } from '../platform/fair-queue.ts';
import type { Store } from '../store/store.ts';
import { createEraser } from './erasure.ts';
import { runSweeps } from './sweeps.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Chunks of one run: after an update of an old store there may be texts of weeks. */
const MOST_TEXT_CHUNKS = 1000;
const PURGE_CHUNK = 500;
/** Each has a connection at most, of those that sends have, too. */
const MOST_AT_ONCE = 2;

const IDEMPOTENCY_WINDOW_MS = DAY_MS;
/** A token that has expired is told from an unknown one by its own date, so its row need not stay long. */
const TOKEN_GRACE_MS = HOUR_MS;
/** A parked receipt outlives the deadline of every step that it may be about. */
const PARKED_GRACE_MS = DAY_MS;
/** Our choice: receipts that match nothing, of one carrier; the oldest beyond them are deleted. */
const MOST_PARKED = 100_000;
/** RCS messages may wait for a day, whatever the settings. */
const LONGEST_RCS_MS = DAY_MS;
/** Our choice: a delivery that ended is shown to operators for a week, and no longer than its record is kept. */
const DELIVERY_WINDOW_MS = 7 * DAY_MS;
const STATISTICS_MS = 30 * DAY_MS;
/** Our choice: what went to carriers by the minute, the traffic by the hour, and by the day. */
const ROLLUPS_MS = { minute: 2 * DAY_MS, hour: 35 * DAY_MS, day: 400 * DAY_MS };
const AUDIT_MS = 365 * DAY_MS;
/** Our choice: that somebody had opted out, and agreed again, can be proved for three years. */
const ENDED_OPT_OUTS_MS = 3 * 365 * DAY_MS;

export interface Retention {
  start(): void;
  stop(): Promise<void>;
}

interface Deps {
  readonly store: Store;
  readonly files: Pick<Files, 'sweep' | 'remove'>;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
  readonly deadlines: DeadlineSettings;
  /** How long a report waits to be fetched. */
  readonly reportRetentionMs: number;
  /** How long a message can be looked up. */
  readonly inquiryWindowMs: number;
  /** How long its text can; no longer than the message itself. */
  readonly textRetentionMs: number;
}

export function createRetention(deps: Deps): Retention {
  const { files, clock } = deps;
  const eraser = createEraser({ ...deps, removeFile: fileKey => files.remove(fileKey) });
  let isStopped = false;
  const turns = new FairQueue({ atOnce: MOST_AT_ONCE, waiting: Number.POSITIVE_INFINITY });
  const inTurn = (key: string, work: () => Promise<void>) => () =>
    turns.run({ key, isUrgent: false, work, isWanted: () => !isStopped });
  const tasks = backgroundTasks(deps, [
    // Also by a time that is in doubt: whatever is stored meanwhile needs its day.
    ['make days', inTurn('make days', () => deps.store.upkeep.makeDays(clock.now()))],
    [
      'sweep',
      inTurn(
        'sweep',
        whenTrusted(clock, now => sweepTraffic(deps, now)),
      ),
    ],
    [
      'sweep inbound',
      inTurn(
        'sweep inbound',
        whenTrusted(clock, now => sweepInbound(deps, now)),
      ),
    ],
    [
      'remove texts',
      inTurn(
        'remove texts',
        whenTrusted(clock, now => removeTexts(deps, now, () => isStopped)),
      ),
    ],
    ['complete erasures', inTurn('complete erasures', () => eraser.goOn(() => isStopped))],
    [
      'purge accounts',
      inTurn(
        'purge accounts',
        whenTrusted(clock, now => purgeAccounts(deps, now)),
      ),
    ],
    [
      'sweep reservations',
      inTurn(
        'sweep reservations',
        whenTrusted(clock, now => sweepReservations(deps, now)),
      ),
    ],
    // Not in turn: the place where files are may be slow, and is another one.
    ['sweep files', () => files.sweep()],
    [
      'sweep operator',
      inTurn(
        'sweep operator',
        whenTrusted(clock, now => sweepOperatorData(deps, now)),
      ),
    ],
  ]);
  return {
    start() {
      isStopped = false;
      tasks.start();
    },
    async stop() {
      isStopped = true;
      await tasks.stop();
    },
  };
}

/** Messages, reports, tokens, idempotency keys, parked receipts and webhook deliveries, a chunk at a time. */
async function sweepTraffic(deps: Deps, now: number): Promise<void> {
  const { store, events, deadlines, reportRetentionMs, inquiryWindowMs } = deps;
  const longestDeadlineMs = Math.max(LONGEST_RCS_MS, ...Object.values(deadlines));
  const cutoffs = {
    now,
    unfetchedBefore: now - reportRetentionMs,
    inquiryBefore: now - inquiryWindowMs,
    idempotencyBefore: now - IDEMPOTENCY_WINDOW_MS,
    tokensBefore: now - TOKEN_GRACE_MS,
    parkedBefore: now - longestDeadlineMs - PARKED_GRACE_MS,
    mostParked: MOST_PARKED,
    // The last call may still be under way.
    giveUpBefore: now - LAST_ATTEMPT_GRACE_MS - MINUTE_MS,
    deliveriesBefore: now - Math.min(DELIVERY_WINDOW_MS, inquiryWindowMs),
  };
  await runSweeps(store.upkeep.sweeps(cutoffs), (name, error) => events.failed(`sweep ${name}`, error));
}

/** Our choice: people have a day to decide about a reservation, however short texts are kept. */
const SHORTEST_HALT_MS = DAY_MS;

/** As long as a carrier may repeat a message whose answer it did not get. */
const UNCONFIRMED_MS = 3 * DAY_MS;

/** Inbound messages: texts before the rest, as with messages that were sent. */
async function sweepInbound(deps: Deps, now: number): Promise<void> {
  const { store, events, reportRetentionMs, inquiryWindowMs, textRetentionMs } = deps;
  const cutoffs = {
    now,
    unfetchedBefore: now - Math.min(reportRetentionMs, inquiryWindowMs),
    textsBefore: now - Math.min(textRetentionMs, inquiryWindowMs),
    before: now - inquiryWindowMs,
    unconfirmedBefore: now - UNCONFIRMED_MS,
  };
  await runSweeps(store.inbound.sweeps(cutoffs), (name, error) =>
    events.failed(`sweep inbound ${name}`, error),
  );
}

/**
 * What a reservation sent goes with its messages; its own text and recipients go as theirs do. One that is STOPPED or HELD would
 * keep them as long as nobody decides.
 */
async function sweepReservations(
  { store, events, textRetentionMs, inquiryWindowMs }: Deps,
  now: number,
): Promise<void> {
  const cutoffs = {
    now,
    haltedBefore: now - Math.max(textRetentionMs, SHORTEST_HALT_MS),
    textsBefore: now - Math.min(textRetentionMs, inquiryWindowMs),
    before: now - inquiryWindowMs,
  };
  await runSweeps(store.reservations.sweeps(cutoffs), (name, error) =>
    events.failed(`sweep reservations ${name}`, error),
  );
}

/** Texts go first: what is left of a message until the inquiry window closes is who, when, and what became of it. */
async function removeTexts(deps: Deps, now: number, isStopped: () => boolean): Promise<void> {
  const { store, textRetentionMs, inquiryWindowMs } = deps;
  const order = { now, acceptedBefore: now - Math.min(textRetentionMs, inquiryWindowMs) };
  for (let chunk = 0; chunk < MOST_TEXT_CHUNKS && !isStopped(); chunk++) {
    if (!(await store.upkeep.removeTexts(order))) return;
  }
}

/** What deleted accounts had goes; of an account whose messages are gone the id is left, which is never given again. */
async function purgeAccounts({ store, inquiryWindowMs }: Deps, now: number): Promise<void> {
  while (await store.accounts.purge(now, PURGE_CHUNK));
  await store.accounts.forget(now - inquiryWindowMs - DAY_MS);
}

async function sweepOperatorData({ store, events }: Deps, now: number): Promise<void> {
  const { minute, hour, day } = ROLLUPS_MS;
  const sums = { minute: now - minute, hour: now - hour, day: now - day };
  /** What is never many. */
  const atOnce = (sweep: () => Promise<void>) => async () => {
    await sweep();
    return false;
  };
  const sweeps = {
    sessions: atOnce(() => store.sessions.sweep(now)),
    'tokens of operators': atOnce(() => store.operatorTokens.sweep(now - AUDIT_MS)),
    statistics: () => store.statistics.sweep(now - STATISTICS_MS),
    sums: () => store.rollups.sweep(sums),
    audit: () => store.audit.sweep(now - AUDIT_MS),
    'opt-outs': () => store.optOuts.sweep(now - ENDED_OPT_OUTS_MS),
    erasures: atOnce(() => store.privacy.sweep(now - AUDIT_MS)),
  };
  await runSweeps(sweeps, (name, error) => events.failed(`sweep operator ${name}`, error));
}
