/**
 * Settling a batch in one transaction: lock the messages concerned, read what the events refer to, decide, write.
 *
 * Settling an event of a message takes the lock of its job row, so two nodes never decide on the same state. A message that
 * is over has no job; a receipt for it takes the lock of the message row instead. A row that another transaction holds is
 * not waited for: a frozen node would hold up all settling. Its events are left for another try.
 *
 * A receipt and the answer that names its reference may be settled by two nodes at the same moment, and neither
 * sees the other. The receipt is then parked although its reference is known: `matchedParked` finds it.
 */

import { type MsgKey, timePrefix } from '../../domain/ids.ts';
import type { Receipt } from '../event-target.ts';
import type { QueueEvent, SettleResult, StepKey } from '../port/queue-store.ts';
import { columnNames } from '../records/columns.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import { CARRIER_REF_COLUMNS, REF_TARGET_COLUMNS } from '../records/receipt-columns.ts';
import type { Records } from '../records/records.ts';
import {
  type CarrierRef,
  type EndedStep,
  endedStepOf,
  type RefTarget,
  refKey,
  type SettleCall,
  type SettleContext,
  settleBatch,
  stepKey,
} from '../settle-batch.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import type { Queryable } from './database.ts';
import { type Contents, type ContentsReader, contentsReader, liveStepsOf } from './live-steps.ts';
import { REQUEST_OF_MESSAGE } from './messages.ts';
import { LEAVE_ASIDE } from './owners.ts';
import { writeChanges } from './settle-writes.ts';
import type { StatementParameters } from './statement.ts';

/** Receipts mostly concern messages younger than this, so that a look-up meets a few of the daily partitions. */
const RECENT_MS = 3 * 24 * 3_600_000;
/** Below and above every key. */
const FIRST_KEY = '';
const LAST_KEY = '~';

/** A carrier that gives every message the same reference must not make every receipt slow. */
const MOST_OF_ONE_REF = 1000;

const LOCK_JOBS =
  'SELECT * FROM job WHERE msg_key = ANY ($1::text[]) ORDER BY msg_key FOR UPDATE SKIP LOCKED';
const HAS_JOB = 'SELECT msg_key FROM job WHERE msg_key = ANY ($1::text[])';

const FIND_CONTENTS = `
  SELECT message.msg_key, message.account, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.traceparent, request.flow
    FROM message ${REQUEST_OF_MESSAGE}
   WHERE message.msg_key = ANY ($1::text[])`;

const { carrier, ref, msgKey, step } = CARRIER_REF_COLUMNS;
const NAMED_REF = { carrier, ref };
const NAMED_STEP = { msgKey, step };

const FIND_REFS = `
  SELECT named.carrier, named.ref, known.*
    FROM ${unnest('named', NAMED_REF)}
   CROSS JOIN LATERAL (
     SELECT ${columnNames(REF_TARGET_COLUMNS)}, created_at FROM carrier_ref
      WHERE carrier = named.carrier AND ref = named.ref AND msg_key >= :from AND msg_key < :to
      ORDER BY created_at DESC, msg_key DESC, part DESC LIMIT ${MOST_OF_ONE_REF}
   ) AS known
   ORDER BY known.created_at, known.msg_key, known.part`;

/** What another transaction holds it is just using, or it stays parked. */
const FIND_PARKED = `
  SELECT parked_receipt.* FROM parked_receipt
    JOIN ${unnest('named', NAMED_REF)} USING (carrier, ref)
   ORDER BY id FOR UPDATE OF parked_receipt SKIP LOCKED`;

const ENDED = `
    FROM message
    JOIN ${unnest('named', NAMED_STEP)} ON named.msg_key = message.msg_key
   CROSS JOIN LATERAL (
     SELECT * FROM report WHERE report.msg_key = named.msg_key AND report.step = named.step LIMIT 1
   ) AS ended ${REQUEST_OF_MESSAGE}
   WHERE message.msg_key = ANY (:named.msg_key)`;
const LOCK_ENDED = `
  SELECT ended.*, message.history, request.tells_late ${ENDED}
   ORDER BY message.msg_key FOR UPDATE OF message SKIP LOCKED`;
const HAS_ENDED = `SELECT message.msg_key ${ENDED}`;

type Named = Pick<CarrierRef, 'carrier' | 'ref'>;

/** How the rows of a store are read. */
interface Reading extends Pick<Records, 'refTargetOf' | 'parkedReceiptOf' | 'unreadable'> {
  readonly contents: Contents;
  readonly contentsIn: ContentsReader;
}

export function settler(records: Records, contents: Contents) {
  const { refTargetOf, parkedReceiptOf, unreadable } = records;
  const reading = { refTargetOf, parkedReceiptOf, unreadable, contents, contentsIn: contentsReader(records) };
  return async (tx: Queryable, calls: readonly SettleCall[], now: number): Promise<PartlySettled[]> => {
    const events = calls.flatMap(call => call.events);
    const { busy, ...context } = await readContext(tx, events, reading, now);
    const parts = calls.map(({ events: given, decide }) => {
      const left = given.filter(event => isBusy(event, busy, context.refs));
      return { events: left.length > 0 ? given.filter(event => !left.includes(event)) : given, decide, left };
    });
    const { changes, results } = settleBatch(context, parts, now);
    await writeChanges(tx, records, changes, now);
    contents.forget(changes.done);
    return results.map((result, index) => ({ result, left: parts[index]?.left ?? [] }));
  };
}

/** What was settled of a call; those of its events are left whose message another transaction holds. */
export interface PartlySettled {
  readonly result: SettleResult;
  readonly left: readonly QueueEvent[];
}

function isBusy(event: QueueEvent, busy: ReadonlySet<MsgKey>, refs: SettleContext['refs']): boolean {
  if (busy.size === 0) return false;
  if (event.kind === 'step') return busy.has(event.msgKey);
  const targets = event.about ? [event.about] : (refs.get(refKey(event.carrier, event.ref)) ?? []);
  return targets.some(({ msgKey }) => busy.has(msgKey));
}

async function readContext(
  tx: Queryable,
  events: readonly QueueEvent[],
  reading: Reading,
  now: number,
): Promise<SettleContext & { readonly busy: ReadonlySet<MsgKey> }> {
  const receipts = events.filter(event => event.kind === 'receipt');
  const answers = events.filter(event => event.kind === 'step');
  const brought: Named[] = [];
  for (const { carrier, refs: brings = [] } of answers) {
    if (carrier === undefined) continue;
    for (const ref of brings) if (ref !== undefined) brought.push({ carrier, ref });
  }
  const refs = await readRefs(
    tx,
    reading,
    receipts.filter(({ about }) => about === undefined),
    brought,
    timePrefix(now - RECENT_MS),
  );
  const targets: StepKey[] = [...refs.values()].flat();
  for (const { about } of receipts) if (about) targets.push(about);
  const keys = new Set([...answers, ...targets].map(({ msgKey }) => msgKey));
  const { live, unreadable, busy } = await lockLive(tx, [...keys], reading);
  // An answer may come so late that its step is over.
  const named = [...targets, ...answers.filter(({ refs: brings }) => brings !== undefined)];
  const over = named.filter(({ msgKey, step }) => live.get(msgKey)?.step !== step && !busy.has(msgKey));
  const parked = await readParked(tx, reading, brought);
  const ended = await lockEnded(tx, over);
  const missing = over.filter(({ msgKey, step }) => !ended.has(stepKey(msgKey, step)));
  for (const key of await keysIn(tx, HAS_ENDED, missing, arraysOf('named', NAMED_STEP, missing)))
    busy.add(key);
  return { live, unreadable, refs, parked, ended, busy };
}

async function lockLive(
  tx: Queryable,
  keys: readonly MsgKey[],
  { contents, contentsIn }: Reading,
): Promise<Pick<SettleContext, 'live' | 'unreadable'> & { readonly busy: Set<MsgKey> }> {
  if (keys.length === 0) return { live: new Map(), unreadable: new Set(), busy: new Set() };
  const jobs = await tx.query(LOCK_JOBS, [keys]);
  const jobKeys = jobs.map(row => row.msg_key as MsgKey);
  const locked = new Set(jobKeys);
  const unlocked = keys.filter(key => !locked.has(key));
  const busy = await keysIn(tx, HAS_JOB, unlocked, [unlocked]);
  const known = contents.of(jobKeys);
  const missing = jobKeys.filter(key => !known.has(key));
  if (missing.length > 0) {
    const found = await contentsIn(await tx.query(FIND_CONTENTS, [missing]));
    contents.keep(found);
    for (const [key, content] of found) known.set(key, content);
  }
  const { live, without } = liveStepsOf(jobs, known);
  if (without.length > 0) await tx.query(LEAVE_ASIDE, [without]);
  return { live: new Map(live.map(step => [step.msgKey, step])), unreadable: new Set(without), busy };
}

/** Keys of rows that are there, of those that were not locked. */
async function keysIn(
  tx: Queryable,
  statement: string,
  asked: readonly unknown[],
  parameters: StatementParameters,
): Promise<Set<MsgKey>> {
  const rows = asked.length > 0 ? await tx.query(statement, parameters) : [];
  return new Set(rows.map(row => row.msg_key as MsgKey));
}

async function readRefs(
  tx: Queryable,
  { refTargetOf }: Reading,
  receipts: readonly Named[],
  brought: readonly Named[],
  recent: string,
): Promise<Map<string, RefTarget[]>> {
  const refs = new Map<string, RefTarget[]>();
  /** They come with the receipts, so they are not looked for among the old ones. */
  const fresh = new Set(brought.map(({ carrier, ref }) => refKey(carrier, ref)));
  let missing: readonly Named[] = [
    ...new Map(receipts.map(({ carrier, ref }) => [refKey(carrier, ref), { carrier, ref }])).values(),
  ];
  for (const [from, to] of [
    [recent, LAST_KEY],
    [FIRST_KEY, recent],
  ] as const) {
    if (missing.length === 0) break;
    for (const row of await tx.query(FIND_REFS, { ...arraysOf('named', NAMED_REF, missing), from, to })) {
      const key = refKey(String(row.carrier), String(row.ref));
      refs.set(key, [...(refs.get(key) ?? []), refTargetOf(row)]);
    }
    missing = missing.filter(named => {
      const key = refKey(named.carrier, named.ref);
      return !refs.has(key) && !fresh.has(key);
    });
  }
  return refs;
}

async function readParked(
  tx: Queryable,
  { parkedReceiptOf, unreadable }: Reading,
  named: readonly Named[],
): Promise<Map<string, Receipt[]>> {
  const parked = new Map<string, Receipt[]>();
  if (named.length === 0) return parked;
  const rows = await tx.query(FIND_PARKED, arraysOf('named', NAMED_REF, named));
  for (const receipt of unreadable.each('parked_receipt', rows, parkedReceiptOf)) {
    const key = refKey(receipt.carrier, receipt.ref);
    parked.set(key, [...(parked.get(key) ?? []), receipt]);
  }
  return parked;
}

async function lockEnded(tx: Queryable, refs: readonly StepKey[]): Promise<Map<string, EndedStep>> {
  const ended = new Map<string, EndedStep>();
  if (refs.length === 0) return ended;
  const rows = await tx.query(LOCK_ENDED, arraysOf('named', NAMED_STEP, refs));
  for (const row of rows) {
    ended.set(stepKey(row.msg_key as MsgKey, Number(row.step)), endedStepOf(row));
  }
  return ended;
}
