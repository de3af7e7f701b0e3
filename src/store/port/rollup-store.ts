/**
 * The part of the store port that sums the traffic up: by hour and day, account, sender, channel, carrier and code.
 *
 * A message belongs to the hour and the day in which it was accepted. It is counted as accepted once it is seen, and all
 * its channel messages once it is over. Both happen behind the traffic, and exactly once.
 *
 * Sums of a day are kept under its date, in the time zone that was configured when they were counted. They keep this date
 * after a change of the zone.
 */
import type { TrafficDimension } from '../../domain/reports/dimensions.ts';
import type { Calendar } from '../../platform/zoned-time.ts';
import type { SumBatch } from './sum-batch.ts';

/** What is summed. Channel messages are the steps of messages; `accepted` and `messages` count whole messages. */
export interface RollupSums {
  /** Messages accepted, by channel and sender of their first step. Of no use by code: one that is on its way has none. */
  readonly accepted: number;
  /** Channel messages that ended. */
  readonly ended: number;
  /** Messages that ended, by their last channel message. */
  readonly messages: number;
  readonly delivered: number;
  /** Channel messages whose deadline passed without a receipt. */
  readonly expired: number;
  /** Parts of the channel messages that ended. */
  readonly parts: number;
  /** Delivered messages by time from accept to end; see platform/latency.ts. */
  readonly latencies: readonly number[];
}

export interface RollupKey {
  readonly account: string;
  readonly sender: string;
  readonly channel: string;
  readonly carrier: string;
  /** '' while a message is on its way. */
  readonly code: string;
}

/** The length of a stretch of time. */
export type RollupGrain = 'hour' | 'day';

export interface RollupQuery {
  readonly grain: RollupGrain;
  /** Hours that begin in this range, or days with these dates (platform/zoned-time.ts). */
  readonly from: number;
  readonly until: number;
  readonly where: Partial<RollupKey>;
  /** A sum for each combination of these; over everything else. */
  readonly by: readonly (TrafficDimension | 'at')[];
}

/** Sums of one combination: of the members asked for. */
export interface RollupRow extends RollupSums, Partial<RollupKey> {
  /** The start of the hour, or the date. */
  readonly at?: number;
}

export interface RollupOrder {
  readonly now: number;
  /** Messages accepted from then on may still be committed below others. */
  readonly acceptedBefore: number;
  /** New messages, and messages that may have ended since: at most so many of each. */
  readonly limit: number;
  /** Hours are counted from the start of their day. */
  readonly calendar: Calendar;
}

/** What went to a carrier in one stretch of time. */
export interface CarrierSums {
  /** Start of a minute or an hour, or the date of a day. */
  readonly at: number;
  readonly carrier: string;
  /** Submits that it took, or may have taken. */
  readonly submitted: number;
  /** Refused for other reasons than that it takes less. */
  readonly refused: number;
  readonly throttled: number;
}

export type CarrierGrain = 'minute' | RollupGrain;

export interface RollupStore {
  /** Counts some messages; true if there may be more. */
  count(order: RollupOrder): Promise<boolean>;
  /** Every message accepted before is counted, as far as is known; undefined where none was counted yet. */
  countedUntil(): Promise<number | undefined>;
  /**
   * The clock was set back behind messages that are counted: those that come next have keys among theirs. Forgets the sums
   * of the day of `now` and later, which `count` then counts again. Does nothing where the clock is ahead of them.
   */
  recount(now: number, calendar: Calendar): Promise<void>;
  /** In no order. What it costs depends on the length of the range: ask for little at a time. */
  read(query: RollupQuery): Promise<RollupRow[]>;
  /**
   * Adds sums of minutes to what is there, whichever node put it there, and to their hours and days; once, however often a batch
   * is given.
   */
  addCarriers(minutes: SumBatch<CarrierSums>, calendar: Calendar): Promise<void>;
  /** By time; of days those with dates in the range. */
  readCarriers(grain: CarrierGrain, from: number, until: number): Promise<CarrierSums[]>;
  /** Forgets some of what is older, of each grain; true if there may be more. */
  sweep(before: Readonly<Record<CarrierGrain, number>>): Promise<boolean>;
}
