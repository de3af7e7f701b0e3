/** Requests, and the messages of their recipients. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { Flow, Step } from '../../domain/delivery/flow.ts';
import type { HistoryEntry, LiveStep } from '../../domain/delivery/settlement.ts';
import { type AccountId, type MsgKey, requestIdOf } from '../../domain/ids.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import { formatHistory, parseHistory } from '../history.ts';
import type { IdempotencyEntry, MessageView, NewMessage, NewRequest } from '../port/message-store.ts';
import type { MessageChange } from '../settle-batch.ts';
import {
  bigint,
  type Column,
  type ColumnsOf,
  flag,
  identityIn,
  integer,
  json,
  optional,
  sealed,
  text,
} from './columns.ts';

const FLOW = 'request.flow';
const FLOW_BOUND_TO = ['account', 'request_id'];

/**
 * Encrypted, its channels stand behind it, as a flow of nothing else: lists show them, and searches look for them. It is bound to
 * them too. A flow of channels only is one whose text was removed.
 */
const flowColumn: Column<Flow> = {
  ...json('flow'),
  in: vault => ({
    ...json('flow'),
    boundTo: FLOW_BOUND_TO,
    write: (flow, row) => {
      const whole = JSON.stringify(flow);
      const channels = channelsOnly(flow);
      const kept = vault.seal(whole, FLOW, [...identityIn(row, FLOW_BOUND_TO), channels]);
      return kept === whole ? whole : kept + channels;
    },
    read: (stored, row) => {
      const text = String(stored);
      if (isChannelsOnly(text)) return JSON.parse(text) as Flow;
      const [whole, channels] = partsOfFlow(text);
      // A row of a message has the request's id at the beginning of its key.
      const request = row.request_id ?? (row.msg_key && requestIdOf(row.msg_key as MsgKey));
      const identity = identityIn({ account: row.account, request_id: request }, FLOW_BOUND_TO);
      return JSON.parse(vault.open(whole, FLOW, [...identity, channels])) as Flow;
    },
  }),
};

function channelsOnly(flow: Flow): string {
  return `[${flow.map(({ channel }) => `{"channel":"${channel}"}`).join(',')}]`;
}

function isChannelsOnly(stored: string): boolean {
  return stored.startsWith('[') && JSON.stringify(withoutText(stored)) === stored;
}

/** The encrypted part of a stored flow and the channels behind it; all of it where nothing is encrypted. */
function partsOfFlow(stored: string): [whole: string, channels: string] {
  const end = stored.indexOf('[');
  return end <= 0 ? [stored, ''] : [stored.slice(0, end), stored.slice(end)];
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
  traceparent: optional(text('traceparent')),
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
  bodyHash: sealed(text('body_hash'), 'idempotency.body_hash', ['account', 'key']),
  response: sealed(text('response'), 'idempotency.response', ['account', 'key']),
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
  to: sealed(text('recipient'), 'message.recipient', ['account', 'msg_key'], ERASED_RECIPIENT),
  words: optional(sealed(json('words'), 'message.words', ['account', 'msg_key'])),
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
export type Content = Pick<LiveStep, 'to' | 'words' | 'ref' | 'groupKey' | 'traceparent' | 'flow'>;

export const CONTENT_COLUMNS: ColumnsOf<Content> = {
  to: MESSAGE_COLUMNS.to,
  words: MESSAGE_COLUMNS.words,
  ref: REQUEST_COLUMNS.ref,
  groupKey: REQUEST_COLUMNS.groupKey,
  traceparent: REQUEST_COLUMNS.traceparent,
  flow: REQUEST_COLUMNS.flow,
};

const { traceparent: _, ...shownContent } = CONTENT_COLUMNS;
/** A message as it is shown: joined from `message`, `request` and, while it is on its way, `job`. */
export const VIEW_COLUMNS: ColumnsOf<MessageView> = {
  msgKey: MESSAGE_COLUMNS.msgKey,
  account: MESSAGE_COLUMNS.account,
  ...shownContent,
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
