/** Messages on their way, as the dispatcher and settle see them. */
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export const LIVE_STEP = `
  SELECT job.*, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.traceparent, request.flow
    FROM job
    JOIN message ON message.msg_key = job.msg_key
    JOIN request ON request.request_id = substr(job.msg_key, 1, 29)`;

/** Beyond this, steps are read from disk again; a silent message may wait for days. */
const MOST_IN_HAND = 50_000;
/** Of a long queue the first are claimed first: what comes after them is read from disk when its turn comes. */
const MOST_ACCEPTED = 10_000;
/**
 * So is a message that is much longer than most: nobody has to claim what is accepted, and the largest have a megabyte.
 * With this the accepted ones take some 30 MB at most.
 */
const LONGEST_KEPT = 1500;

export interface LiveSteps {
  find(msgKey: MsgKey): LiveStep | undefined;
  /** The step if it need not be read. */
  inHand(msgKey: MsgKey): LiveStep | undefined;
  keep(live: LiveStep): void;
  /** Keeps the first step of a message, which will be claimed soon, unless its texts are long or there are many. */
  accepted(live: LiveStep, length: number): void;
  forget(msgKey: MsgKey): void;
}

/**
 * Steps that this process has accepted or claimed and not finished, as they are on disk. No other process changes jobs, so
 * what it wrote last need not be read again. All are dropped when a transaction fails.
 */
export function liveStepsInHand(db: Database, { liveStepOf }: Records): LiveSteps {
  const select = db.prepare(`${LIVE_STEP} WHERE job.msg_key = ?`);
  const inHand = new Map<MsgKey, LiveStep>();
  db.onRollback(() => inHand.clear());
  return {
    find(msgKey) {
      const known = inHand.get(msgKey);
      if (known) return known;
      const row = select.get(msgKey) as Row | undefined;
      return row && liveStepOf(row);
    },
    inHand: msgKey => inHand.get(msgKey),
    accepted(live, length) {
      if (inHand.size < MOST_ACCEPTED && length <= LONGEST_KEPT) inHand.set(live.msgKey, live);
    },
    keep(live) {
      if (inHand.size >= MOST_IN_HAND) inHand.clear();
      inHand.set(live.msgKey, live);
    },
    forget(msgKey) {
      inHand.delete(msgKey);
    },
  };
}
