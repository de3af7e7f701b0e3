/** How long things are kept, and what deletes them when their time is over: one sweep for each kind of thing. */
import type { Files } from '../accept/files.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import { namedImages } from './named-images.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const TRAFFIC_INTERVAL_MS = MINUTE_MS;
const TEXTS_INTERVAL_MS = MINUTE_MS;
/** Chunks of one run: after an update of an old store there may be texts of weeks. */
const MOST_TEXT_CHUNKS = 1000;
const FILES_INTERVAL_MS = MINUTE_MS;
const ACCOUNTS_INTERVAL_MS = MINUTE_MS;
const PURGE_CHUNK = 500;
const OPERATOR_INTERVAL_MS = 10 * MINUTE_MS;

/** Messages of one run. */
const MOST_ERASED = 200;

const IDEMPOTENCY_WINDOW_MS = DAY_MS;
/** A token that has expired is told from an unknown one by its own date, so its row need not stay long. */
const TOKEN_GRACE_MS = HOUR_MS;
/** A parked receipt outlives the deadline of every step that it may be about. */
const PARKED_GRACE_MS = DAY_MS;
/** Our choice: receipts that match nothing, of one carrier; the oldest beyond them are deleted. */
const MOST_PARKED = 100_000;
/** RCS messages may wait for a day, whatever the settings. */
const LONGEST_RCS_MS = DAY_MS;
/** The last attempt at a webhook is made at the end of its window; it is not swept while that may still run. */
const LAST_ATTEMPT_GRACE_MS = 10 * MINUTE_MS;
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
  const { files, clock, events } = deps;
  const every = (intervalMs: number, name: string, task: () => Promise<void>) =>
    new Repeater(clock, intervalMs, task, error => events.failed(name, error));
  let isStopped = false;
  const repeaters = [
    every(TRAFFIC_INTERVAL_MS, 'sweep', () => sweepTraffic(deps)),
    every(TRAFFIC_INTERVAL_MS, 'sweep inbound', () => sweepInbound(deps)),
    every(TEXTS_INTERVAL_MS, 'remove texts', () => removeTexts(deps, () => isStopped)),
    every(TEXTS_INTERVAL_MS, 'complete erasures', () => completeErasures(deps)),
    every(ACCOUNTS_INTERVAL_MS, 'purge accounts', () => purgeAccounts(deps)),
    every(TRAFFIC_INTERVAL_MS, 'sweep reservations', () => sweepReservations(deps)),
    every(FILES_INTERVAL_MS, 'sweep files', () => files.sweep()),
    every(OPERATOR_INTERVAL_MS, 'sweep operator', () => sweepOperatorData(deps)),
  ];
  return {
    start() {
      isStopped = false;
      for (const repeater of repeaters) repeater.start();
    },
    async stop() {
      isStopped = true;
      await Promise.all(repeaters.map(repeater => repeater.stop()));
    },
  };
}

/** Messages, reports, tokens, idempotency keys, parked receipts and webhook deliveries, a chunk at a time. */
async function sweepTraffic(deps: Deps): Promise<void> {
  const { store, clock, deadlines, reportRetentionMs, inquiryWindowMs } = deps;
  const now = clock.now();
  const longestDeadlineMs = Math.max(LONGEST_RCS_MS, ...Object.values(deadlines));
  const cutoffs = {
    now,
    unfetchedBefore: now - reportRetentionMs,
    inquiryBefore: now - inquiryWindowMs,
    idempotencyBefore: now - IDEMPOTENCY_WINDOW_MS,
    tokensBefore: now - TOKEN_GRACE_MS,
    parkedBefore: now - longestDeadlineMs - PARKED_GRACE_MS,
    mostParked: MOST_PARKED,
    giveUpBefore: now - LAST_ATTEMPT_GRACE_MS,
    deliveriesBefore: now - Math.min(DELIVERY_WINDOW_MS, inquiryWindowMs),
  };
  while (await store.upkeep.sweep(cutoffs));
}

/** As long as a carrier may repeat a message whose answer it did not get. */
const UNCONFIRMED_MS = 3 * DAY_MS;

/** Inbound messages: texts before the rest, as with messages that were sent. */
async function sweepInbound(deps: Deps): Promise<void> {
  const { store, clock, reportRetentionMs, inquiryWindowMs, textRetentionMs } = deps;
  const now = clock.now();
  const cutoffs = {
    now,
    unfetchedBefore: now - Math.min(reportRetentionMs, inquiryWindowMs),
    textsBefore: now - Math.min(textRetentionMs, inquiryWindowMs),
    before: now - inquiryWindowMs,
    unconfirmedBefore: now - UNCONFIRMED_MS,
  };
  while (await store.inbound.sweep(cutoffs));
}

/** What a reservation sent goes with its messages; its own text and recipients go as theirs do. */
async function sweepReservations({ store, clock, textRetentionMs, inquiryWindowMs }: Deps): Promise<void> {
  const now = clock.now();
  const before = now - inquiryWindowMs;
  const textsBefore = now - Math.min(textRetentionMs, inquiryWindowMs);
  while (await store.reservations.sweep({ textsBefore, before }));
}

/** Texts go first: what is left of a message until the inquiry window closes is who, when, and what became of it. */
async function removeTexts(deps: Deps, isStopped: () => boolean): Promise<void> {
  const { store, clock, textRetentionMs, inquiryWindowMs } = deps;
  const now = clock.now();
  const order = { now, acceptedBefore: now - Math.min(textRetentionMs, inquiryWindowMs) };
  for (let chunk = 0; chunk < MOST_TEXT_CHUNKS && !isStopped(); chunk++) {
    if (!(await store.upkeep.removeTexts(order))) return;
  }
}

/** Erases the recipients of messages that were on their way when it was ordered, and have ended since. */
async function completeErasures({ store, files, clock, inquiryWindowMs }: Deps): Promise<void> {
  const ended = await store.privacy.endedSince(MOST_ERASED);
  const now = clock.now();
  for (const { order, msgKey, withImages } of ended) {
    const named = withImages ? await namedImages(store, [msgKey], now) : undefined;
    await store.privacy.erase(order, [msgKey], now);
    const images = named?.get(msgKey) ?? [];
    const after = images.length > 0 ? await store.messages.find(msgKey) : undefined;
    // A text that others got stays, and what it names with it; so does an image that another message needs.
    if (after?.textRemovedAt !== undefined) for (const fileKey of images) await files.remove(fileKey);
  }
  await store.privacy.endOrders(now, now - inquiryWindowMs);
  if (ended.length > 0) await store.privacy.scrub();
}

/** What deleted accounts had goes; of an account whose messages are gone the id is left, which is never given again. */
async function purgeAccounts({ store, clock, inquiryWindowMs }: Deps): Promise<void> {
  const now = clock.now();
  while (await store.accounts.purge(now, PURGE_CHUNK));
  await store.accounts.forget(now - inquiryWindowMs - DAY_MS);
}

async function sweepOperatorData({ store, clock }: Deps): Promise<void> {
  const now = clock.now();
  await store.sessions.sweep(now);
  await store.operatorTokens.sweep(now - AUDIT_MS);
  await store.statistics.sweep(now - STATISTICS_MS);
  const { minute, hour, day } = ROLLUPS_MS;
  while (await store.rollups.sweep({ minute: now - minute, hour: now - hour, day: now - day }));
  await store.audit.sweep(now - AUDIT_MS);
  while (await store.optOuts.sweep(now - ENDED_OPT_OUTS_MS));
  await store.privacy.sweep(now - AUDIT_MS);
}
