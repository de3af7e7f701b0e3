/** Finds and erases what is kept of a recipient, beside a running server: one message in each transaction. */
import type { MsgKey } from '../../domain/ids.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import {
  answerWithoutNumber,
  channelsOnly,
  type ErasableMessage,
  endedSinceOf,
  erasableOf,
  erasureOf,
  isShared,
  parkedPageOf,
  REFERENCE_GRACE_MS,
  referenceOf,
  telltaleNames,
  telltaleTerms,
  UNDER_WAY,
} from '../erasing.ts';
import { type Erased, NOTHING_ERASED, type PrivacyStore, sumOfErased } from '../port/privacy-store.ts';
import type { Records } from '../records/records.ts';
import { setAsideOf } from '../records/set-aside-columns.ts';
import { deliveryViewOf } from '../records/webhook-columns.ts';
import type { Database, Row } from './database.ts';
import { scrubNoter, sqliteErasureRest } from './erasure-rest.ts';
import { createReferenceSpan } from './reference-span.ts';

/** References are looked through in stretches of so many ids. */
const STRETCH = 20_000;
const IN_REQUEST = "msg_key >= ?1 AND msg_key < ?1 || 'zzzz'";

export function sqlitePrivacy(db: Database, records: Records): PrivacyStore {
  const referencesOf = referenceFinder(db);
  const eraseEnded = eraser(db, records);
  const selectMessage = db.prepare(
    `SELECT message.msg_key, message.account, recipient, finished_at,
            message.ref AS own_ref, request.ref, group_key, flow, accepted_at, text_removed_at
       FROM message JOIN request ON request_id = substr(msg_key, 1, 29) WHERE msg_key = ?`,
  );
  const selectDeliveries = db.prepare('SELECT * FROM webhook_delivery WHERE msg_key = ? ORDER BY step');
  const selectAnswers = db.prepare('SELECT * FROM idempotency WHERE created_at = ? AND account = ?');
  const selectParked = db.prepare('SELECT * FROM parked_receipt WHERE id > ? ORDER BY id LIMIT ?');
  const unpark = db.prepare('DELETE FROM parked_receipt WHERE id = ?');
  const selectSetAside = db.prepare('SELECT * FROM set_aside WHERE id > ? ORDER BY id LIMIT ?');
  const replaceSetAside = db.prepare('UPDATE set_aside SET event = ? WHERE id = ?');
  const insertOrder = db.prepare(
    'INSERT INTO erasure (id, ordered_at, account, recipient, images, messages) VALUES (?, ?, ?, ?, ?, 0)',
  );
  const leave = db.prepare('INSERT OR IGNORE INTO erasure_open (erasure, msg_key) VALUES (?, ?)');
  const done = db.prepare('DELETE FROM erasure_open WHERE erasure = ? AND msg_key = ?');
  const count = db.prepare('UPDATE erasure SET messages = messages + ? WHERE id = ?');
  const isLive = db.prepare('SELECT 1 FROM job WHERE msg_key = ?');
  const selectEnded = db.prepare(
    `SELECT erasure, msg_key, images FROM erasure_open JOIN erasure ON id = erasure
      WHERE msg_key <> '${UNDER_WAY}' AND (erasure, msg_key) > (?, ?)
        AND NOT EXISTS (SELECT 1 FROM job WHERE job.msg_key = erasure_open.msg_key)
      ORDER BY erasure, msg_key LIMIT ?`,
  );
  const end = db.prepare(
    `UPDATE erasure SET ended_at = ? WHERE ended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM erasure_open WHERE erasure = id)
        AND NOT EXISTS (SELECT 1 FROM erasure_rest WHERE erasure = id)`,
  );
  const forgetEnded = db.prepare(
    'DELETE FROM erasure_open WHERE erasure IN (SELECT id FROM erasure WHERE ended_at IS NOT NULL)',
  );
  const sweep = db.prepare(
    `DELETE FROM erasure WHERE ordered_at < ?
        AND (ended_at IS NOT NULL OR EXISTS (SELECT 1 FROM erasure_open WHERE erasure = id AND msg_key = '${UNDER_WAY}'))`,
  );
  const sweepParts = ['erasure_open', 'erasure_rest'].map(table =>
    db.prepare(`DELETE FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE id = ${table}.erasure)`),
  );
  const noteScrub = scrubNoter(db);
  const selectOrders = db.prepare(
    `SELECT erasure.*, (SELECT count(*) FROM erasure_rest WHERE erasure = id) AS rest,
            (SELECT count(*) FROM erasure_open WHERE erasure = id AND msg_key <> '${UNDER_WAY}') AS open,
            (SELECT count(*) FROM erasure_open WHERE erasure = id AND msg_key = '${UNDER_WAY}') AS under_way
       FROM erasure ORDER BY ordered_at DESC, id LIMIT ?`,
  );

  /** Undefined if it does not exist any more, or has not ended. */
  function endedMessage(msgKey: MsgKey, writings?: readonly string[]): ErasableMessage | undefined {
    if (isLive.get(msgKey)) return undefined;
    const row = selectMessage.get(msgKey) as Row | undefined;
    return row && erasableOf(row, records, writings);
  }

  async function eraseOne(
    order: string,
    msgKey: MsgKey,
    now: number,
    writings: readonly string[] | undefined,
  ): Promise<Erased> {
    const message = endedMessage(msgKey, writings);
    // It has ended for good, so what is found of it now is all there is.
    const references = message ? await referencesOf(message) : [];
    return db.write(() => {
      if (!message && isLive.get(msgKey)) {
        leave.run(order, msgKey);
        return { ...NOTHING_ERASED, open: 1 };
      }
      const erased = message ? eraseEnded(message, references, now) : NOTHING_ERASED;
      if (message) noteScrub(order);
      count.run(erased.messages, order);
      done.run(order, msgKey);
      return erased;
    });
  }

  return {
    async traces(msgKey) {
      const row = selectMessage.get(msgKey) as Row | undefined;
      if (!row) return { references: [], deliveries: [], answers: [] };
      const message = erasableOf(row, records);
      const finishedAt = row.finished_at === null ? Number.MAX_SAFE_INTEGER : message.finishedAt;
      const deliveries = selectDeliveries.all(msgKey) as Row[];
      const stored = selectAnswers.all(message.acceptedAt, message.account) as Row[];
      const answers = records.unreadable.each('idempotency', stored, answer => ({
        key: String(answer.key),
        response: records.idempotency.response.read(answer.response, answer),
        createdAt: Number(answer.created_at),
      }));
      return {
        references: (await referencesOf({ ...message, finishedAt })).map(referenceOf),
        deliveries: deliveries.map(delivery => deliveryViewOf(delivery, records)),
        answers: answers.filter(({ response }) => response.includes(message.requestId)),
      };
    },
    async parked(after, limit) {
      const rows = selectParked.all(after, limit) as Row[];
      return parkedPageOf(rows, limit, records);
    },
    async unpark(ids) {
      await db.write(() => {
        for (const id of ids) unpark.run(id);
      });
    },
    async setAside(after, limit) {
      await records.unreadable.kept();
      const rows = selectSetAside.all(after, limit) as Row[];
      return rows.map(row => ({ id: Number(row.id), ...setAsideOf(row, records) }));
    },
    async replaceSetAside(id, event) {
      await db.write(() => replaceSetAside.run(records.setAsideEvent.write(event, { id }), id));
    },
    async order({ id, orderedAt, account, recipient, withImages }) {
      await db.write(() => {
        insertOrder.run(id, orderedAt, account ?? null, recipient, Number(withImages));
        leave.run(id, UNDER_WAY);
      });
    },
    async erase(order, keys, now, writings) {
      let erased = NOTHING_ERASED;
      for (const key of keys) erased = sumOfErased(erased, await eraseOne(order, key, now, writings));
      return erased;
    },
    async lookedThrough(order) {
      await db.write(() => {
        done.run(order, UNDER_WAY);
        noteScrub(order);
      });
    },
    async endedSince(after, limit) {
      const rows = selectEnded.all(after?.order ?? '', after?.msgKey ?? '', limit) as Row[];
      return rows.map(endedSinceOf);
    },
    async endOrders(now) {
      await db.write(() => {
        end.run(now);
        forgetEnded.run();
      });
    },
    async sweep(orderedBefore) {
      await db.write(() => {
        sweep.run(orderedBefore);
        for (const statement of sweepParts) statement.run();
      });
    },
    async orders(limit) {
      return (selectOrders.all(limit) as Row[]).map(erasureOf);
    },
    ...sqliteErasureRest(db, records),
  };
}

/** Must be called inside a transaction, for a message that has ended. */
function eraser(db: Database, records: Records) {
  const eraseMessage = db.prepare(
    `UPDATE message SET recipient = '${ERASED_RECIPIENT}', words = NULL WHERE msg_key = ?`,
  );
  const siblings = db.prepare(`SELECT msg_key, account, recipient FROM message WHERE ${IN_REQUEST}`);
  const eraseText = db.prepare('UPDATE request SET flow = ?, text_removed_at = ? WHERE request_id = ?');
  const eraseName = [
    'UPDATE request SET ref = NULL WHERE request_id = ?1 AND ref = ?2',
    'UPDATE request SET group_key = NULL WHERE request_id = ?1 AND group_key = ?2',
    `UPDATE message SET ref = NULL WHERE ${IN_REQUEST} AND ref = ?2`,
    `UPDATE report SET ref = NULL WHERE ${IN_REQUEST} AND ref = ?2`,
    `UPDATE report SET group_key = NULL WHERE ${IN_REQUEST} AND group_key = ?2`,
  ].map(sql => db.prepare(sql));
  const eraseAttempts = db.prepare("UPDATE webhook_delivery SET recent = '[]' WHERE msg_key = ?");
  const deleteTerm = db.prepare('DELETE FROM message_index WHERE term = ? AND msg_key = ?');
  const eraseReference = db.prepare(`UPDATE carrier_ref SET recipient = '' WHERE id = ?`);
  const selectAnswers = db.prepare('SELECT * FROM idempotency WHERE created_at = ? AND account = ?');
  const replaceAnswer = db.prepare('UPDATE idempotency SET response = ? WHERE account = ? AND key = ?');
  const { response: responseColumn } = records.idempotency;

  return (message: ErasableMessage, references: readonly Row[], now: number): Erased => {
    const { msgKey, requestId, account } = message;
    if (message.to === ERASED_RECIPIENT) return NOTHING_ERASED;
    const rows = siblings.all(requestId) as Row[];
    const shared = isShared(message, rows, records);
    const losesText = !shared && message.hasText;
    eraseMessage.run(msgKey);
    eraseAttempts.run(msgKey);
    if (losesText) eraseText.run(channelsOnly(message, records), now, requestId);
    for (const term of telltaleTerms(message, records)) {
      for (const row of rows) deleteTerm.run(term, row.msg_key ?? null);
    }
    const names = telltaleNames(message);
    for (const name of names) for (const erase of eraseName) erase.run(requestId, name);
    for (const { id } of references) eraseReference.run(id ?? null);
    let answers = 0;
    for (const row of selectAnswers.all(message.acceptedAt, account) as Row[]) {
      const replaced = answerWithoutNumber(row, message, records);
      if (replaced === undefined) continue;
      replaceAnswer.run(responseColumn.write(replaced, row), account, row.key ?? null);
      answers++;
    }
    return {
      messages: 1,
      texts: losesText ? 1 : 0,
      sharedTexts: shared && message.hasText ? 1 : 0,
      refs: names.length > 0 ? 1 : 0,
      references: references.length,
      answers,
      open: 0,
    };
  };
}

function referenceFinder(db: Database): (message: ErasableMessage) => Promise<Row[]> {
  const select = db.prepare('SELECT * FROM carrier_ref WHERE id >= ? AND id < ? AND msg_key = ?');
  const spanOf = createReferenceSpan(db);

  return async ({ msgKey, acceptedAt, finishedAt }) => {
    const { from, end } = spanOf(acceptedAt - REFERENCE_GRACE_MS, finishedAt + REFERENCE_GRACE_MS);
    const found: Row[] = [];
    for (let start = from; start < end; start += STRETCH) {
      found.push(...(select.all(start, Math.min(end, start + STRETCH), msgKey) as Row[]));
      await nextTurn();
    }
    return found;
  };
}
