import { type AccountId, ATTEMPT_ID, type MsgKey } from '../../domain/ids.ts';
import { LONGEST_LOOK_MS, SHORTEST_LOOK_MS } from '../parked.ts';
import { ASIDE_CHANGES, AWAITING_RECEIPT, BULK, CLAIMED, PUT_OFF, READY, SINGLE } from '../phase.ts';
import type {
  QueueEvent,
  QueueStore,
  SetAside,
  Settled,
  SettleResult,
  StepKey,
} from '../port/queue-store.ts';
import { MESSAGE_VIEW, REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { setAsideOf } from '../records/set-aside-columns.ts';
import type { SettleCall } from '../settle-batch.ts';
import { asideEntryOf } from '../unreadable.ts';
import { untilFree } from './busy.ts';
import type { Database, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import { type Contents, contentsReader, liveStepsOf } from './live-steps.ts';
import { DatedQueue, LONG_PATIENCE, LongAnswer } from './long-look.ts';
import { MESSAGE_OF_JOB, REQUEST_OF_MESSAGE } from './messages.ts';
import { nextId } from './next-id.ts';
import { IN_DOUBT_OWNER, OWNER_GONE, PUT_OFF_OWNER, READY_FOR_ANY } from './owners.ts';
import { BEGINNING, placeOf, type QueueHead, type QueueHeads } from './queue-heads.ts';
import { type PartlySettled, settler } from './settle.ts';
import { appendHistory } from './settle-writes.ts';

/** Of one account and rank, from where there may be some (queue-heads.ts). */
const turnOf = (rank: number, from: string, most: string): string => `
    SELECT job.account, msg_key FROM job
     WHERE ${READY_FOR_ANY} AND carrier = :carrier AND job.account = share.account AND rank = ${rank} AND due_at >= ${from}
       AND (NOT :onlyMovable::boolean OR repeat_until IS NULL)
     ORDER BY due_at, msg_key LIMIT ${most} FOR UPDATE SKIP LOCKED`;

/**
 * Steps of several accounts: for each single sends, then bulk, oldest first. One statement, so that a claim is made
 * completely or not at all. Steps that another node is claiming at this moment are skipped.
 */
const CLAIM = `
  WITH share AS MATERIALIZED (
    SELECT * FROM unnest(:accounts::text[], :limits::integer[], :singles::bigint[], :bulks::bigint[])
      AS share (account, most, single_from, bulk_from)
  ), single AS MATERIALIZED (
    SELECT turn.* FROM share CROSS JOIN LATERAL (${turnOf(SINGLE, 'single_from', 'most')}) AS turn
  ), bulk AS MATERIALIZED (
    SELECT turn.* FROM (
      SELECT share.*, greatest(0, most - (SELECT count(*) FROM single WHERE single.account = share.account)) AS left_over
        FROM share
    ) AS share CROSS JOIN LATERAL (${turnOf(BULK, 'bulk_from', 'left_over')}) AS turn
  ), job AS (
    UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = :owner, claim = :claim, claimed_at = :now
     WHERE msg_key = ANY (ARRAY(SELECT msg_key FROM single UNION ALL SELECT msg_key FROM bulk))
    RETURNING *
  )
  SELECT job.*, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.traceparent, request.flow
    FROM job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.rank, job.due_at, job.msg_key`;

/** They were not handed to the carrier. */
const UNCLAIM_ASIDE = `
  UPDATE job SET ${ASIDE_CHANGES}, owner = '${OWNER_GONE}', state = 'queued', attempt = attempt - 1, claim = NULL
   WHERE msg_key = ANY (:without::text[]) AND claim = :claim`;

const KEEP_ASIDE = `
  INSERT INTO set_aside (id, at, reason, event, stored_row) OVERRIDING SYSTEM VALUE
  SELECT :id, :at, :reason, :event, :name WHERE NOT EXISTS (SELECT FROM set_aside WHERE stored_row = :name)`;

const RELEASE = `
  UPDATE job SET phase = ${READY}, owner = NULL WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM job WHERE owner = '${PUT_OFF_OWNER}' AND (due_at <= :now OR claimed_at > :putOffAfter)
     ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED))
  RETURNING carrier, account, rank, due_at`;

/** The common case reads the index up to now, and no further. */
const RELEASE_DUE = RELEASE.replace(
  '(due_at <= :now OR claimed_at > :putOffAfter)',
  'due_at >= :from::bigint AND due_at <= :now',
);
/** What somebody holds is being settled, or will be overdue the next time, too. */
const OVERDUE = `
  SELECT msg_key, step, attempt, deadline_at FROM job WHERE deadline_at >= :from::bigint AND deadline_at <= :at
   ORDER BY deadline_at, msg_key LIMIT :limit FOR UPDATE SKIP LOCKED`;

/**
 * Those that name one of our attempts wait for a message that could not be read, and are always due. For the others, the time
 * until the next look is half the age of the receipt: about thirty looks in three days.
 */
const MATCHED_PARKED = `
  WITH turn AS MATERIALIZED (
    SELECT id FROM parked_receipt WHERE look_at <= :now ORDER BY look_at LIMIT :limit FOR UPDATE SKIP LOCKED
  ), looked AS (
    UPDATE parked_receipt
       SET look_at = :now + CASE WHEN ref ~ '${ATTEMPT_ID}' THEN 0
                                 ELSE least(${LONGEST_LOOK_MS}, greatest(${SHORTEST_LOOK_MS}, (:now - received_at) / 2)) END
     WHERE id = ANY (ARRAY(SELECT id FROM turn))
    RETURNING *
  )
  SELECT * FROM looked
   WHERE ref ~ '${ATTEMPT_ID}' OR EXISTS (
     SELECT FROM (
       SELECT looked.carrier AS name
       UNION ALL
       SELECT other FROM unnest(:carriers::text[], :others::text[]) AS brought (carrier, other)
        WHERE brought.carrier = looked.carrier
     ) AS named
       JOIN carrier_ref ON carrier_ref.carrier = named.name AND carrier_ref.ref = looked.ref)
   ORDER BY id`;

const HELD = `
  SELECT msg_key, step, attempt, claim FROM job WHERE owner = :owner AND state = 'submitting'
  UNION ALL
  SELECT msg_key, step, attempt, claim FROM job
   WHERE owner = '${IN_DOUBT_OWNER}' AND state = 'unknown' AND claim = ANY (:claims::text[])
   LIMIT :limit`;

const AWAITED = `
  SELECT msg_key, step, attempt, state, deadline_at FROM job
   WHERE deadline_at > :deadlineAfter AND deadline_at <= :deadlineUntil
     AND state IN ('submitted', 'unknown') AND carrier = :carrier AND coalesce(submitted_at, 0) <= :submittedBefore
   ORDER BY deadline_at, msg_key LIMIT :limit`;

/** They have no index by message, which would cost every submit a write; the key of a message tells its partition. */
const REFS_OF_MESSAGES = `
  SELECT msg_key, step, attempt, ref FROM carrier_ref
   WHERE msg_key = ANY (:keys::text[]) AND carrier = :carrier`;

const DOUBTFUL = `
  SELECT job.*, message.recipient, message.words, ${REF_OF_MESSAGE} AS ref, request.group_key, request.traceparent, request.flow
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

const COUNT_READY = `
  SELECT count(*) AS steps FROM (SELECT FROM job WHERE ${READY_FOR_ANY} AND carrier = $1 LIMIT $2) AS ready`;

const COUNT_PHASES = 'SELECT phase, count(*) AS jobs FROM job GROUP BY phase';

/** With the place of the first step of each. */
const FIRST_PLACE = 'SELECT account, rank, due_at FROM job';
const IN_ORDER = 'ORDER BY account, rank, due_at LIMIT 1';
const READY_ACCOUNTS = `
  WITH RECURSIVE turn AS (
    (${FIRST_PLACE} WHERE ${READY_FOR_ANY} AND carrier = :carrier AND account > :after ${IN_ORDER})
    UNION ALL
    SELECT next.* FROM turn CROSS JOIN LATERAL (
      ${FIRST_PLACE} WHERE ${READY_FOR_ANY} AND carrier = :carrier AND account > turn.account ${IN_ORDER}
    ) AS next
  )
  SELECT * FROM turn LIMIT :limit`;

const hasSteps = (rank: number, from: string): string => `
  EXISTS (SELECT FROM job WHERE ${READY_FOR_ANY} AND carrier = :carrier AND job.account = known.account
                            AND rank = ${rank} AND due_at >= ${from}::bigint)`;
/** From where there may be some (queue-heads.ts). By the names of accounts: to find them in the index would read all entries. */
const READY_BEHIND_HEADS = `
  SELECT account FROM (
    SELECT coalesce(account.id, head.account) AS account, coalesce(head.single, :single) AS single, coalesce(head.bulk, :bulk) AS bulk
      FROM account
      FULL JOIN unnest(:accounts::text[], :singles::bigint[], :bulks::bigint[]) AS head (account, single, bulk)
             ON head.account = account.id
  ) AS known
   WHERE account > :after AND (${hasSteps(SINGLE, 'single')} OR ${hasSteps(BULK, 'bulk')})
   ORDER BY account LIMIT :limit`;

const PEEK = `
  SELECT ${MESSAGE_VIEW}
    FROM (SELECT * FROM job ORDER BY msg_key LIMIT $1) AS job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.msg_key`;

export function postgresQueue(
  db: Database,
  records: Records,
  grouping: Grouping,
  contents: Contents,
  queueHeads: QueueHeads,
  now: () => number,
): QueueStore {
  const { setAsideReason, setAsideEvent, unreadable } = records;
  const putOff = new DatedQueue(db.clock);
  const deadlines = new DatedQueue(db.clock);
  const readyCarriers = new LongAnswer<readonly Row[]>(db.clock);
  const contentsIn = contentsReader(records);
  const settleAll = settler(records, contents);
  // One batch at a time, so that an answer is settled before the receipt that came after it.
  const settlements = grouping.group<SettleCall, PartlySettled>({
    commit: calls => db.transaction(tx => settleAll(tx, calls, now())),
    sizeOf: ({ events }) => events.length,
  });

  /** The others do not wait for events whose message somebody holds; the call ends with the last of them. */
  async function settleWhole({ events, decide }: SettleCall): Promise<SettleResult> {
    const first = await settlements.add({ events, decide });
    if (first.left.length === 0) return first.result;
    const settled = new Map<QueueEvent, Settled>();
    const parts: SettleResult[] = [];
    let left = events;
    const take = (part: PartlySettled): true | undefined => {
      const done = left.filter(event => !part.left.includes(event));
      for (const [index, event] of done.entries())
        settled.set(event, part.result.settled[index] ?? 'ignored');
      parts.push(part.result);
      left = part.left;
      return left.length === 0 || undefined;
    };
    take(first);
    await untilFree(db, async () => take(await settlements.add({ events: left, decide })));
    return {
      settled: events.map(event => settled.get(event) ?? 'ignored'),
      reports: parts.flatMap(({ reports }) => reports),
      late: parts.flatMap(({ late }) => late),
      enqueued: parts.some(({ enqueued }) => enqueued),
    };
  }

  async function lookFromBeginning(head: QueueHead, carrier: string, limit: number): Promise<AccountId[]> {
    const at = now();
    const page = { carrier, after: '', limit };
    const rows = await head.look.make(() =>
      head.look.isLong
        ? db.transaction(tx => tx.query(READY_ACCOUNTS, page), LONG_PATIENCE)
        : db.query(READY_ACCOUNTS, page),
    );
    const first = new Map(rows.map(row => [accountOf(row), placeOf(row)]));
    head.looked(first, rows.length < limit, at);
    return rows.map(accountOf);
  }

  unreadable.keepBy(async row => {
    const { reason, event, name } = asideEntryOf(row);
    await keepAside({ at: now(), reason, event }, name);
  });

  async function keepAside({ at, reason, event }: SetAside, name: string | null): Promise<void> {
    const id = await nextId(db, 'set_aside');
    const sealed = {
      reason: setAsideReason.write(reason, { id }),
      event: setAsideEvent.write(event, { id }),
    };
    await db.query(KEEP_ASIDE, { id, at, ...sealed, name });
  }

  return {
    async readyAccounts({ carrier, after = '', limit }) {
      const head = queueHeads.of(carrier);
      if (after === '' && head.look.isDue) return lookFromBeginning(head, carrier, limit);
      const page = { carrier, after, limit };
      const rows = head.look.isLong
        ? await db.query(READY_BEHIND_HEADS, { ...page, ...headsIn(head) })
        : await db.query(READY_ACCOUNTS, page);
      return rows.map(accountOf);
    },
    async claim({ carrier, now: at, shares, owner, claim, onlyMovable = false }) {
      if (shares.length === 0) return [];
      const head = queueHeads.of(carrier);
      const from = shares.map(({ account }) => (onlyMovable ? BEGINNING : head.headOf(account)));
      const order = {
        accounts: shares.map(({ account }) => account),
        limits: shares.map(({ limit }) => limit),
        singles: from.map(({ single }) => single),
        bulks: from.map(({ bulk }) => bulk),
        ...{ carrier, owner, claim, now: at, onlyMovable },
      };
      const rows = head.look.isLong
        ? await db.transaction(tx => tx.query(CLAIM, order), LONG_PATIENCE)
        : await db.query(CLAIM, order);
      if (head.look.isLong && !onlyMovable) {
        const taken = Map.groupBy(rows, accountOf);
        for (const { account, limit } of shares)
          head.claimed(account, (taken.get(account) ?? []).map(placeOf), limit, at);
      }
      const claimed = await contentsIn(rows);
      contents.keep(claimed);
      const { live, without } = liveStepsOf(rows, claimed);
      if (without.length > 0) await db.query(UNCLAIM_ASIDE, { without, claim });
      return live;
    },
    async release({ now: at, putOffAfter, limit }) {
      const rows =
        putOffAfter === undefined
          ? await putOff.ask(db, RELEASE_DUE, { now: at, limit })
          : await db.query(RELEASE, { now: at, putOffAfter, limit });
      if (putOffAfter === undefined)
        putOff.took(
          rows.map(row => placeOf(row).dueAt),
          limit,
          at,
        );
      queueHeads.returned(rows);
      return rows.length;
    },
    async held(owner, claims, limit) {
      const rows = await db.query(HELD, { owner, claims, limit });
      return rows.map(row => ({
        ...stepKeyOf(row),
        claim: row.claim === null ? undefined : String(row.claim),
      }));
    },
    async carriers() {
      const rows = await readyCarriers.get(() =>
        db.transaction(tx => tx.query(READY_CARRIERS), LONG_PATIENCE),
      );
      return rows.map(row => String(row.carrier));
    },
    settle: (events, decide) => settleWhole({ events, decide }),
    async overdue(at, limit) {
      const rows = await deadlines.ask(db, OVERDUE, { at, limit });
      deadlines.found(
        rows.map(row => Number(row.deadline_at)),
        at,
      );
      return rows.map(stepKeyOf);
    },
    async awaited({ carrier, ...query }) {
      const rows = await db.query(AWAITED, { carrier, ...query });
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
    async matchedParked(at, limit, receiptsOf = new Map()) {
      const pairs = [...receiptsOf].flatMap(([carrier, others]) => others.map(other => ({ carrier, other })));
      const rows = await db.query(MATCHED_PARKED, {
        ...{ now: at, limit },
        carriers: pairs.map(({ carrier }) => carrier),
        others: pairs.map(({ other }) => other),
      });
      return unreadable.each('parked_receipt', rows, records.parkedReceiptOf);
    },
    async doubtful(limit) {
      const rows = await db.query(DOUBTFUL, [limit]);
      const found = await contentsIn(rows);
      const claimedAt = new Map(rows.map(row => [row.msg_key, Number(row.claimed_at)]));
      return liveStepsOf(rows, found).live.map(step => ({
        ...step,
        claimedAt: claimedAt.get(step.msgKey) ?? 0,
      }));
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
    setAside: entry => keepAside(entry, null),
    async listSetAside(limit) {
      const rows = await db.query('SELECT * FROM set_aside ORDER BY id DESC LIMIT $1', [limit]);
      return rows.map(row => setAsideOf(row, records));
    },
    async knownRefs(carrier, refs) {
      const rows = await db.query(
        'SELECT * FROM carrier_ref WHERE carrier = $1 AND ref = ANY ($2::text[]) ORDER BY created_at',
        [carrier, refs],
      );
      const known = new Map<string, string[]>();
      for (const row of rows) {
        const ref = String(row.ref);
        const to = unreadable.value(
          'carrier_ref',
          row,
          () => records.carrierRef.to.read(row.recipient, row),
          '',
        );
        known.set(ref, [...(known.get(ref) ?? []), to]);
      }
      return known;
    },
    async countReady(carrier, most) {
      const [row] = await db.query(COUNT_READY, [carrier, most]);
      return Number(row?.steps);
    },
    async depth() {
      const [phases, oldest] = await db.transaction(
        tx => Promise.all([tx.query(COUNT_PHASES), tx.query(OLDEST_READY)]),
        LONG_PATIENCE,
      );
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

const accountOf = ({ account }: Row): AccountId => account as AccountId;

function headsIn({ heads, ofOthers }: QueueHead) {
  const known = [...heads];
  return {
    ...ofOthers,
    accounts: known.map(([account]) => account),
    singles: known.map(([, { single }]) => single),
    bulks: known.map(([, { bulk }]) => bulk),
  };
}

function stepKeyOf({ msg_key, step, attempt }: Row): StepKey {
  return { msgKey: msg_key as MsgKey, step: Number(step), attempt: Number(attempt) };
}
