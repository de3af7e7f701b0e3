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
import type { InboundQuery, InboundStore, NewInbound, NewInboundPart } from '../port/inbound-store.ts';
import { isPushed } from '../pushed.ts';
import { givenTo, inboundFieldsOf, wordsOf } from '../records/inbound-columns.ts';
import type { Records } from '../records/records.ts';
import { inStretches, STRETCH } from '../stretches.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import type { Statement } from './statement.ts';

/** Rows a sweep changes at a time. */
const CHUNK = 500;

const LAST_KEY = '~';

const SQLITE: Parameters<typeof inboundListQuery>[2] = {
  position: position => `?${position}`,
  terms: place => `sender_term IN (SELECT value FROM json_each(${place}))`,
  list: terms => JSON.stringify(terms),
  accountOfSender: '+account',
};

export function sqliteInbound(db: Database, records: Records): InboundStore {
  const { inboundOf, inboundPartOf, unreadable } = records;
  const shown = (rows: readonly Row[]) => unreadable.each('inbound', rows, inboundOf);
  const insert = inserter(db, 'inbound', records.inbound);
  const insertPart = inserter(db, 'inbound_part', records.inboundPart, { joined: 0, confirmed: 0 });
  const lastId = db.prepare("SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'inbound_part'");
  const selectOwners = db.prepare(
    `SELECT account, kind, key, entry FROM registry WHERE kind = 'inboundNumber' AND key >= ? AND key < ?`,
  );
  const byId = db.prepare('SELECT msg_key FROM inbound WHERE carrier = ? AND carrier_id = ?');
  const bySaid = db.prepare('SELECT msg_key FROM inbound WHERE carrier = ? AND said = ?');
  const beside = db.prepare(
    `SELECT * FROM inbound_part
      WHERE carrier = ? AND recipient = ? AND reference = ? AND sender_term IN (SELECT value FROM json_each(?))
      ORDER BY id`,
  );
  const leave = db.prepare('UPDATE inbound_part SET reference = ? WHERE id = ?');
  const isOpen = db.prepare('SELECT 1 FROM inbound_part WHERE id = ? AND joined = 0');
  const joinPart = db.prepare('UPDATE inbound_part SET joined = 1 WHERE id = ?');
  const dropIfDone = db.prepare('DELETE FROM inbound_part WHERE id = ? AND joined = 1 AND confirmed = 1');
  const stale = db.prepare(
    `SELECT part.* FROM (
       SELECT carrier, recipient, reference, sender_term FROM inbound_part WHERE joined = 0
        GROUP BY carrier, recipient, reference, sender_term HAVING max(received_at) < ?
        ORDER BY min(id) LIMIT ? OFFSET ?
     ) AS message JOIN inbound_part AS part USING (carrier, recipient, reference, sender_term)
      WHERE part.joined = 0 ORDER BY part.id`,
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
  const selectUnmatched = db.prepare('SELECT * FROM inbound WHERE msg_key = ? AND account IS NULL');
  const assign = db.prepare(
    'UPDATE inbound SET account = ?, sender = ?, content = ?, waiting = 1 WHERE msg_key = ?',
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
  const stretchEnd = (beyond: '>' | '<', condition: string) =>
    db.prepare(
      `SELECT msg_key FROM inbound WHERE msg_key ${beyond} ?1 AND ${condition}
        ORDER BY msg_key ${beyond === '>' ? 'ASC' : 'DESC'} LIMIT 1 OFFSET ${STRETCH - 1}`,
    );
  const stretchEnds = {
    oldest: { all: stretchEnd('>', 'true'), of: stretchEnd('>', 'account IS ?2') },
    newest: { all: stretchEnd('<', 'true'), of: stretchEnd('<', 'account IS ?2') },
  };
  const some = (what: string, index = '') =>
    `msg_key IN (SELECT msg_key FROM inbound ${index} WHERE ${what} ORDER BY msg_key LIMIT ?2)`;
  // Each has an index of its own, so that it does not read every older message each minute.
  const unfetched = db.prepare(
    `UPDATE inbound SET waiting = 0
      WHERE ${some('waiting = 1 AND batch IS NULL AND msg_key < ?1', 'INDEXED BY inbound_unfetched')}`,
  );
  const texts = db.prepare(
    `UPDATE inbound SET content = NULL, said = NULL
      WHERE ${some(`msg_key < ?1 AND content IS NOT NULL AND NOT ${isPushed('inbound.msg_key')}`, 'INDEXED BY inbound_texts')}`,
  );
  const words = db.prepare(
    `UPDATE inbound SET said = NULL
      WHERE ${some('said IS NOT NULL AND msg_key < ?1', 'INDEXED BY inbound_said')}`,
  );
  const oldMessages = db.prepare(
    `DELETE FROM inbound WHERE ${some(`msg_key < ?1 AND NOT ${isPushed('inbound.msg_key')}`)}`,
  );
  const oldBatches = db.prepare(
    'DELETE FROM inbound_batch WHERE account IN (SELECT account FROM inbound_batch WHERE created_at < ? LIMIT ?)',
  );
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

  function listed(query: InboundQuery, last: string | undefined): Row[] {
    const { text, parameters } = inboundListQuery(query, records, SQLITE, last);
    return db.prepare(text).all(...(parameters as string[])) as Row[];
  }

  function endOfStretch({ account, order }: InboundQuery, start: string): string | undefined {
    const { all, of } = stretchEnds[order];
    const end = account === undefined ? all.get(start) : of.get(start, account);
    return (end as { readonly msg_key: string } | undefined)?.msg_key;
  }

  return {
    async owners(numbers) {
      const rows = numbers.flatMap(number => selectOwners.all(`${number}/`, `${number}0`) as Row[]);
      return unreadable.each('registry', rows, row => ({
        account: row.account as AccountId,
        entry: records.registryEntry.read(row.entry, row) as InboundNumber,
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
        const id = Number((lastId.get() as Row).id) + 1;
        insertPart({ ...part, id, term: part.from });
        return { id, complete: completeParts([...others, { ...part, id }]) };
      }),
    join: (parts, message) =>
      db.write(() => {
        if (parts.some(id => isOpen.get(id) === undefined)) return false;
        for (const id of parts) {
          joinPart.run(id);
          dropIfDone.run(id);
        }
        insert(inboundFieldsOf(message));
        return true;
      }),
    async staleParts(receivedBefore, limit, skip) {
      const leave: Row[] = [];
      const rows = stale.all(receivedBefore, limit, skip) as Row[];
      const parts = unreadable.each('inbound_part', rows, inboundPartOf, row => leave.push(row));
      // The message is stored without them; the sweep deletes them.
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
      for (;;) {
        const held = openBatch.get(account) as Row | undefined;
        const batchId = held ? String(held.batch_id) : await db.write(createIfAny);
        if (batchId === undefined) return undefined;
        const aside: Row[] = [];
        const rows = selectBatch.all(account, batchId) as Row[];
        const messages = unreadable.each('inbound', rows, inboundOf, row => aside.push(row));
        if (aside.length > 0 || messages.length === 0)
          await db.write(() => {
            for (const { msg_key } of aside) leaveAside.run(msg_key ?? null, account, batchId);
            // Nobody could acknowledge it: it would never be handed out.
            if (messages.length === 0) closeBatch.run(account, batchId);
          });
        if (messages.length > 0) return { batchId, messages };
      }

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
      // Of one sender there are few; the number that was written to may be that of one in a million.
      const mayLeaveLittle = query.to !== undefined && query.from === undefined;
      const rows = await inStretches(
        query.limit,
        query.after ?? (query.order === 'oldest' ? timePrefix(Math.max(0, query.since)) : LAST_KEY),
        start => (mayLeaveLittle ? endOfStretch(query, start) : undefined),
        (after, last, limit) => listed({ ...query, after: after as MsgKey, limit }, last),
      );
      return shown(rows);
    },
    assign: (msgKey, account) =>
      db.write(() => {
        const row = selectUnmatched.get(msgKey) as Row | undefined;
        if (!row) return false;
        const { sender, content } = givenTo(account, row, records.inbound);
        assign.run(account, sender, content, msgKey);
        return true;
      }),
    erase: (from, account) =>
      db.write(() => {
        const terms = JSON.stringify(records.senderTerms(from));
        if (account === undefined) eraseParts.run(terms);
        eraseAttempts.run(terms, account ?? null);
        return Number(eraseOne.run(terms, account ?? null).changes);
      }),
    sweeps(cutoffs) {
      const part = (statement: Statement, before: number | string) => () =>
        db.write(() => Number(statement.run(before, CHUNK).changes) === CHUNK);
      return {
        unfetched: part(unfetched, timePrefix(cutoffs.unfetchedBefore)),
        texts: part(texts, timePrefix(cutoffs.textsBefore)),
        words: part(words, timePrefix(cutoffs.unconfirmedBefore)),
        messages: part(oldMessages, timePrefix(cutoffs.before)),
        parts: part(oldParts, cutoffs.unconfirmedBefore),
        batches: part(oldBatches, cutoffs.before),
      };
    },
  };
}
