/** Requests, and the messages of their recipients. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { Flow, Step } from '../../domain/delivery/flow.ts';
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
  sealed,
  text,
} from './columns.ts';

/** Sealed, its channels stand behind it, as a flow of nothing else: lists show them, and searches look for them. */
const flowColumn: Column<Flow> = {
  ...json('flow'),
  in: vault => ({
    ...json('flow'),
    write: flow => {
      const whole = JSON.stringify(flow);
      const kept = vault.seal(whole, 'request.flow');
      return kept === whole ? whole : kept + channelsOnly(flow);
    },
    read: stored => JSON.parse(vault.open(wholeFlowIn(String(stored)), 'request.flow')) as Flow,
  }),
};

function channelsOnly(flow: Flow): string {
  return `[${flow.map(({ channel }) => `{"channel":"${channel}"}`).join(',')}]`;
}

/** What of a stored flow is sealed; all of it where nothing is. */
function wholeFlowIn(stored: string): string {
  return stored.startsWith('[') ? stored : stored.slice(0, stored.indexOf('['));
}

/** The channels in a stored flow, whether it is sealed or not. */
export function channelsIn(stored: string): Channel[] {
  return (JSON.parse(stored.slice(stored.indexOf('['))) as Pick<Step, 'channel'>[]).map(
    ({ channel }) => channel,
  );
}

/** What stays of a stored flow when its text is removed: the channels and nothing else. */
export function withoutText(stored: string): Flow {
  return channelsIn(stored).map(channel => ({ channel }) as Step);
}

/** Of the table `request`: what all recipients share. */
export const REQUEST_COLUMNS: ColumnsOf<
  Omit<NewRequest, 'messages' | 'claim' | 'deadlineAt' | 'isBulk' | 'idempotency'>
> = {
  requestId: text('request_id'),
  account: text('account'),
  acceptedAt: bigint('accepted_at'),
  ref: optional(text('ref')),
  groupKey: optional(text('group_key')),
  paymentCode: optional(text('payment')),
  flow: flowColumn,
  reportsLateDelivery: flag('tells_late'),
};

/** Of the table `idempotency`. */
export const IDEMPOTENCY_COLUMNS: ColumnsOf<
  IdempotencyEntry & { readonly account: AccountId; readonly createdAt: number }
> = {
  account: text('account'),
  key: text('key'),
  // A hash alone would tell the number to who tries them all.
  bodyHash: sealed(text('body_hash'), 'idempotency.body_hash'),
  response: sealed(text('response'), 'idempotency.response'),
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
  to: sealed(text('recipient'), 'message.recipient'),
  words: optional(sealed(json('words'), 'message.words')),
  ref: optional(text('ref')),
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
export type Content = Pick<LiveStep, 'to' | 'words' | 'ref' | 'groupKey' | 'flow'>;

export const CONTENT_COLUMNS: ColumnsOf<Content> = {
  to: MESSAGE_COLUMNS.to,
  words: MESSAGE_COLUMNS.words,
  ref: REQUEST_COLUMNS.ref,
  groupKey: REQUEST_COLUMNS.groupKey,
  flow: REQUEST_COLUMNS.flow,
};

/** A message as it is shown: joined from `message`, `request` and, while it is on its way, `job`. */
export const VIEW_COLUMNS: ColumnsOf<MessageView> = {
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

/** The reference of the recipient, or the one that the request has for all. */
export const REF_OF_MESSAGE = 'coalesce(message.ref, request.ref)';

/** Where the columns of a view come from. `job` may be missing. */
export const MESSAGE_VIEW = `
  message.msg_key, message.account, message.recipient, message.words,
  ${REF_OF_MESSAGE} AS ref, request.group_key, request.payment, request.flow, request.accepted_at, request.text_removed_at,
  coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
  coalesce(job.attempt, 0) AS attempt, message.history`;
