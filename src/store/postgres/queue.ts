import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { LONGEST_LOOK_MS, SHORTEST_LOOK_MS } from '../parked.ts';
import { AWAITING_RECEIPT, CLAIMED, PUT_OFF, READY, SET_ASIDE } from '../phase.ts';
import type { QueueStore, SettleResult, StepKey } from '../port/queue-store.ts';
import { MESSAGE_VIEW, REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { setAsideOf } from '../rows.ts';
import type { SettleCall } from '../settle-batch.ts';
import { asideEntryOf } from '../unreadable.ts';
import type { Database, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import { type Contents, contentsReader, liveStepsOf } from './live-steps.ts';
import { MESSAGE_OF_JOB, REQUEST_OF_MESSAGE } from './messages.ts';
import { ASIDE_OWNER, IN_DOUBT_OWNER, PUT_OFF_OWNER, READY_FOR_ANY } from './owners.ts';
import { settler } from './settle.ts';
import { appendHistory } from './settle-writes.ts';

/**
 * Steps of several accounts: for each single sends, then bulk, oldest first. One statement, so that a claim is made
 * completely or not at all. Steps that another node is claiming at this moment are skipped.
 */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT turn.msg_key
      FROM unnest(:accounts::text[], :limits::integer[]) AS share (account, most)
     CROSS JOIN LATERAL (
       SELECT msg_key FROM job
        WHERE ${READY_FOR_ANY} AND carrier = :carrier AND job.account = share.account
          AND (NOT :onlyMovable::boolean OR repeat_until IS NULL)
        ORDER BY rank, due_at, msg_key LIMIT share.most
        FOR UPDATE SKIP LOCKED
     ) AS turn
  ), job AS (
    UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = :owner, claim = :claim, claimed_at = :now
     WHERE msg_key = ANY (ARRAY(SELECT msg_key FROM due))
    RETURNING *
  )
  SELECT job.*, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.flow
    FROM job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.rank, job.due_at, job.msg_key`;

/** They were not handed to the carrier. */
const UNCLAIM_ASIDE = `
  UPDATE job SET phase = ${SET_ASIDE}, owner = '${ASIDE_OWNER}', state = 'queued', attempt = attempt - 1, claim = NULL
   WHERE msg_key = ANY (:without::text[]) AND claim = :claim`;

const KEEP_ASIDE = `
  INSERT INTO set_aside (at, reason, event, stored_row)
  SELECT :at, :reason, :event, :name WHERE NOT EXISTS (SELECT FROM set_aside WHERE stored_row = :name)`;

const RELEASE = `
  UPDATE job SET phase = ${READY}, owner = NULL WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM job WHERE owner = '${PUT_OFF_OWNER}' AND (due_at <= :now OR claimed_at > :putOffAfter)
     ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED))`;

/** The common case reads the index up to now, and no further. */
const RELEASE_DUE = RELEASE.replace('(due_at <= :now OR claimed_at > :putOffAfter)', 'due_at <= :now');

/** The time until the next look is half the age of the receipt: about thirty looks in three days. */
const MATCHED_PARKED = `
  WITH turn AS MATERIALIZED (
    SELECT id FROM parked_receipt WHERE look_at <= :now ORDER BY look_at LIMIT :limit FOR UPDATE SKIP LOCKED
  ), looked AS (
    UPDATE parked_receipt
       SET look_at = :now + least(${LONGEST_LOOK_MS}, greatest(${SHORTEST_LOOK_MS}, (:now - received_at) / 2))
     WHERE id = ANY (ARRAY(SELECT id FROM turn))
    RETURNING *
  )
  SELECT * FROM looked
   WHERE EXISTS (SELECT FROM carrier_ref WHERE carrier_ref.carrier = looked.carrier AND carrier_ref.ref = looked.ref)
   ORDER BY id`;

const HELD = `
  SELECT msg_key, step, attempt, claim FROM job WHERE owner = :owner AND state = 'submitting'
  UNION ALL
  SELECT msg_key, step, attempt, claim FROM job
   WHERE owner = '${IN_DOUBT_OWNER}' AND state = 'unknown' AND claim = ANY (:claims::text[])
   LIMIT :limit`;

const AWAITED = `
  SELECT msg_key, step, attempt, state, deadline_at FROM job
   WHERE deadline_at <= :deadlineUntil AND (deadline_at, msg_key) > (:deadlineAt, :msgKey)
     AND state IN ('submitted', 'unknown') AND carrier = :carrier AND coalesce(submitted_at, 0) <= :submittedBefore
   ORDER BY deadline_at, msg_key LIMIT :limit`;

/** They have no index by message, which would cost every submit a write; the key of a message tells its partition. */
const REFS_OF_MESSAGES = `
  SELECT msg_key, step, attempt, ref FROM carrier_ref
   WHERE msg_key = ANY (:keys::text[]) AND carrier = :carrier`;

const DOUBTFUL = `
  SELECT job.*, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.flow
    FROM (SELECT * FROM job WHERE owner = '${IN_DOUBT_OWNER}' ORDER BY msg_key LIMIT $1) AS job
         ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.msg_key`;

// These jump from head to head in the index, past all the steps that wait behind one.
const READY_CARRIERS = `
  WITH RECURSIVE ready AS (
    (SELECT carrier FROM job WHERE owner IS NULL ORDER BY carrier LIMIT 1)
    UNION ALL
    SELECT next.carrier FROM ready CROSS JOIN LATERAL (
      SELECT carrier FROM job WHERE owner IS NULL AND carrier > ready.carrier ORDER BY carrier LIMIT 1
    ) AS next
  )
  SELECT carrier FROM ready`;

const OLDEST_READY = `
  WITH RECURSIVE head AS (
    (SELECT carrier, account, rank, due_at FROM job WHERE owner IS NULL
      ORDER BY carrier, account, rank, due_at LIMIT 1)
    UNION ALL
    SELECT next.* FROM head CROSS JOIN LATERAL (
      SELECT carrier, account, rank, due_at FROM job
       WHERE owner IS NULL AND (carrier, account, rank) > (head.carrier, head.account, head.rank)
       ORDER BY carrier, account, rank, due_at LIMIT 1
    ) AS next
  )
  SELECT carrier, min(due_at) AS oldest FROM head GROUP BY carrier`;

const READY_ACCOUNTS = `
  WITH RECURSIVE turn AS (
    (SELECT account FROM job WHERE ${READY_FOR_ANY} AND carrier = :carrier AND account > :after ORDER BY account LIMIT 1)
    UNION ALL
    SELECT next.account FROM turn CROSS JOIN LATERAL (
      SELECT account FROM job WHERE ${READY_FOR_ANY} AND carrier = :carrier AND account > turn.account
       ORDER BY account LIMIT 1
    ) AS next
  )
  SELECT account FROM turn LIMIT :limit`;

const PEEK = `
  SELECT ${MESSAGE_VIEW}
    FROM (SELECT * FROM job ORDER BY msg_key LIMIT $1) AS job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.msg_key`;

export function postgresQueue(
  db: Database,
  records: Records,
  grouping: Grouping,
  contents: Contents,
  now: () => number,
): QueueStore {
  const { setAsideReason, setAsideEvent, unreadable } = records;
  const contentsIn = contentsReader(records);
  const settleAll = settler(records, contents);
  // One batch at a time, so that an answer is settled before the receipt that came after it.
  const settlements = grouping.group<SettleCall, SettleResult>({
    commit: calls => db.transaction(tx => settleAll(tx, calls, now())),
    sizeOf: ({ events }) => events.length,
  });

  unreadable.keepBy(async row => {
    const { reason, event, name } = asideEntryOf(row);
    await db.query(KEEP_ASIDE, {
      at: now(),
      reason: setAsideReason.write(reason),
      event: setAsideEvent.write(event),
      name,
    });
  });

  return {
    async readyAccounts({ carrier, after = '', limit }) {
      const rows = await db.query(READY_ACCOUNTS, { carrier, after, limit });
      return rows.map(({ account }) => account as AccountId);
    },
    async claim({ carrier, now: at, shares, owner, claim, onlyMovable = false }) {
      if (shares.length === 0) return [];
      const accounts = shares.map(({ account }) => account);
      const limits = shares.map(({ limit }) => limit);
      const rows = await db.query(CLAIM, { accounts, limits, carrier, owner, claim, now: at, onlyMovable });
      const claimed = await contentsIn(rows);
      contents.keep(claimed);
      const { live, without } = liveStepsOf(rows, claimed);
      if (without.length > 0) await db.query(UNCLAIM_ASIDE, { without, claim });
      return live;
    },
    async release({ now: at, putOffAfter, limit }) {
      const { count } =
        putOffAfter === undefined
          ? await db.query(RELEASE_DUE, { now: at, limit })
          : await db.query(RELEASE, { now: at, putOffAfter, limit });
      return count;
    },
    async held(owner, claims, limit) {
      const rows = await db.query(HELD, { owner, claims, limit });
      return rows.map(row => ({
        ...stepKeyOf(row),
        claim: row.claim === null ? undefined : String(row.claim),
      }));
    },
    async carriers() {
      return (await db.query(READY_CARRIERS)).map(row => String(row.carrier));
    },
    settle: (events, decide) => settlements.add({ events, decide }),
    async overdue(at, limit) {
      const rows = await db.query(
        `SELECT msg_key, step, attempt FROM job WHERE deadline_at <= $1 AND phase <> ${SET_ASIDE} ORDER BY deadline_at, msg_key LIMIT $2`,
        [at, limit],
      );
      return rows.map(stepKeyOf);
    },
    async awaited({ carrier, submittedBefore, deadlineUntil, after, limit }) {
      const { deadlineAt, msgKey } = after;
      const steps = { carrier, submittedBefore, deadlineUntil, deadlineAt, msgKey, limit };
      const rows = await db.query(AWAITED, steps);
      if (rows.length === 0) return [];
      const keys = rows.map(row => String(row.msg_key));
      const refs = new Map<string, string>();
      for (const row of await db.query(REFS_OF_MESSAGES, { carrier, keys })) {
        refs.set(JSON.stringify(stepKeyOf(row)), String(row.ref));
      }
      return rows.map(row => {
        const key = stepKeyOf(row);
        const ref = refs.get(JSON.stringify(key));
        const step = { ...key, deadlineAt: Number(row.deadline_at), isInDoubt: row.state === 'unknown' };
        return ref === undefined ? step : { ...step, ref };
      });
    },
    async matchedParked(at, limit) {
      const rows = await db.query(MATCHED_PARKED, { now: at, limit });
      return unreadable.each('parked_receipt', rows, records.parkedReceiptOf);
    },
    async doubtful(limit) {
      const rows = await db.query(DOUBTFUL, [limit]);
      const found = await contentsIn(rows);
      return liveStepsOf(rows, found).live;
    },
    async parkedFor(carrier, tails, before) {
      const rows = await db.query(
        `SELECT * FROM parked_receipt
          WHERE carrier = :carrier AND recipient_tail = ANY (:tails::text[]) AND received_at < :before ORDER BY id`,
        { carrier, tails: records.tails(tails), before },
      );
      return unreadable.each('parked_receipt', rows, records.parkedReceiptOf);
    },
    async note(msgKey, entry) {
      await appendHistory(db, [{ msgKey, history: [entry] }]);
    },
    async setAside({ at, reason, event }) {
      await db.query('INSERT INTO set_aside (at, reason, event) VALUES (:at, :reason, :event)', {
        at,
        reason: setAsideReason.write(reason),
        event: setAsideEvent.write(event),
      });
    },
    async listSetAside(limit) {
      const rows = await db.query('SELECT * FROM set_aside ORDER BY id DESC LIMIT $1', [limit]);
      return rows.map(row => setAsideOf(row, records));
    },
    async knownRefs(carrier, refs) {
      const rows = await db.query(
        'SELECT ref, recipient FROM carrier_ref WHERE carrier = $1 AND ref = ANY ($2::text[]) ORDER BY created_at',
        [carrier, refs],
      );
      const known = new Map<string, string[]>();
      for (const row of rows) {
        const ref = String(row.ref);
        const to = unreadable.value('carrier_ref', row, () => records.carrierRef.to.read(row.recipient), '');
        known.set(ref, [...(known.get(ref) ?? []), to]);
      }
      return known;
    },
    async depth() {
      const [phases, oldest] = await Promise.all([
        db.query('SELECT phase, count(*) AS jobs FROM job GROUP BY phase'),
        db.query(OLDEST_READY),
      ]);
      const counts = new Map(phases.map(row => [Number(row.phase), Number(row.jobs)]));
      const heads = new Map(oldest.map(row => [String(row.carrier), Number(row.oldest)]));
      return {
        ready: counts.get(READY) ?? 0,
        claimed: counts.get(CLAIMED) ?? 0,
        awaitingReceipt: counts.get(AWAITING_RECEIPT) ?? 0,
        putOff: counts.get(PUT_OFF) ?? 0,
        oldestReadyAt: heads.size > 0 ? Math.min(...heads.values()) : undefined,
        heads,
      };
    },
    async peek(limit) {
      return unreadable.each('message', await db.query(PEEK, [limit]), records.messageViewOf);
    },
  };
}

function stepKeyOf({ msg_key, step, attempt }: Row): StepKey {
  return { msgKey: msg_key as MsgKey, step: Number(step), attempt: Number(attempt) };
}
