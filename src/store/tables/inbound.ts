/**
 * Inbound messages. They are stored under the gateway's role, because whose they are is only found out then. What accounts fetch
 * is read under their own.
 */
import { type AccountId, type MsgKey, timePrefix } from '../../domain/ids.ts';
import type { InboundNumber } from '../../domain/inbound/inbound.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import {
  byMessage,
  completeParts,
  type FoundPart,
  judgePart,
  leftReference,
  RULES_LEAP_MS,
  WAITS_ASIDE,
} from '../inbound-parts.ts';
import type {
  InboundBatch,
  InboundQuery,
  InboundStore,
  NewInbound,
  NewInboundPart,
} from '../port/inbound-store.ts';
import { isPushed } from '../pushed.ts';
import type { AnyRow } from '../records/columns.ts';
import {
  givenTo,
  INBOUND_COLUMNS,
  INBOUND_PART_COLUMNS,
  inboundFieldsOf,
  wordsOf,
} from '../records/inbound-columns.ts';
import type { Records } from '../records/records.ts';
import { StoreFault } from '../store-fault.ts';
import { inStretches, STRETCH } from '../stretches.ts';
import { insertOneOf, lockName, sql, type Tables, type Value, valuesIn, type Work } from './tables.ts';

/** Rows a sweep changes at a time. */
const CHUNK = 500;
/** Sets our locks apart from others. */
const PART_LOCK = 7;
const LAST_KEY = '~';

const OWNERS = `
  SELECT registry.* FROM unnest(:numbers::text[]) AS given (wanted)
   CROSS JOIN LATERAL (
     SELECT * FROM registry WHERE kind = 'inboundNumber' AND key >= wanted || '/' AND key < wanted || '0' OFFSET 0) AS registry`;
const BY_ID = 'SELECT msg_key FROM inbound WHERE carrier = :carrier AND carrier_id = :carrierId';
const BY_WORDS =
  'SELECT msg_key FROM inbound WHERE carrier = :carrier AND said = ANY (:said::text[]) LIMIT 1';
const INSERT = `${insertOneOf('inbound', INBOUND_COLUMNS)} ON CONFLICT DO NOTHING`;

const NEXT_PART = "SELECT nextval(pg_get_serial_sequence('inbound_part', 'id')) AS id";
const INSERT_PART = insertOneOf('inbound_part', INBOUND_PART_COLUMNS, { joined: 0, confirmed: 0 });
const BESIDE = `
  SELECT * FROM inbound_part
   WHERE carrier = :carrier AND recipient = :to AND reference = :reference AND sender_term = ANY (:terms::text[])
   ORDER BY id`;
const THESE_PARTS = 'id = ANY (:parts::bigint[])';
const LEAVE_PARTS = `UPDATE inbound_part SET reference = :reference WHERE ${THESE_PARTS}`;
const OPEN_PARTS = `SELECT id FROM inbound_part WHERE ${THESE_PARTS} AND joined = 0 FOR UPDATE`;
const JOINED = `UPDATE inbound_part SET joined = 1 WHERE ${THESE_PARTS}`;
const CONFIRMED = `UPDATE inbound_part SET confirmed = 1 WHERE ${THESE_PARTS}`;
const DROP_DONE = `DELETE FROM inbound_part WHERE ${THESE_PARTS} AND joined = 1 AND confirmed = 1`;
const STALE = `
  SELECT part.* FROM (
    SELECT carrier, recipient, reference, sender_term FROM inbound_part WHERE joined = 0
     GROUP BY carrier, recipient, reference, sender_term HAVING max(received_at) < :before
     ORDER BY min(id) LIMIT :limit OFFSET :skip
  ) AS message JOIN inbound_part AS part USING (carrier, recipient, reference, sender_term)
   WHERE part.joined = 0 ORDER BY part.id`;

const THESE = 'msg_key = ANY (:keys::text[])';
const CONFIRM = `UPDATE inbound SET said = NULL WHERE ${THESE}`;
const IS_DUE = `(rules_at <= :now OR rules_at > :now::bigint + ${RULES_LEAP_MS})`;
const ANY_DUE = `SELECT msg_key FROM inbound WHERE ${IS_DUE} ORDER BY rules_at LIMIT 1`;
const DUE = `SELECT * FROM inbound WHERE ${IS_DUE} ORDER BY rules_at LIMIT :limit FOR UPDATE SKIP LOCKED`;
const PUT_OFF = `UPDATE inbound SET rules_at = :until WHERE ${THESE}`;
const APPLIED = `
  UPDATE inbound SET rules_at = NULL, reply_key = :key, reply_problem = :problem WHERE msg_key = :msgKey`;
const COUNT_FROM = `
  SELECT count(*) AS messages, count(*) FILTER (WHERE reply_key IS NOT NULL OR rules_at IS NOT NULL) AS answered FROM (
    SELECT reply_key, rules_at FROM inbound
     WHERE sender_term = ANY (:terms::text[]) AND msg_key >= :since AND msg_key < :before AND recipient = :to
     ORDER BY msg_key DESC LIMIT :most
  ) AS counted`;

const WAITING = 'account = :account AND waiting = 1 AND batch IS NULL AND received_at >= :since';
const ANY_WAITING = `SELECT msg_key FROM inbound WHERE ${WAITING} LIMIT 1`;
/** The row is the lock: of two who open a batch, the second waits for the first. */
const CREATE_BATCH = `
  INSERT INTO inbound_batch (account, batch_id, created_at) VALUES (:account, :batchId, :now) ON CONFLICT DO NOTHING`;
const HAND_OUT = `
  UPDATE inbound SET batch = :batchId WHERE batch IS NULL
     AND msg_key = ANY (ARRAY(SELECT msg_key FROM inbound WHERE ${WAITING} ORDER BY msg_key LIMIT :limit))`;
/**
 * In one statement, so that an acknowledgement is seen completely or not at all. A batch whose messages are gone has one row without a
 * message.
 */
const OPEN_BATCH = `
  SELECT inbound_batch.batch_id, inbound.* FROM inbound_batch
    LEFT JOIN inbound ON inbound.account = inbound_batch.account AND inbound.batch = inbound_batch.batch_id
                AND inbound.waiting = 1
   WHERE inbound_batch.account = :account ORDER BY inbound.msg_key`;
const IN_BATCH = 'account = :account AND waiting = 1 AND batch = :batchId';
const LEAVE_ASIDE = `UPDATE inbound SET waiting = ${WAITS_ASIDE}, batch = NULL WHERE ${THESE} AND ${IN_BATCH}`;
const FETCHED = `UPDATE inbound SET waiting = NULL, batch = NULL, fetched_at = :now WHERE ${IN_BATCH}`;
const THEIR_BATCH = 'FROM inbound_batch WHERE account = :account AND batch_id = :batchId';

const ASSIGN = `
  UPDATE inbound SET account = :account, sender = :sender, content = :content, waiting = 1 WHERE msg_key = :msgKey`;
const OF_SENDER = 'sender_term = ANY (:terms::text[]) AND (:account::text IS NULL OR account = :account)';
const ERASE_PARTS = 'DELETE FROM inbound_part WHERE sender_term = ANY (:terms::text[])';
const ERASE_ATTEMPTS = `
  UPDATE webhook_delivery SET recent = '[]' WHERE msg_key IN (SELECT msg_key FROM inbound WHERE ${OF_SENDER})`;
const ERASE = `
  UPDATE inbound SET sender = '${ERASED_RECIPIENT}', sender_term = '', content = NULL, said = NULL
   WHERE ${OF_SENDER}`;

// Each has an index of its own, so that it does not read every older message each minute.
const some = (what: string, index = ''): string => `
  msg_key = ANY (ARRAY(
    SELECT msg_key FROM inbound ${index} WHERE msg_key < :before AND ${what}
     ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const SWEEPS = {
  unfetched: `
    UPDATE inbound SET waiting = 0
     WHERE ${some('waiting = 1 AND batch IS NULL', '/* INDEXED BY inbound_unfetched */')}`,
  texts: `
    UPDATE inbound SET content = NULL, said = NULL
     WHERE ${some(`content IS NOT NULL AND NOT ${isPushed('inbound.msg_key')}`, '/* INDEXED BY inbound_texts */')}`,
  words: `UPDATE inbound SET said = NULL WHERE ${some('said IS NOT NULL', '/* INDEXED BY inbound_said */')}`,
  messages: `DELETE FROM inbound WHERE ${some(`NOT ${isPushed('inbound.msg_key')}`)}`,
  parts: `
    DELETE FROM inbound_part WHERE id = ANY (ARRAY(
      SELECT id FROM inbound_part WHERE received_at < :before AND joined = 1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`,
  batches: `
    DELETE FROM inbound_batch WHERE account = ANY (ARRAY(
      SELECT account FROM inbound_batch WHERE created_at < :before LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`,
};

const batchOf = (account: AccountId): string => `inbound batch ${account}`;

export function inboundTable(tables: Tables, records: Records): InboundStore {
  const { inboundOf, inboundPartOf, unreadable } = records;

  /** Of a message that is stored already. */
  function* knownKey(message: NewInbound): Work<MsgKey | undefined> {
    const { carrier, carrierId } = message;
    const [row] =
      carrierId === undefined
        ? yield* sql(BY_WORDS, { carrier, said: records.saidTerms(wordsOf(message)) })
        : yield* sql(BY_ID, { carrier, carrierId });
    return row?.msg_key as MsgKey | undefined;
  }

  function* insert(message: NewInbound): Work<boolean> {
    return (yield* sql(INSERT, valuesIn(records.inbound, inboundFieldsOf(message)))).count === 1;
  }

  function* addOne(message: NewInbound): Work<{ readonly msgKey: MsgKey; readonly isNew: boolean }> {
    const known = yield* knownKey(message);
    if (known !== undefined) return { msgKey: known, isNew: false };
    if (yield* insert(message)) return { msgKey: message.msgKey, isNew: true };
    // Another node was faster; or a try before this one, whose reply was lost.
    return { msgKey: (yield* knownKey(message)) ?? message.msgKey, isNew: false };
  }

  function* partsBeside({ carrier, to, reference, from }: NewInboundPart): Work<FoundPart[]> {
    const rows = yield* sql(BESIDE, { carrier, to, reference, terms: records.senderTerms([from]) });
    return unreadable.each('inbound_part', rows, row => ({
      ...inboundPartOf(row),
      isJoined: row.joined === 1,
      isConfirmed: row.confirmed === 1,
    }));
  }

  /** One without a message that can be handed out is closed: nobody could acknowledge it. */
  async function openBatch(account: AccountId): Promise<InboundBatch | undefined> {
    const rows = await tables.read(account, OPEN_BATCH, { account });
    const [first] = rows;
    if (!first) return undefined;
    const batchId = String(first.batch_id);
    const there = rows.filter(({ msg_key }) => msg_key !== null);
    const keys: string[] = [];
    const messages = unreadable.each('inbound', there, inboundOf, row => keys.push(String(row.msg_key)));
    if (keys.length > 0 || messages.length === 0)
      await tables.write(account, batchOf(account), function* () {
        yield* sql(LEAVE_ASIDE, { account, batchId, keys });
        if (messages.length === 0) yield* sql(`DELETE ${THEIR_BATCH}`, { account, batchId });
      });
    return messages.length > 0 ? { batchId, messages } : undefined;
  }

  return {
    async owners(numbers) {
      const rows = await tables.read(undefined, OWNERS, { numbers });
      return unreadable.each('registry', rows, row => ({
        account: row.account as AccountId,
        entry: records.registryEntry.read(row.entry, row) as InboundNumber,
      }));
    },
    add: messages =>
      tables.write(
        undefined,
        undefined,
        function* () {
          const added = [];
          for (const message of messages) added.push(yield* addOne(message));
          return added;
        },
        messages.length,
      ),
    addPart(part) {
      const whole = `${part.carrier} ${part.to} ${part.reference}`;
      return tables.write(undefined, `inbound part ${whole}`, function* () {
        // Two nodes that have parts of one message take turns; otherwise neither might see that all are there.
        yield* lockName(whole, PART_LOCK);
        const { repeatOf, left, others } = judgePart(part, yield* partsBeside(part));
        if (repeatOf) return { id: repeatOf.id, complete: completeParts(others) };
        if (left.length > 0) {
          yield* sql(LEAVE_PARTS, { reference: leftReference(left), parts: left.map(({ id }) => id) });
        }
        const [next] = yield* sql(NEXT_PART);
        const id = Number(next?.id);
        yield* sql(INSERT_PART, valuesIn(records.inboundPart, { ...part, id, term: part.from }));
        return { id, complete: completeParts([...others, { ...part, id }]) };
      });
    },
    join: (parts, message) =>
      tables.write(undefined, `inbound parts ${parts}`, function* () {
        if ((yield* sql(OPEN_PARTS, { parts })).count < parts.length) return false;
        yield* sql(JOINED, { parts });
        yield* sql(DROP_DONE, { parts });
        return yield* insert(message);
      }),
    async staleParts(before, limit, skip) {
      const left: number[] = [];
      const rows = await tables.read(undefined, STALE, { before, limit, skip });
      const found = unreadable.each('inbound_part', rows, inboundPartOf, ({ id }) => left.push(Number(id)));
      // The message is stored without them; the sweep deletes them.
      if (left.length > 0) await tables.write(undefined, undefined, () => sql(JOINED, { parts: left }));
      return byMessage(found);
    },
    confirm: (keys, parts) =>
      tables.write(undefined, undefined, function* () {
        if (keys.length > 0) yield* sql(CONFIRM, { keys });
        if (parts.length === 0) return;
        yield* sql(CONFIRMED, { parts });
        yield* sql(DROP_DONE, { parts });
      }),
    async dueRules(now, again, limit) {
      if ((await tables.read(undefined, ANY_DUE, { now })).count === 0) return [];
      return tables.write(
        undefined,
        undefined,
        function* () {
          const rows = yield* sql(DUE, { now, limit });
          yield* sql(PUT_OFF, { until: again, keys: keysOf(rows) });
          const left: AnyRow[] = [];
          const due = unreadable.each('inbound', rows, inboundOf, row => left.push(row));
          if (left.length > 0) yield* sql(PUT_OFF, { until: now + RULES_LEAP_MS, keys: keysOf(left) });
          return due;
        },
        limit,
      );
    },
    async rulesApplied(msgKey, reply) {
      const key = reply && 'msgKey' in reply ? reply.msgKey : null;
      const problem = reply && 'problem' in reply ? reply.problem : null;
      await tables.write(undefined, undefined, () => sql(APPLIED, { msgKey, key, problem }));
    },
    async countFrom({ from, to, since, before, most }) {
      const query = { terms: records.senderTerms([from]), to, since: timePrefix(since), before, most };
      const [row] = await tables.read(undefined, COUNT_FROM, query);
      return { messages: Number(row?.messages), answered: Number(row?.answered) };
    },
    async find(msgKey) {
      const text = 'SELECT * FROM inbound WHERE msg_key = :msgKey';
      const [row] = await tables.read(undefined, text, { msgKey });
      return row && inboundOf(row);
    },
    async poll({ account, newId, limit, since, now }) {
      for (;;) {
        const held = await openBatch(account);
        if (held) return held;
        // Another poller may have taken the last a moment ago: then they are in its batch, which is ours too.
        const waiting = await tables.read(account, ANY_WAITING, { account, since });
        if (waiting.count === 0) return openBatch(account);
        const batchId = newId();
        const createBatch = function* (): Work<void> {
          const { count } = yield* sql(CREATE_BATCH, { account, batchId, now });
          if (count === 0) return;
          const handedOut = yield* sql(HAND_OUT, { account, batchId, since, limit });
          if (handedOut.count === 0) yield* sql(`DELETE ${THEIR_BATCH}`, { account, batchId });
        };
        await tables.write(account, batchOf(account), createBatch, limit);
      }
    },
    async acknowledge(account, batchId, now) {
      let isFound = false;
      const acknowledge = function* (): Work<void> {
        isFound = (yield* sql(`DELETE ${THEIR_BATCH}`, { account, batchId })).count > 0;
        if (isFound) yield* sql(FETCHED, { account, batchId, now });
      };
      // If nothing was found, nothing can have happened.
      await tables.write(account, batchOf(account), acknowledge).catch(error => {
        if (isFound || !(error instanceof StoreFault && error.outcome === 'mayHaveHappened')) throw error;
      });
      return isFound;
    },
    async holds(account, batchId) {
      const rows = await tables.readCertain(account, `SELECT batch_id ${THEIR_BATCH}`, { account, batchId });
      return rows.count > 0;
    },
    async list(query) {
      const { account, order, after, since } = query;
      // Of one sender there are few; the number that was written to may be that of one in a million.
      const mayLeaveLittle = query.to !== undefined && query.from === undefined;
      const rows = await inStretches<string, AnyRow>(
        query.limit,
        after ?? (order === 'oldest' ? timePrefix(Math.max(0, since)) : LAST_KEY),
        async start => {
          if (!mayLeaveLittle) return undefined;
          const { text, values } = endOfStretch(query, start);
          const [row] = await tables.read(account ?? undefined, text, values);
          return row && String(row.msg_key);
        },
        (start, end, limit) => {
          const { text, values } = listed({ ...query, after: start as MsgKey, limit }, end);
          return tables.read(account ?? undefined, text, values);
        },
      );
      return unreadable.each('inbound', rows, inboundOf);
    },
    assign: (msgKey, account) =>
      tables.write(undefined, `inbound ${msgKey}`, function* () {
        const unmatched = 'SELECT * FROM inbound WHERE msg_key = :msgKey AND account IS NULL FOR UPDATE';
        const [row] = yield* sql(unmatched, { msgKey });
        if (!row) return false;
        yield* sql(ASSIGN, { msgKey, account, ...givenTo(account, row, records.inbound) });
        return true;
      }),
    erase: (from, account) =>
      tables.write(undefined, undefined, function* () {
        const terms = records.senderTerms(from);
        if (account === undefined) yield* sql(ERASE_PARTS, { terms });
        const subject = { terms, account: account ?? null };
        yield* sql(ERASE_ATTEMPTS, subject);
        return (yield* sql(ERASE, subject)).count;
      }),
    sweeps(cutoffs) {
      const part = (text: string, before: number | string) => async () =>
        (await tables.write(undefined, undefined, () => sql(text, { before }))).count === CHUNK;
      return {
        unfetched: part(SWEEPS.unfetched, timePrefix(cutoffs.unfetchedBefore)),
        texts: part(SWEEPS.texts, timePrefix(cutoffs.textsBefore)),
        words: part(SWEEPS.words, timePrefix(cutoffs.unconfirmedBefore)),
        messages: part(SWEEPS.messages, timePrefix(cutoffs.before)),
        parts: part(SWEEPS.parts, cutoffs.unconfirmedBefore),
        batches: part(SWEEPS.batches, cutoffs.before),
      };
    },
  };

  /** `end`: the last to be looked at, in the order of the list. */
  function listed({ account, from, to, since, after, order, limit }: InboundQuery, end: string | undefined) {
    const values: Record<string, Value | readonly string[]> = {
      since: timePrefix(Math.max(0, since)),
      limit,
    };
    const conditions = ['msg_key >= :since'];
    if (account === null) conditions.push('account IS NULL');
    else if (account !== undefined) {
      // Not by the index of accounts: the sender leaves fewer, and no plan is to walk all that the account has.
      conditions.push(from ? "account || '' = :account" : 'account = :account');
      values.account = account;
    }
    if (from) {
      conditions.push('sender_term = ANY (:terms::text[])');
      values.terms = records.senderTerms(from);
    }
    if (to !== undefined) {
      conditions.push('recipient = :to');
      values.to = to;
    }
    if (after !== undefined) {
      conditions.push(`msg_key ${order === 'oldest' ? '>' : '<'} :after`);
      values.after = after;
    }
    if (end !== undefined) {
      conditions.push(`msg_key ${order === 'oldest' ? '<=' : '>='} :end`);
      values.end = end;
    }
    const text = `
      SELECT * FROM inbound WHERE ${conditions.join(' AND ')}
       ORDER BY msg_key ${order === 'oldest' ? 'ASC' : 'DESC'} LIMIT :limit`;
    return { text, values };
  }
}

/** Where a stretch of a list ends that begins behind a key. */
function endOfStretch({ account, order }: InboundQuery, start: string) {
  const isTheirs =
    account === null ? 'account IS NULL' : account === undefined ? 'true' : 'account = :account';
  const text = `
    SELECT msg_key FROM inbound WHERE msg_key ${order === 'oldest' ? '>' : '<'} :start AND ${isTheirs}
     ORDER BY msg_key ${order === 'oldest' ? 'ASC' : 'DESC'} LIMIT 1 OFFSET ${STRETCH - 1}`;
  return { text, values: { start, ...(account && { account }) } };
}

function keysOf(rows: readonly AnyRow[]): string[] {
  return rows.map(({ msg_key }) => String(msg_key));
}
