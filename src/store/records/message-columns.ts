/** Requests, and the messages of their recipients. */
import type { HistoryEntry, LiveStep } from '../../domain/delivery/settlement.ts';
import type { AccountId } from '../../domain/ids.ts';
import { formatHistory, parseHistory } from '../history.ts';
import type { IdempotencyEntry, MessageView, NewMessage, NewRequest } from '../port/message-store.ts';
import type { MessageChange } from '../settle-batch.ts';
import {
  bigint,
  type Column,
  type ColumnsOf,
  flag,
  integer,
  json,
  optional,
  readerOf,
  text,
} from './columns.ts';

/** Of the table `request`: what all recipients share. */
export const REQUEST_COLUMNS: ColumnsOf<
  Omit<NewRequest, 'messages' | 'deadlineAt' | 'isBulk' | 'idempotency'>
> = {
  requestId: text('request_id'),
  account: text('account'),
  acceptedAt: bigint('accepted_at'),
  ref: optional(text('ref')),
  paymentCode: optional(text('payment')),
  flow: json('flow'),
  reportsLateDelivery: flag('tells_late'),
};

/** Of the table `idempotency`. */
export const IDEMPOTENCY_COLUMNS: ColumnsOf<
  IdempotencyEntry & { readonly account: AccountId; readonly createdAt: number }
> = {
  account: text('account'),
  key: text('key'),
  bodyHash: text('body_hash'),
  response: text('response'),
  createdAt: bigint('created_at'),
};

const history: Column<readonly HistoryEntry[]> = {
  name: 'history',
  type: 'text',
  write: formatHistory,
  read: stored => parseHistory(String(stored)),
};

/** Of the table `message`, as a message is accepted. Its route becomes a line of its history, and goes to its job. */
export const MESSAGE_COLUMNS: ColumnsOf<
  Omit<NewMessage, 'route'> & Pick<MessageView, 'account' | 'history'>
> = {
  msgKey: text('msg_key'),
  account: text('account'),
  to: text('recipient'),
  words: optional(json('words')),
  history,
};

/** Of the table `message`, as it is settled. */
export const MESSAGE_CHANGE_COLUMNS: ColumnsOf<MessageChange> = {
  msgKey: MESSAGE_COLUMNS.msgKey,
  history,
  state: optional(text('state')),
  step: optional(integer('step')),
  finishedAt: optional(bigint('finished_at')),
};

/** Of the table `request`, when its text is removed. */
export const REMOVED_TEXT_COLUMNS = {
  requestId: REQUEST_COLUMNS.requestId,
  flow: REQUEST_COLUMNS.flow,
  textRemovedAt: bigint('text_removed_at'),
};

/** What the dispatcher and settle need of a message besides its job. It never changes. */
export type Content = Pick<LiveStep, 'to' | 'words' | 'ref' | 'flow'>;

export const CONTENT_COLUMNS: ColumnsOf<Content> = {
  to: MESSAGE_COLUMNS.to,
  words: MESSAGE_COLUMNS.words,
  ref: REQUEST_COLUMNS.ref,
  flow: REQUEST_COLUMNS.flow,
};

/** A message as it is shown: joined from `message`, `request` and, while it is on its way, `job`. */
const VIEW_COLUMNS: ColumnsOf<MessageView> = {
  msgKey: MESSAGE_COLUMNS.msgKey,
  account: MESSAGE_COLUMNS.account,
  ...CONTENT_COLUMNS,
  paymentCode: REQUEST_COLUMNS.paymentCode,
  acceptedAt: REQUEST_COLUMNS.acceptedAt,
  textRemovedAt: optional(bigint('text_removed_at')),
  state: text('state'),
  step: integer('step'),
  attempt: integer('attempt'),
  history,
};

export const messageViewOf = readerOf(VIEW_COLUMNS);

/** Where the columns of a view come from. `job` may be missing. */
export const MESSAGE_VIEW = `
  message.msg_key, message.account, message.recipient, message.words,
  request.ref, request.payment, request.flow, request.accepted_at, request.text_removed_at,
  coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
  coalesce(job.attempt, 0) AS attempt, message.history`;
