import { routedAt } from '../../domain/delivery/settlement.ts';
import { firstStepOf } from '../first-step.ts';
import { BULK, SINGLE } from '../phase.ts';
import type { AcceptResult, MessageStore, NewRequest } from '../port/message-store.ts';
import {
  NEW_JOB_COLUMNS,
  NEW_JOB_CONSTANTS,
  newTurn,
  QUEUED_JOB_COLUMNS,
  QUEUED_JOB_CONSTANTS,
} from '../records/job-columns.ts';
import { MESSAGE_VIEW } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';
import { inserter, listInserter } from './inserter.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';
import { sqliteWithdraw } from './withdraw.ts';

export const SELECT_VIEW = `
  SELECT ${MESSAGE_VIEW}
    FROM message
    JOIN request ON request.request_id = substr(message.msg_key, 1, 29)
    LEFT JOIN job ON job.msg_key = message.msg_key`;

export function sqliteMessages(
  db: Database,
  records: Records,
  steps: LiveSteps,
  counts: JobCounts,
): MessageStore & { acceptInTransaction(request: NewRequest): AcceptResult } {
  const insertRequest = inserter(db, 'request', records.request);
  const insertMessages = listInserter(db, 'message', records.message);
  const insertQueuedJobs = listInserter(db, 'job', QUEUED_JOB_COLUMNS, QUEUED_JOB_CONSTANTS);
  const insertClaimedJobs = listInserter(db, 'job', NEW_JOB_COLUMNS, NEW_JOB_CONSTANTS);
  const selectKey = db.prepare('SELECT body_hash, response FROM idempotency WHERE account = ? AND key = ?');
  const insertKey = inserter(db, 'idempotency', records.idempotency);
  const select = db.prepare(`${SELECT_VIEW} WHERE message.msg_key = ?`);

  function accept(request: NewRequest): AcceptResult {
    const { account, acceptedAt, messages, deadlineAt, idempotency } = request;
    if (idempotency) {
      const earlier = selectKey.get(account, idempotency.key) as Row | undefined;
      if (earlier) {
        return records.idempotency.bodyHash.read(earlier.body_hash) === idempotency.bodyHash
          ? { kind: 'replayed', response: records.idempotency.response.read(earlier.response) }
          : { kind: 'conflict' };
      }
      insertKey({ account, ...idempotency, createdAt: acceptedAt });
    }
    const lengthOfRequest = insertRequest(request);
    const turn = newTurn(request);
    counts.move(messages.length, undefined, turn.phase);
    const rank = request.isBulk ? BULK : SINGLE;
    const lengths = insertMessages(
      messages.map(({ msgKey, to, words, ref, route }) => {
        const history = [routedAt(0, route, acceptedAt)];
        return { msgKey, account, to, words, ref, history };
      }),
    );
    const jobs = messages.map(({ msgKey, route }) => {
      const { carrier } = route;
      return { msgKey, account, carrier, deadlineAt, dueAt: acceptedAt, rank, ...turn };
    });
    if (request.claim) insertClaimedJobs(jobs);
    else insertQueuedJobs(jobs);
    for (const [index, message] of messages.entries()) {
      const step = firstStepOf(request, message);
      if (request.claim) steps.keep(step);
      else steps.accepted(step, lengthOfRequest + (lengths[index] ?? 0));
    }
    return { kind: 'stored' };
  }

  const selectRequest = db.prepare('SELECT 1 FROM request WHERE request_id = ?');
  const withdraw = sqliteWithdraw(db, records, steps, counts);

  return {
    acceptInTransaction: accept,
    accept: request => db.writeFirst(() => accept(request)),
    async isStored(requestId) {
      return selectRequest.get(requestId) !== undefined;
    },
    withdraw: requestId => db.write(() => withdraw(requestId)),
    async find(msgKey, account) {
      const row = select.get(msgKey) as Row | undefined;
      if (!row || (account !== undefined && row.account !== account)) return undefined;
      return records.messageViewOf(row);
    },
  };
}
