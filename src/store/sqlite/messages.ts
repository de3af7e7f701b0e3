import { firstLine } from '../history.ts';
import { BULK, READY, SINGLE } from '../phase.ts';
import type { AcceptResult, MessageStore, NewRequest } from '../port/message-store.ts';
import { messageViewOf } from '../rows.ts';
import { formatWords } from '../words.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import { sqliteWithdraw } from './withdraw.ts';

export const MESSAGE_VIEW = `
  SELECT message.msg_key, message.account, message.recipient, message.words, request.ref, request.payment, request.flow, request.accepted_at,
         coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
         coalesce(job.attempt, 0) AS attempt, message.history
    FROM message
    JOIN request ON request.request_id = substr(message.msg_key, 1, 29)
    LEFT JOIN job ON job.msg_key = message.msg_key`;

export function sqliteMessages(db: Database, counts: JobCounts): MessageStore {
  const insertRequest = db.prepare(
    'INSERT INTO request (request_id, account, accepted_at, ref, payment, flow, tells_late) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertMessage = db.prepare(
    'INSERT INTO message (msg_key, account, recipient, words, history) VALUES (?, ?, ?, ?, ?)',
  );
  const insertJob = db.prepare(
    `INSERT INTO job (msg_key, account, carrier, phase, due_at, state, step, attempt, deadline_at, rank)
     VALUES (?, ?, ?, ${READY}, ?, 'queued', 0, 0, ?, ?)`,
  );
  const selectKey = db.prepare('SELECT body_hash, response FROM idempotency WHERE account = ? AND key = ?');
  const insertKey = db.prepare(
    'INSERT INTO idempotency (account, key, body_hash, response, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const select = db.prepare(`${MESSAGE_VIEW} WHERE message.msg_key = ?`);

  function accept(request: NewRequest): AcceptResult {
    const { requestId, account, acceptedAt, ref, flow, messages, deadlineAt, idempotency } = request;
    if (idempotency) {
      const earlier = selectKey.get(account, idempotency.key) as Row | undefined;
      if (earlier?.body_hash === idempotency.bodyHash) {
        return { kind: 'replayed', response: String(earlier.response) };
      }
      if (earlier) return { kind: 'conflict' };
      insertKey.run(account, idempotency.key, idempotency.bodyHash, idempotency.response, acceptedAt);
    }
    const payment = request.paymentCode ?? null;
    const tellsLate = request.tellsLate ? 1 : 0;
    insertRequest.run(requestId, account, acceptedAt, ref ?? null, payment, JSON.stringify(flow), tellsLate);
    counts.move(messages.length, undefined, READY);
    const rank = request.isBulk ? BULK : SINGLE;
    for (const { msgKey, to, words, route } of messages) {
      insertMessage.run(msgKey, account, to, formatWords(words), firstLine(route, acceptedAt));
      insertJob.run(msgKey, account, route.carrier, acceptedAt, deadlineAt, rank);
    }
    return { kind: 'stored' };
  }

  const selectRequest = db.prepare('SELECT 1 FROM request WHERE request_id = ?');
  const withdraw = sqliteWithdraw(db, counts);

  return {
    accept: request => db.write(() => accept(request)),
    async isStored(requestId) {
      return selectRequest.get(requestId) !== undefined;
    },
    withdraw: requestId => db.write(() => withdraw(requestId)),
    async find(msgKey, account) {
      const row = select.get(msgKey) as Row | undefined;
      if (!row || (account !== undefined && row.account !== account)) return undefined;
      return messageViewOf(row);
    },
  };
}
