import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { BULK, CLAIMED, READY, SINGLE, WAITING } from '../phase.ts';
import { messageViewOf } from '../rows.ts';
import type { SettleCall } from '../settle-batch.ts';
import type { QueueStore, SettleResult } from '../store.ts';
import type { Database, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import { Contents, contentsIn, liveStepOf } from './live-steps.ts';
import { MESSAGE_OF_JOB, MESSAGE_VIEW_COLUMNS, REQUEST_OF_MESSAGE } from './messages.ts';
import { receiptOf, settleAll } from './settle.ts';

/** One rank of several accounts. Steps that another node is just claiming are left to it. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT turn.msg_key
      FROM unnest($1::text[], $2::integer[]) AS share (account, most)
     CROSS JOIN LATERAL (
       SELECT msg_key FROM job
        WHERE owner IS NULL AND carrier = $3 AND job.account = share.account AND rank = $4 AND due_at <= $5
        ORDER BY due_at, msg_key LIMIT share.most
        FOR UPDATE SKIP LOCKED
     ) AS turn
  ), job AS (
    UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = $6
     WHERE msg_key = ANY (ARRAY(SELECT msg_key FROM due))
    RETURNING *
  )
  SELECT job.*, message.recipient, message.words, request.ref, request.flow
    FROM job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.due_at, job.msg_key`;

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

const WAITING_ACCOUNTS = `
  WITH RECURSIVE turn AS (
    (SELECT account FROM job WHERE owner IS NULL AND carrier = $1 AND account > $2 ORDER BY account LIMIT 1)
    UNION ALL
    SELECT next.account FROM turn CROSS JOIN LATERAL (
      SELECT account FROM job WHERE owner IS NULL AND carrier = $1 AND account > turn.account
       ORDER BY account LIMIT 1
    ) AS next
  ), due AS (
    SELECT account,
           EXISTS (SELECT FROM job WHERE owner IS NULL AND carrier = $1 AND job.account = turn.account
                                     AND rank = ${SINGLE} AND due_at <= $3) AS single,
           EXISTS (SELECT FROM job WHERE owner IS NULL AND carrier = $1 AND job.account = turn.account
                                     AND rank = ${BULK} AND due_at <= $3) AS bulk
      FROM turn
  )
  SELECT * FROM due WHERE single OR bulk LIMIT $4`;

const PEEK = `
  SELECT ${MESSAGE_VIEW_COLUMNS}
    FROM (SELECT * FROM job ORDER BY msg_key LIMIT $1) AS job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.msg_key`;

export function postgresQueue(db: Database, grouping: Grouping, now: () => number): QueueStore {
  const contents = new Contents();
  // One batch at a time, so that an answer is settled before the receipt that came after it.
  const settlements = grouping.group<SettleCall, SettleResult>({
    commit: calls => db.transaction(tx => settleAll(tx, calls, contents, now())),
    sizeOf: ({ events }) => events.length,
  });

  return {
    async waiting({ carrier, after = '', limit, now: dueBy }) {
      const rows = await db.query(WAITING_ACCOUNTS, [carrier, after, dueBy, limit]);
      return rows.map(({ account, single, bulk }) => ({
        account: account as AccountId,
        ranks: [...(single === true ? [SINGLE] : []), ...(bulk === true ? [BULK] : [])],
      }));
    },
    async claim({ carrier, now: dueBy, shares, owner }) {
      const left = new Map(shares.map(({ account, limit }) => [String(account), limit]));
      const rows: Row[] = [];
      for (const rank of [SINGLE, BULK]) {
        const asked = shares.filter(
          ({ account, ranks }) => ranks.includes(rank) && (left.get(account) ?? 0) > 0,
        );
        if (asked.length === 0) continue;
        const accounts = asked.map(({ account }) => account);
        const most = accounts.map(account => left.get(account) ?? 0);
        const turn = await db.query(CLAIM, [accounts, most, carrier, rank, dueBy, owner]);
        for (const { account } of turn) left.set(String(account), (left.get(String(account)) ?? 0) - 1);
        rows.push(...turn);
      }
      const claimed = contentsIn(rows);
      contents.keep(claimed);
      return rows.map(row => liveStepOf(row, claimed));
    },
    async carriers() {
      return (await db.query(READY_CARRIERS)).map(row => String(row.carrier));
    },
    settle: (events, decide) => settlements.add({ events, decide }),
    async overdue(at, limit) {
      const rows = await db.query(
        `SELECT msg_key, step, attempt FROM job WHERE deadline_at <= $1 ORDER BY deadline_at, msg_key LIMIT $2`,
        [at, limit],
      );
      return rows.map(row => ({
        msgKey: row.msg_key as MsgKey,
        step: Number(row.step),
        attempt: Number(row.attempt),
      }));
    },
    async matchedParked(limit) {
      const rows = await db.query(
        `SELECT * FROM parked_receipt
          WHERE EXISTS (SELECT FROM carrier_ref
                         WHERE carrier_ref.carrier = parked_receipt.carrier AND carrier_ref.ref = parked_receipt.ref)
          ORDER BY id LIMIT $1`,
        [limit],
      );
      return rows.map(receiptOf);
    },
    async knownRefs(carrier, refs) {
      const rows = await db.query(
        'SELECT ref, recipient FROM carrier_ref WHERE carrier = $1 AND ref = ANY ($2::text[]) ORDER BY created_at',
        [carrier, refs],
      );
      const known = new Map<string, string[]>();
      for (const { ref, recipient } of rows) {
        known.set(String(ref), [...(known.get(String(ref)) ?? []), String(recipient)]);
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
        waiting: counts.get(WAITING) ?? 0,
        oldestReadyAt: heads.size > 0 ? Math.min(...heads.values()) : undefined,
        heads,
      };
    },
    async peek(limit) {
      return (await db.query(PEEK, [limit])).map(messageViewOf);
    },
  };
}
