/** Inbound messages on SQLite. */

import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { timePrefix } from '../../domain/ids.ts';
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
import type { InboundStore, NewInbound, NewInboundPart } from '../port/inbound-store.ts';
import { inboundFieldsOf, wordsOf } from '../records/inbound-columns.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';

/** Rows a sweep changes at a time. */
const CHUNK = 500;

export function sqliteInbound(db: Database, records: Records): InboundStore {
  const { inboundOf, inboundPartOf, unreadable } = records;
  const shown = (rows: readonly Row[]) => unreadable.each('inbound', rows, inboundOf);
  const insert = inserter(db, 'inbound', records.inbound);
  const insertPart = inserter(db, 'inbound_part', records.inboundPart, { joined: 0, confirmed: 0 });
  const lastId = db.prepare('SELECT last_insert_rowid() AS id');
  const selectOwners = db.prepare(
    `SELECT account, key, entry FROM registry WHERE kind = 'inboundNumber' AND key >= ? AND key < ?`,
  );
  const byId = db.prepare('SELECT msg_key FROM inbound WHERE carrier = ? AND carrier_id = ?');
  const bySaid = db.prepare('SELECT msg_key FROM inbound WHERE carrier = ? AND said = ?');
  const beside = db.prepare(
    `SELECT * FROM inbound_part
      WHERE carrier = ? AND recipient = ? AND reference = ? AND sender_term IN (SELECT value FROM json_each(?))
      ORDER BY id`,
  );
  const leave = db.prepare('UPDATE inbound_part SET reference = ? WHERE id = ?');
  const joinPart = db.prepare('UPDATE inbound_part SET joined = 1 WHERE id = ? AND joined = 0');
  const dropIfDone = db.prepare('DELETE FROM inbound_part WHERE id = ? AND joined = 1 AND confirmed = 1');
  const stale = db.prepare(
    `SELECT * FROM inbound_part AS part
      WHERE joined = 0 AND received_at < ?1
        AND NOT EXISTS (SELECT 1 FROM inbound_part AS newer
                         WHERE newer.carrier = part.carrier AND newer.recipient = part.recipient
                           AND newer.reference = part.reference AND newer.sender_term = part.sender_term
                           AND newer.joined = 0 AND newer.received_at >= ?1)
      ORDER BY carrier, recipient, reference, sender_term, part LIMIT ?2`,
  );
  const confirmMessage = db.prepare('UPDATE inbound SET said = NULL WHERE msg_key = ?');
  const confirmPart = db.prepare('UPDATE inbound_part SET confirmed = 1 WHERE id = ?');
  const selectDue = db.prepare(
    `SELECT * FROM inbound WHERE rules_at <= ?1 OR rules_at > ?1 + ${RULES_LEAP_MS} ORDER BY rules_at LIMIT ?2`,
  );
  const putOff = db.prepare('UPDATE inbound SET rules_at = ? WHERE msg_key = ?');
  const applied = db.prepare(
    'UPDATE inbound SET rules_at = NULL, reply_key = ?, reply_problem = ? WHERE msg_key = ?',
  );
  const countFrom = db.prepare(
    `SELECT count(*) AS messages, count(*) FILTER (WHERE reply_key IS NOT NULL OR rules_at IS NOT NULL) AS answered FROM (
       SELECT reply_key, rules_at FROM inbound
        WHERE sender_term IN (SELECT value FROM json_each(?)) AND msg_key >= ? AND msg_key < ? AND recipient = ?
        ORDER BY msg_key DESC LIMIT ?)`,
  );
  const selectOne = db.prepare('SELECT * FROM inbound WHERE msg_key = ?');
  const openBatch = db.prepare('SELECT batch_id FROM inbound_batch WHERE account = ?');
  const createBatch = db.prepare(
    'INSERT INTO inbound_batch (account, batch_id, created_at) VALUES (?, ?, ?)',
  );
  const closeBatch = db.prepare('DELETE FROM inbound_batch WHERE account = ? AND batch_id = ?');
  const handOut = db.prepare(
    `UPDATE inbound SET batch = ?1 WHERE msg_key IN (
       SELECT msg_key FROM inbound WHERE account = ?2 AND waiting = 1 AND batch IS NULL AND received_at >= ?3
        ORDER BY msg_key LIMIT ?4)`,
  );
  const selectBatch = db.prepare(
    'SELECT * FROM inbound WHERE account = ? AND waiting = 1 AND batch = ? ORDER BY msg_key',
  );
  const fetched = db.prepare(
    `UPDATE inbound SET waiting = NULL, batch = NULL, fetched_at = ?1 WHERE account = ?2 AND waiting = 1 AND batch = ?3`,
  );
  const leaveAside = db.prepare(
    `UPDATE inbound SET waiting = ${WAITS_ASIDE}, batch = NULL WHERE msg_key = ? AND account = ? AND waiting = 1 AND batch = ?`,
  );
  const assign = db.prepare(
    'UPDATE inbound SET account = ?, waiting = 1 WHERE msg_key = ? AND account IS NULL',
  );
  const eraseOne = db.prepare(
    `UPDATE inbound SET sender = '${ERASED_RECIPIENT}', sender_term = '', content = NULL, said = NULL
      WHERE sender_term IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR account = ?2)`,
  );
  const eraseAttempts = db.prepare(
    `UPDATE webhook_delivery SET recent = '[]' WHERE msg_key IN (
       SELECT msg_key FROM inbound
        WHERE sender_term IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR account = ?2))`,
  );
  const eraseParts = db.prepare(
    'DELETE FROM inbound_part WHERE sender_term IN (SELECT value FROM json_each(?))',
  );
  const some = (what: string) =>
    `msg_key IN (SELECT msg_key FROM inbound WHERE ${what} ORDER BY msg_key LIMIT ?2)`;
  const sweeps = {
    unfetched: db.prepare(
      `UPDATE inbound SET waiting = 0 WHERE ${some('waiting = 1 AND batch IS NULL AND msg_key < ?1')}`,
    ),
    texts: db.prepare(
      `UPDATE inbound SET content = NULL, said = NULL WHERE ${some('msg_key < ?1 AND content IS NOT NULL')}`,
    ),
    said: db.prepare(`UPDATE inbound SET said = NULL WHERE ${some('said IS NOT NULL AND msg_key < ?1')}`),
    messages: db.prepare(`DELETE FROM inbound WHERE ${some('msg_key < ?1')}`),
  };
  const oldBatches = db.prepare('DELETE FROM inbound_batch WHERE created_at < ?');
  const oldParts = db.prepare(
    'DELETE FROM inbound_part WHERE id IN (SELECT id FROM inbound_part WHERE received_at < ? AND joined = 1 LIMIT ?)',
  );

  function knownKey(message: NewInbound): string | undefined {
    const { carrier, carrierId } = message;
    const rows =
      carrierId === undefined
        ? records.saidTerms(wordsOf(message)).map(said => bySaid.get(carrier, said))
        : [byId.get(carrier, carrierId)];
    const row = rows.find(found => found !== undefined) as Row | undefined;
    return row && String(row.msg_key);
  }

  function partsBeside({ carrier, to, reference, from }: NewInboundPart): FoundPart[] {
    const rows = beside.all(carrier, to, reference, JSON.stringify(records.senderTerms([from]))) as Row[];
    return unreadable.each('inbound_part', rows, row => ({
      ...inboundPartOf(row),
      isJoined: row.joined === 1,
      isConfirmed: row.confirmed === 1,
    }));
  }

  return {
    async owners(numbers) {
      const rows = numbers.flatMap(number => selectOwners.all(`${number}/`, `${number}0`) as Row[]);
      return unreadable.each('registry', rows, row => ({
        account: row.account as AccountId,
        entry: records.registryEntry.read(row.entry) as InboundNumber,
      }));
    },
    add: messages =>
      db.write(() =>
        messages.map(message => {
          const known = knownKey(message);
          if (known === undefined) insert(inboundFieldsOf(message));
          return { msgKey: (known ?? message.msgKey) as MsgKey, isNew: known === undefined };
        }),
      ),
    addPart: part =>
      db.write(() => {
        const { repeatOf, left, others } = judgePart(part, partsBeside(part));
        if (repeatOf) return { id: repeatOf.id, complete: completeParts(others) };
        for (const other of left) leave.run(leftReference(left), other.id);
        insertPart({ ...part, term: part.from });
        const id = Number((lastId.get() as Row).id);
        return { id, complete: completeParts([...others, { ...part, id }]) };
      }),
    join: (parts, message) =>
      db.write(() => {
        const joined = parts.map(id => Number(joinPart.run(id).changes));
        if (joined.includes(0)) return false;
        for (const id of parts) dropIfDone.run(id);
        insert(inboundFieldsOf(message));
        return true;
      }),
    async staleParts(receivedBefore, limit) {
      const leave: Row[] = [];
      const rows = stale.all(receivedBefore, limit) as Row[];
      const parts = unreadable.each('inbound_part', rows, inboundPartOf, row => leave.push(row));
      // They are not waited for, and go with the sweep.
      if (leave.length > 0) await db.write(() => leave.forEach(({ id }) => void joinPart.run(id ?? null)));
      return byMessage(parts);
    },
    confirm: (messages, parts) =>
      db.write(() => {
        for (const msgKey of messages) confirmMessage.run(msgKey);
        for (const id of parts) {
          confirmPart.run(id);
          dropIfDone.run(id);
        }
      }),
    async dueRules(now, again, limit) {
      if (selectDue.get(now, 1) === undefined) return [];
      return db.write(() => {
        const rows = selectDue.all(now, limit) as Row[];
        for (const { msg_key } of rows) putOff.run(again, msg_key ?? null);
        return unreadable.each('inbound', rows, inboundOf, ({ msg_key }) =>
          putOff.run(now + RULES_LEAP_MS, msg_key ?? null),
        );
      });
    },
    async rulesApplied(msgKey, reply) {
      const key = reply && 'msgKey' in reply ? reply.msgKey : null;
      const problem = reply && 'problem' in reply ? reply.problem : null;
      await db.write(() => applied.run(key, problem, msgKey));
    },
    async countFrom({ from, to, since, before, most }) {
      const terms = JSON.stringify(records.senderTerms([from]));
      const { messages, answered } = countFrom.get(terms, timePrefix(since), before, to, most) as Row;
      return { messages: Number(messages), answered: Number(answered) };
    },
    async find(msgKey) {
      const row = selectOne.get(msgKey) as Row | undefined;
      return row && inboundOf(row);
    },
    async poll({ account, newId, limit, since, now }) {
      const held = openBatch.get(account) as Row | undefined;
      const batchId = held ? String(held.batch_id) : await db.write(createIfAny);
      if (batchId === undefined) return undefined;
      const aside: Row[] = [];
      const rows = selectBatch.all(account, batchId) as Row[];
      const messages = unreadable.each('inbound', rows, inboundOf, row => aside.push(row));
      if (aside.length > 0)
        await db.write(() => {
          for (const { msg_key } of aside) leaveAside.run(msg_key ?? null, account, batchId);
          if (messages.length === 0) closeBatch.run(account, batchId);
        });
      return messages.length > 0 ? { batchId, messages } : undefined;

      function createIfAny(): string | undefined {
        const other = openBatch.get(account) as Row | undefined;
        if (other) return String(other.batch_id);
        const batchId = newId();
        if (handOut.run(batchId, account, since, limit).changes === 0) return undefined;
        createBatch.run(account, batchId, now);
        return batchId;
      }
    },
    acknowledge: (account, batchId, now) =>
      db.write(() => {
        if (closeBatch.run(account, batchId).changes === 0) return false;
        fetched.run(now, account, batchId);
        return true;
      }),
    async holds(account, batchId) {
      return (openBatch.get(account) as Row | undefined)?.batch_id === batchId;
    },
    async list(query) {
      const { text, parameters } = inboundListQuery(query, records, {
        position: position => `?${position}`,
        terms: place => `sender_term IN (SELECT value FROM json_each(${place}))`,
        list: terms => JSON.stringify(terms),
      });
      return shown(db.prepare(text).all(...(parameters as string[])) as Row[]);
    },
    assign: (msgKey, account) => db.write(() => assign.run(account, msgKey).changes === 1),
    erase: (from, account) =>
      db.write(() => {
        const terms = JSON.stringify(records.senderTerms(from));
        if (account === undefined) eraseParts.run(terms);
        eraseAttempts.run(terms, account ?? null);
        return Number(eraseOne.run(terms, account ?? null).changes);
      }),
    sweep: cutoffs =>
      db.write(() => {
        const changed = [
          sweeps.unfetched.run(timePrefix(cutoffs.unfetchedBefore), CHUNK),
          sweeps.texts.run(timePrefix(cutoffs.textsBefore), CHUNK),
          sweeps.said.run(timePrefix(cutoffs.unconfirmedBefore), CHUNK),
          sweeps.messages.run(timePrefix(cutoffs.before), CHUNK),
          oldParts.run(cutoffs.unconfirmedBefore, CHUNK),
        ];
        oldBatches.run(cutoffs.before);
        return changed.some(({ changes }) => Number(changes) === CHUNK);
      }),
  };
}
