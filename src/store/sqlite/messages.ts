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
import type { Tables } from '../tables/tables.ts';
import { withdrawal } from '../tables/withdraw.ts';
import type { Database, Row } from './database.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { listInserter } from './inserter.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';

export function sqliteMessages(
  db: Database,
  tables: Tables,
  records: Records,
  steps: LiveSteps,
  counts: JobCounts,
): MessageStore & { acceptInTransaction(request: NewRequest): AcceptResult } {
  const insertRequests = listInserter(db, 'request', records.request);
  const insertMessages = listInserter(db, 'message', records.message);
  const insertQueuedJobs = listInserter(db, 'job', QUEUED_JOB_COLUMNS, QUEUED_JOB_CONSTANTS);
  const insertClaimedJobs = listInserter(db, 'job', NEW_JOB_COLUMNS, NEW_JOB_CONSTANTS);
  const keys = sqliteIdempotency(db, records);
  const select = db.prepare(
    `SELECT ${MESSAGE_VIEW}
       FROM message
       JOIN request ON request.request_id = substr(message.msg_key, 1, 29)
       LEFT JOIN job ON job.msg_key = message.msg_key
      WHERE message.msg_key = ?`,
  );

  /** Sends of a transaction whose rows are not written yet: those of many take a third less time than one by one. */
  let unwritten: NewRequest[] = [];
  db.afterFirst(writeAll);
  db.onRollback(() => {
    unwritten = [];
  });

  function accept(request: NewRequest): AcceptResult {
    const { account, acceptedAt, idempotency } = request;
    if (idempotency) {
      const earlier = keys.repeated(account, idempotency);
      if (earlier) return earlier;
      keys.add(account, idempotency, acceptedAt);
    }
    unwritten.push(request);
    return { kind: 'stored' };
  }

  function writeAll(): void {
    if (unwritten.length === 0) return;
    write(unwritten);
    unwritten = [];
  }

  function write(requests: readonly NewRequest[]): void {
    const lengthsOfRequests = insertRequests(requests);
    const lengths = insertMessages(
      requests.flatMap(({ account, acceptedAt, messages }) =>
        messages.map(({ msgKey, to, words, ref, route }) => {
          const history = [routedAt(0, route, acceptedAt)];
          return { msgKey, account, to, words, ref, history };
        }),
      ),
    );
    insertQueuedJobs(requests.filter(({ claim }) => !claim).flatMap(jobsOf));
    insertClaimedJobs(requests.filter(({ claim }) => claim).flatMap(jobsOf));
    let written = 0;
    for (const [index, request] of requests.entries()) {
      counts.move(request.messages.length, undefined, newTurn(request).phase);
      for (const message of request.messages) {
        const step = firstStepOf(request, message);
        const length = (lengthsOfRequests[index] ?? 0) + (lengths[written++] ?? 0);
        if (request.claim) steps.keep(step);
        else steps.accepted(step, length);
      }
    }
  }

  const selectRequest = db.prepare('SELECT 1 FROM request WHERE request_id = ?');

  return {
    acceptInTransaction(request) {
      const result = accept(request);
      writeAll();
      return result;
    },
    accept: request => db.writeFirst(() => accept(request)),
    answerUnder: async (account, key) => keys.answerUnder(account, key),
    async isStored(requestId) {
      return selectRequest.get(requestId) !== undefined;
    },
    withdraw: withdrawal(tables, records, (msgKey, phase) => {
      counts.move(1, phase, undefined);
      steps.forget(msgKey);
    }),
    async find(msgKey, account) {
      const row = select.get(msgKey) as Row | undefined;
      if (!row || (account !== undefined && row.account !== account)) return undefined;
      return records.unreadable.each('message', [row], records.messageViewOf)[0];
    },
  };
}

function jobsOf(request: NewRequest) {
  const { account, acceptedAt, messages, deadlineAt } = request;
  const turn = newTurn(request);
  const rank = request.isBulk ? BULK : SINGLE;
  return messages.map(({ msgKey, route: { carrier } }) => ({
    ...{ msgKey, account, carrier, deadlineAt, dueAt: acceptedAt, rank },
    ...turn,
  }));
}
