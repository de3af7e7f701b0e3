/** Finds and erases what is kept of a recipient, while nodes run: one message in each transaction. */
import type { MsgKey } from '../../domain/ids.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import {
  answerWithoutNumber,
  channelsOnly,
  type ErasableMessage,
  endedSinceOf,
  erasableOf,
  erasureOf,
  isShared,
  parkedPageOf,
  referenceOf,
  telltaleNames,
  telltaleTerms,
  UNDER_WAY,
} from '../erasing.ts';
import { type Erased, NOTHING_ERASED, type PrivacyStore, sumOfErased } from '../port/privacy-store.ts';
import type { Records } from '../records/records.ts';
import { setAsideOf } from '../records/set-aside-columns.ts';
import { deliveryViewOf } from '../records/webhook-columns.ts';
import { FOLLOWERS } from '../reservations.ts';
import type { Database, Queryable, Row } from './database.ts';
import { noteScrub, postgresErasureRest } from './erasure-rest.ts';
import { REQUEST_OF_MESSAGE } from './messages.ts';

/** References have no index by message: it would cost every submit a write. Those of a day are read as a whole. */
const PATIENCE = { withinMs: 10 * 60_000 };

const MESSAGE = `
  SELECT message.msg_key, message.account, message.recipient, message.finished_at,
         message.ref AS own_ref, request.ref, request.group_key, request.flow, request.accepted_at, request.text_removed_at,
         message.tableoid::regclass::text AS partition,
         EXISTS (SELECT FROM job WHERE job.msg_key = message.msg_key) AS is_live
    FROM message ${REQUEST_OF_MESSAGE}
   WHERE message.msg_key = $1`;
const IN_REQUEST = "msg_key >= $1 AND msg_key < $1 || 'zzzz'";
const SIBLINGS = `SELECT msg_key, account, recipient FROM message WHERE ${IN_REQUEST} ORDER BY msg_key`;
/**
 * Two that erase recipients of one request take turns, or both would leave the text to the other. Not by the messages, because
 * those still on their way must be settled meanwhile.
 */
const LOCK_REQUEST = 'SELECT FROM request WHERE request_id = substr($1, 1, 29) FOR UPDATE';
const ANSWERS = 'SELECT * FROM idempotency WHERE created_at = $1 AND account = $2';
/** Nothing, or the row: only while the message is not indexed, and then nobody else indexes it meanwhile. */
const HOLD_INDEX = `
  SELECT msg_key FROM index_position
   WHERE msg_key < $1
      OR EXISTS (SELECT FROM late_request WHERE follower = '${FOLLOWERS.index}' AND request_id = substr($1, 1, 29))
   FOR UPDATE`;
const ERASE_MESSAGE = `UPDATE message SET recipient = '${ERASED_RECIPIENT}', words = NULL WHERE msg_key = $1`;
const ERASE_NAME = [
  'UPDATE request SET ref = NULL WHERE request_id = $1 AND ref = $2',
  'UPDATE request SET group_key = NULL WHERE request_id = $1 AND group_key = $2',
  `UPDATE message SET ref = NULL WHERE ${IN_REQUEST} AND ref = $2`,
  `UPDATE report SET ref = NULL WHERE ${IN_REQUEST} AND ref = $2`,
  `UPDATE report SET group_key = NULL WHERE ${IN_REQUEST} AND group_key = $2`,
];
const ERASE_TEXT = 'UPDATE request SET flow = :flow, text_removed_at = :now WHERE request_id = :requestId';
const DELETE_TERMS = `
  DELETE FROM message_index
   WHERE term = ANY (:terms::text[]) AND msg_key = ANY (:keys::text[]) AND msg_key BETWEEN :first AND :last`;
const REPLACE_ANSWER = 'UPDATE idempotency SET response = :response WHERE account = :account AND key = :key';

const ENDED_SINCE = `
  SELECT erasure, msg_key, images FROM erasure_open JOIN erasure ON erasure.id = erasure_open.erasure
   WHERE msg_key <> '${UNDER_WAY}' AND (erasure, msg_key) > (:order, :msgKey)
     AND NOT EXISTS (SELECT FROM job WHERE job.msg_key = erasure_open.msg_key)
   ORDER BY erasure, msg_key LIMIT :limit`;
const END_ORDERS = `
  UPDATE erasure SET ended_at = $1 WHERE ended_at IS NULL
     AND NOT EXISTS (SELECT FROM erasure_open WHERE erasure = id)
     AND NOT EXISTS (SELECT FROM erasure_rest WHERE erasure = id)`;
const FORGET_ENDED =
  'DELETE FROM erasure_open WHERE erasure IN (SELECT id FROM erasure WHERE ended_at IS NOT NULL)';
const SWEEP = `
  DELETE FROM erasure WHERE ordered_at < $1
     AND (ended_at IS NOT NULL OR EXISTS (SELECT FROM erasure_open WHERE erasure = id AND msg_key = '${UNDER_WAY}'))`;
const SWEEP_PARTS = ['erasure_open', 'erasure_rest'].map(
  table => `DELETE FROM ${table} WHERE NOT EXISTS (SELECT FROM erasure WHERE id = ${table}.erasure)`,
);
const ORDERS = `
  SELECT erasure.*, (SELECT count(*) FROM erasure_rest WHERE erasure = id) AS rest,
         (SELECT count(*) FROM erasure_open WHERE erasure = id AND msg_key <> '${UNDER_WAY}') AS open,
         (SELECT count(*) FROM erasure_open WHERE erasure = id AND msg_key = '${UNDER_WAY}') AS under_way
    FROM erasure ORDER BY ordered_at DESC, id LIMIT $1`;

export function postgresPrivacy(db: Database, records: Records): PrivacyStore {
  async function eraseOne(
    order: string,
    msgKey: MsgKey,
    now: number,
    writings: readonly string[] | undefined,
  ): Promise<Erased> {
    return db.transaction(async tx => {
      await tx.query(LOCK_REQUEST, [msgKey]);
      const [row] = await tx.query(MESSAGE, [msgKey]);
      if (row?.is_live === true) {
        await leave(tx, order, msgKey);
        return { ...NOTHING_ERASED, open: 1 };
      }
      const erased = row
        ? await eraseEnded(tx, records, erasableOf(row, records, writings), now)
        : NOTHING_ERASED;
      if (row) await noteScrub(tx, order, ['', String(row.partition).replace(/^.*message_/, '')]);
      await tx.query('UPDATE erasure SET messages = messages + $1 WHERE id = $2', [erased.messages, order]);
      await tx.query('DELETE FROM erasure_open WHERE erasure = $1 AND msg_key = $2', [order, msgKey]);
      return erased;
    }, PATIENCE);
  }

  return {
    async traces(msgKey) {
      const [row] = await db.query(MESSAGE, [msgKey]);
      if (!row) return { references: [], deliveries: [], answers: [] };
      const { acceptedAt, account, requestId } = erasableOf(row, records);
      const references = await db.transaction(
        tx => tx.query('SELECT * FROM carrier_ref WHERE msg_key = $1 ORDER BY created_at, part', [msgKey]),
        PATIENCE,
      );
      const deliveries = await db.query('SELECT * FROM webhook_delivery WHERE msg_key = $1 ORDER BY step', [
        msgKey,
      ]);
      const stored = await db.query(ANSWERS, [acceptedAt, account]);
      const answers = records.unreadable.each('idempotency', stored, answer => ({
        key: String(answer.key),
        response: records.idempotency.response.read(answer.response, answer),
        createdAt: Number(answer.created_at),
      }));
      return {
        references: references.map(referenceOf),
        deliveries: deliveries.map(delivery => deliveryViewOf(delivery, records)),
        answers: answers.filter(({ response }) => response.includes(requestId)),
      };
    },
    async parked(after, limit) {
      const rows = await db.query('SELECT * FROM parked_receipt WHERE id > $1 ORDER BY id LIMIT $2', [
        after,
        limit,
      ]);
      return parkedPageOf(rows, limit, records);
    },
    async unpark(ids) {
      await db.query('DELETE FROM parked_receipt WHERE id = ANY ($1::bigint[])', [ids]);
    },
    async setAside(after, limit) {
      await records.unreadable.kept();
      const rows = await db.query('SELECT * FROM set_aside WHERE id > $1 ORDER BY id LIMIT $2', [
        after,
        limit,
      ]);
      return rows.map(row => ({ id: Number(row.id), ...setAsideOf(row, records) }));
    },
    async replaceSetAside(id, event) {
      const sealed = records.setAsideEvent.write(event, { id });
      await db.query('UPDATE set_aside SET event = $1 WHERE id = $2', [sealed, id]);
    },
    order: ({ id, orderedAt, account = null, recipient, withImages }) =>
      db.transaction(async tx => {
        await tx.query(
          `INSERT INTO erasure (id, ordered_at, account, recipient, images, messages)
           VALUES (:id, :orderedAt, :account, :recipient, :images, 0)`,
          { id, orderedAt, account, recipient, images: Number(withImages) },
        );
        await leave(tx, id, UNDER_WAY);
      }),
    async erase(order, keys, now, writings) {
      let erased = NOTHING_ERASED;
      for (const key of keys) {
        // A node of an earlier version may lock a message and its request the other way round.
        erased = sumOfErased(erased, await db.retrying(() => eraseOne(order, key, now, writings)));
      }
      return erased;
    },
    lookedThrough: order =>
      db.transaction(async tx => {
        await tx.query('DELETE FROM erasure_open WHERE erasure = $1 AND msg_key = $2', [order, UNDER_WAY]);
        await noteScrub(tx, order, ['']);
      }),
    async endedSince(after, limit) {
      const rows = await db.query(ENDED_SINCE, {
        order: after?.order ?? '',
        msgKey: after?.msgKey ?? '',
        limit,
      });
      return rows.map(endedSinceOf);
    },
    endOrders: now =>
      db.transaction(async tx => {
        await tx.query(END_ORDERS, [now]);
        await tx.query(FORGET_ENDED);
      }),
    async sweep(orderedBefore) {
      await db.query(SWEEP, [orderedBefore]);
      for (const statement of SWEEP_PARTS) await db.query(statement);
    },
    async orders(limit) {
      return (await db.query(ORDERS, [limit])).map(erasureOf);
    },
    ...postgresErasureRest(db, records),
  };
}

async function leave(tx: Queryable, order: string, msgKey: string): Promise<void> {
  await tx.query('INSERT INTO erasure_open (erasure, msg_key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    order,
    msgKey,
  ]);
}

async function eraseEnded(
  tx: Queryable,
  records: Records,
  message: ErasableMessage,
  now: number,
): Promise<Erased> {
  const { msgKey, requestId, account } = message;
  if (message.to === ERASED_RECIPIENT) return NOTHING_ERASED;
  // A node that has read the number may be about to index it.
  await tx.query(HOLD_INDEX, [msgKey]);
  const siblings: readonly Row[] = await tx.query(SIBLINGS, [requestId]);
  const shared = isShared(message, siblings, records);
  const losesText = !shared && message.hasText;
  await tx.query(ERASE_MESSAGE, [msgKey]);
  await tx.query("UPDATE webhook_delivery SET recent = '[]' WHERE msg_key = $1", [msgKey]);
  if (losesText) await tx.query(ERASE_TEXT, { flow: channelsOnly(message, records), now, requestId });
  const keys = siblings.map(row => String(row.msg_key));
  await tx.query(DELETE_TERMS, {
    terms: telltaleTerms(message, records),
    keys,
    first: keys.at(0) ?? msgKey,
    last: keys.at(-1) ?? msgKey,
  });
  const names = telltaleNames(message);
  for (const name of names) {
    for (const erase of ERASE_NAME) await tx.query(erase, [requestId, name]);
  }
  const references = await tx.query(`UPDATE carrier_ref SET recipient = '' WHERE msg_key = $1`, [msgKey]);
  return {
    messages: 1,
    texts: losesText ? 1 : 0,
    sharedTexts: shared && message.hasText ? 1 : 0,
    refs: names.length > 0 ? 1 : 0,
    references: references.count,
    answers: await eraseAnswers(tx, records, message, account),
    open: 0,
  };
}

async function eraseAnswers(
  tx: Queryable,
  records: Records,
  message: ErasableMessage,
  account: string,
): Promise<number> {
  const { response: column } = records.idempotency;
  let answers = 0;
  for (const row of await tx.query(ANSWERS, [message.acceptedAt, account])) {
    const replaced = answerWithoutNumber(row, message, records);
    if (replaced === undefined) continue;
    await tx.query(REPLACE_ANSWER, { response: column.write(replaced, row), account, key: String(row.key) });
    answers++;
  }
  return answers;
}
