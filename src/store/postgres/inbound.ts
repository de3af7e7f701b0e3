/**
 * Inbound messages on PostgreSQL. Messages are stored under the gateway's role, because whose they are is only found out then.
 * What accounts fetch is read under their own role.
 */
import { type AccountId, type MsgKey, timePrefix } from '../../domain/ids.ts';
import type { InboundNumber } from '../../domain/inbound/inbound.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import { inboundListQuery } from '../inbound-list.ts';
import {
  byMessage,
  completeParts,
  type FoundPart,
  judgePart,
  leftReference,
  RULES_LEAP_MS,
  WAITS_ASIDE,
} from '../inbound-parts.ts';
import type { InboundBatch, InboundStore, NewInbound, NewInboundPart } from '../port/inbound-store.ts';
import { isPushed } from '../pushed.ts';
import { columnNames } from '../records/columns.ts';
import {
  givenTo,
  INBOUND_COLUMNS,
  INBOUND_PART_COLUMNS,
  inboundFieldsOf,
  wordsOf,
} from '../records/inbound-columns.ts';
import type { Records } from '../records/records.ts';
import { StoreFault } from '../store-fault.ts';
import type { Parameter } from '../tables/tables.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Queryable, Row, Session } from './database.ts';
import { nextId } from './next-id.ts';

/** Rows a sweep changes at a time. */
const CHUNK = 1000;
/** Sets our locks apart from others. */
const PART_LOCK = 7;

const INSERT = `
  INSERT INTO inbound (${columnNames(INBOUND_COLUMNS)}) SELECT * FROM ${unnest('added', INBOUND_COLUMNS)}
  ON CONFLICT DO NOTHING`;
const INSERT_PART = `
  INSERT INTO inbound_part (${columnNames(INBOUND_PART_COLUMNS)}, joined, confirmed) OVERRIDING SYSTEM VALUE
  SELECT *, 0, 0 FROM ${unnest('added', INBOUND_PART_COLUMNS)}`;
/** Two nodes that have parts of one message take turns; otherwise neither might see that all are there. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, ${PART_LOCK}))`;
const BESIDE = `
  SELECT * FROM inbound_part
   WHERE carrier = :carrier AND recipient = :to AND reference = :reference AND sender_term = ANY (:terms::text[])
   ORDER BY id`;
const STALE = `
  SELECT part.* FROM (
    SELECT carrier, recipient, reference, sender_term FROM inbound_part WHERE joined = 0
     GROUP BY carrier, recipient, reference, sender_term HAVING max(received_at) < $1
     ORDER BY min(id) LIMIT $2 OFFSET $3
  ) AS message JOIN inbound_part AS part USING (carrier, recipient, reference, sender_term)
   WHERE part.joined = 0 ORDER BY part.id`;
const OPEN_PARTS = 'SELECT FROM inbound_part WHERE id = ANY ($1::bigint[]) AND joined = 0 FOR UPDATE';
const JOINED = 'UPDATE inbound_part SET joined = 1 WHERE id = ANY ($1::bigint[])';
const DROP_DONE = 'DELETE FROM inbound_part WHERE id = ANY ($1::bigint[]) AND joined = 1 AND confirmed = 1';
const DUE_RULES = `
  UPDATE inbound SET rules_at = :again WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM inbound WHERE rules_at <= :now OR rules_at > :now::bigint + ${RULES_LEAP_MS}
     ORDER BY rules_at LIMIT :limit FOR UPDATE SKIP LOCKED))
  RETURNING *`;
const COUNT_FROM = `
  SELECT count(*) AS messages, count(*) FILTER (WHERE reply_key IS NOT NULL OR rules_at IS NOT NULL) AS answered FROM (
    SELECT reply_key, rules_at FROM inbound
     WHERE sender_term = ANY (:terms::text[]) AND msg_key >= :since AND msg_key < :before AND recipient = :to
     ORDER BY msg_key DESC LIMIT :most
  ) AS counted`;
const WAITING = 'account = :account AND waiting = 1 AND batch IS NULL AND received_at >= :since';
/**
 * In one statement, so that an acknowledgement is seen completely or not at all. A batch whose messages are gone has one row without a
 * message.
 */
const OPEN_BATCH = `
  SELECT inbound_batch.batch_id, inbound.* FROM inbound_batch
    LEFT JOIN inbound ON inbound.account = inbound_batch.account AND inbound.batch = inbound_batch.batch_id
                AND inbound.waiting = 1
   WHERE inbound_batch.account = $1 ORDER BY inbound.msg_key`;
const LEAVE_ASIDE = `
  UPDATE inbound SET waiting = ${WAITS_ASIDE}, batch = NULL
   WHERE msg_key = ANY (:keys::text[]) AND account = :account AND waiting = 1 AND batch = :batchId`;
const ACKNOWLEDGE = `
  WITH closed AS (
    DELETE FROM inbound_batch WHERE account = :account AND batch_id = :batchId RETURNING account, batch_id
  ), fetched AS (
    UPDATE inbound SET waiting = NULL, batch = NULL, fetched_at = :now FROM closed
     WHERE inbound.account = closed.account AND inbound.waiting = 1 AND inbound.batch = closed.batch_id
  )
  SELECT account FROM closed`;
const ASSIGN = `
  UPDATE inbound SET account = :account, sender = :sender, content = :content, waiting = 1 WHERE msg_key = :msgKey`;
const OF_SENDER = 'sender_term = ANY (:terms::text[]) AND (:account::text IS NULL OR account = :account)';
const ERASE_ATTEMPTS = `
  UPDATE webhook_delivery SET recent = '[]' WHERE msg_key IN (SELECT msg_key FROM inbound WHERE ${OF_SENDER})`;
const ERASE = `
  UPDATE inbound SET sender = '${ERASED_RECIPIENT}', sender_term = '', content = NULL, said = NULL
   WHERE ${OF_SENDER}`;

const some = (what: string) =>
  `msg_key = ANY (ARRAY(SELECT msg_key FROM inbound WHERE ${what} ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
// Each has an index of its own, so that it does not read every older message each minute.
const SWEEP_UNFETCHED = `UPDATE inbound SET waiting = 0 WHERE ${some('waiting = 1 AND batch IS NULL AND msg_key < $1')}`;
const SWEEP_TEXTS = `
  UPDATE inbound SET content = NULL, said = NULL
   WHERE ${some(`msg_key < $1 AND content IS NOT NULL AND NOT ${isPushed('inbound.msg_key')}`)}`;
const SWEEP_SAID = `UPDATE inbound SET said = NULL WHERE ${some('said IS NOT NULL AND msg_key < $1')}`;
const SWEEP_MESSAGES = `DELETE FROM inbound WHERE ${some(`msg_key < $1 AND NOT ${isPushed('inbound.msg_key')}`)}`;
const SWEEP_PARTS = `
  DELETE FROM inbound_part WHERE id = ANY (ARRAY(
    SELECT id FROM inbound_part WHERE received_at < $1 AND joined = 1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;

export function postgresInbound(db: Database, records: Records): InboundStore {
  const { inboundOf, inboundPartOf, unreadable } = records;
  const shown = (rows: readonly Row[]) => unreadable.each('inbound', rows, inboundOf);

  /** Of a message that is stored already. */
  async function knownKey(message: NewInbound): Promise<MsgKey | undefined> {
    const { carrier, carrierId } = message;
    const rows =
      carrierId === undefined
        ? await db.query(
            'SELECT msg_key FROM inbound WHERE carrier = :carrier AND said = ANY (:said::text[]) LIMIT 1',
            { carrier, said: records.saidTerms(wordsOf(message)) },
          )
        : await db.query('SELECT msg_key FROM inbound WHERE carrier = $1 AND carrier_id = $2', [
            carrier,
            carrierId,
          ]);
    return rows[0]?.msg_key as MsgKey | undefined;
  }

  async function insert(tx: Queryable, message: NewInbound): Promise<boolean> {
    const added = arraysOf('added', records.inbound, [inboundFieldsOf(message)]);
    return (await tx.query(INSERT, added)).count === 1;
  }

  async function addOne(message: NewInbound): Promise<{ msgKey: MsgKey; isNew: boolean }> {
    const known = await knownKey(message);
    if (known !== undefined) return { msgKey: known, isNew: false };
    if (await insert(db, message)) return { msgKey: message.msgKey, isNew: true };
    // Another node was faster; or a try before this one, whose reply was lost.
    return { msgKey: (await knownKey(message)) ?? message.msgKey, isNew: false };
  }

  async function partsBeside(tx: Queryable, part: NewInboundPart): Promise<FoundPart[]> {
    const { carrier, to, reference, from } = part;
    const rows = await tx.query(BESIDE, { carrier, to, reference, terms: records.senderTerms([from]) });
    return unreadable.each('inbound_part', rows, row => ({
      ...inboundPartOf(row),
      isJoined: row.joined === 1,
      isConfirmed: row.confirmed === 1,
    }));
  }

  /** One without a message that can be handed out is closed: nobody could acknowledge it. */
  async function openBatch(theirs: Session, account: AccountId): Promise<InboundBatch | undefined> {
    const rows = await theirs.query(OPEN_BATCH, [account]);
    const [first] = rows;
    if (!first) return undefined;
    const batchId = String(first.batch_id);
    const there = rows.filter(({ msg_key }) => msg_key !== null);
    const keys: string[] = [];
    const messages = unreadable.each('inbound', there, inboundOf, row => keys.push(String(row.msg_key)));
    if (keys.length > 0 || messages.length === 0)
      await lockingBriefly(db, theirs, batchOf(account), async tx => {
        await tx.query(LEAVE_ASIDE, { account, batchId, keys });
        if (messages.length === 0)
          await tx.query('DELETE FROM inbound_batch WHERE account = $1 AND batch_id = $2', [
            account,
            batchId,
          ]);
      });
    return messages.length > 0 ? { batchId, messages } : undefined;
  }

  return {
    async owners(numbers) {
      const rows = await db.query(
        `SELECT registry.* FROM unnest($1::text[]) AS wanted (number)
           JOIN registry ON kind = 'inboundNumber' AND key >= number || '/' AND key < number || '0'`,
        [numbers],
      );
      return unreadable.each('registry', rows, row => ({
        account: row.account as AccountId,
        entry: records.registryEntry.read(row.entry, row) as InboundNumber,
      }));
    },
    async add(messages) {
      const added: { msgKey: MsgKey; isNew: boolean }[] = [];
      for (const message of messages) added.push(await addOne(message));
      return added;
    },
    addPart: part => {
      const whole = `${part.carrier} ${part.to} ${part.reference}`;
      return lockingBriefly(db, db, `inbound part ${whole}`, async tx => {
        await tx.query(LOCK, [whole]);
        const { repeatOf, left, others } = judgePart(part, await partsBeside(tx, part));
        if (repeatOf) return { id: repeatOf.id, complete: completeParts(others) };
        if (left.length > 0) {
          const ids = left.map(({ id }) => id);
          await tx.query('UPDATE inbound_part SET reference = $1 WHERE id = ANY ($2::bigint[])', [
            leftReference(left),
            ids,
          ]);
        }
        const id = await nextId(tx, 'inbound_part');
        const row = { ...part, id, term: part.from };
        await tx.query(INSERT_PART, arraysOf('added', records.inboundPart, [row]));
        return { id, complete: completeParts([...others, { ...part, id }]) };
      });
    },
    join: (parts, message) =>
      lockingBriefly(db, db, `inbound parts ${parts}`, async tx => {
        if ((await tx.query(OPEN_PARTS, [parts])).length < parts.length) return false;
        await tx.query(JOINED, [parts]);
        await tx.query(DROP_DONE, [parts]);
        return insert(tx, message);
      }),
    async staleParts(receivedBefore, limit, skip) {
      const left: number[] = [];
      const rows = await db.query(STALE, [receivedBefore, limit, skip]);
      const parts = unreadable.each('inbound_part', rows, inboundPartOf, ({ id }) => left.push(Number(id)));
      // The message is stored without them; the sweep deletes them.
      if (left.length > 0) await db.query(JOINED, [left]);
      return byMessage(parts);
    },
    async confirm(messages, parts) {
      if (messages.length > 0) {
        await db.query('UPDATE inbound SET said = NULL WHERE msg_key = ANY ($1::text[])', [messages]);
      }
      if (parts.length === 0) return;
      await db.query('UPDATE inbound_part SET confirmed = 1 WHERE id = ANY ($1::bigint[])', [parts]);
      await db.query(DROP_DONE, [parts]);
    },
    async dueRules(now, again, limit) {
      const left: string[] = [];
      const rows = await db.query(DUE_RULES, { now, again, limit });
      const due = unreadable.each('inbound', rows, inboundOf, ({ msg_key }) => left.push(String(msg_key)));
      if (left.length > 0) {
        const again = now + RULES_LEAP_MS;
        await db.query('UPDATE inbound SET rules_at = $1 WHERE msg_key = ANY ($2::text[])', [again, left]);
      }
      return due;
    },
    async rulesApplied(msgKey, reply) {
      await db.query(
        `UPDATE inbound SET rules_at = NULL, reply_key = :key, reply_problem = :problem WHERE msg_key = :msgKey`,
        {
          msgKey,
          key: reply && 'msgKey' in reply ? reply.msgKey : null,
          problem: reply && 'problem' in reply ? reply.problem : null,
        },
      );
    },
    async countFrom({ from, to, since, before, most }) {
      const terms = records.senderTerms([from]);
      const [row] = await db.query(COUNT_FROM, { terms, to, since: timePrefix(since), before, most });
      return { messages: Number(row?.messages), answered: Number(row?.answered) };
    },
    async find(msgKey) {
      const [row] = await db.query('SELECT * FROM inbound WHERE msg_key = $1', [msgKey]);
      return row && inboundOf(row);
    },
    async poll({ account, newId, limit, since, now }) {
      const theirs = db.as(account);
      for (;;) {
        const held = await openBatch(theirs, account);
        if (held) return held;
        const waiting = await theirs.query(`SELECT FROM inbound WHERE ${WAITING} LIMIT 1`, {
          account,
          since,
        });
        // Another poller may have taken the last a moment ago: then they are in its batch, which is ours too.
        if (waiting.length === 0) return openBatch(theirs, account);
        await createBatch(db, { account, batchId: newId(), since, limit, now });
      }
    },
    async acknowledge(account, batchId, now) {
      let isFound = false;
      const acknowledged = lockingBriefly(db, db.as(account), batchOf(account), async tx => {
        isFound = (await tx.query(ACKNOWLEDGE, { account, batchId, now })).length > 0;
      });
      // Nothing was found, so nothing can have happened.
      await acknowledged.catch(error => {
        if (isFound || !(error instanceof StoreFault && error.outcome === 'mayHaveHappened')) throw error;
      });
      return isFound;
    },
    async holds(account, batchId) {
      await db.lostSessionsEnded();
      const statement = 'SELECT FROM inbound_batch WHERE account = $1 AND batch_id = $2';
      return (await db.as(account).query(statement, [account, batchId])).length > 0;
    },
    async list(query) {
      const { text, parameters } = inboundListQuery(query, records, {
        position: position => `$${position}`,
        terms: place => `sender_term = ANY (${place}::text[])`,
        list: terms => terms,
        accountOfSender: 'account',
      });
      const session = typeof query.account === 'string' ? db.as(query.account) : db;
      return shown(await session.query(text, parameters as Parameter[]));
    },
    assign: (msgKey, account) =>
      lockingBriefly(db, db, `inbound ${msgKey}`, async tx => {
        const unmatched = 'SELECT * FROM inbound WHERE msg_key = $1 AND account IS NULL FOR UPDATE';
        const [row] = await tx.query(unmatched, [msgKey]);
        if (!row) return false;
        const values = givenTo(account, row, records.inbound);
        await tx.query(ASSIGN, { msgKey, account, ...values });
        return true;
      }),
    async erase(from, account) {
      const terms = records.senderTerms(from);
      if (account === undefined) {
        await db.query('DELETE FROM inbound_part WHERE sender_term = ANY ($1::text[])', [terms]);
      }
      const subject = { terms, account: account ?? null };
      await db.query(ERASE_ATTEMPTS, subject);
      return (await db.query(ERASE, subject)).count;
    },
    sweeps(cutoffs) {
      const part = (statement: string, before: number | string) => async () =>
        (await db.query(statement, [before])).count === CHUNK;
      return {
        unfetched: part(SWEEP_UNFETCHED, timePrefix(cutoffs.unfetchedBefore)),
        texts: part(SWEEP_TEXTS, timePrefix(cutoffs.textsBefore)),
        words: part(SWEEP_SAID, timePrefix(cutoffs.unconfirmedBefore)),
        messages: part(SWEEP_MESSAGES, timePrefix(cutoffs.before)),
        parts: part(SWEEP_PARTS, cutoffs.unconfirmedBefore),
        batches: part('DELETE FROM inbound_batch WHERE created_at < $1', cutoffs.before),
      };
    },
  };
}

const batchOf = (account: AccountId): string => `inbound batch ${account}`;

/** Opens a batch unless another poller does: the row in inbound_batch is the lock, and the second waits for the first. */
async function createBatch(
  db: Database,
  order: {
    readonly account: AccountId;
    readonly batchId: string;
    readonly since: number;
    readonly limit: number;
    readonly now: number;
  },
): Promise<void> {
  const { account, batchId, since, limit, now } = order;
  await lockingBriefly(db, db.as(account), batchOf(account), async tx => {
    const { count } = await tx.query(
      'INSERT INTO inbound_batch (account, batch_id, created_at) VALUES (:account, :batchId, :now) ON CONFLICT DO NOTHING',
      { account, batchId, now },
    );
    if (count === 0) return;
    const handedOut = await tx.query(
      `UPDATE inbound SET batch = :batchId WHERE batch IS NULL
          AND msg_key = ANY (ARRAY(SELECT msg_key FROM inbound WHERE ${WAITING} ORDER BY msg_key LIMIT :limit))`,
      { account, batchId, since, limit },
    );
    if (handedOut.count === 0) await tx.query('DELETE FROM inbound_batch WHERE account = $1', [account]);
  });
}
