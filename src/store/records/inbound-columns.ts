/** Inbound messages and their parts: how they are kept, with what is sealed or hashed of them. */

import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { ERASED_RECIPIENT } from '../../domain/request/phone-number.ts';
import type {
  InboundHandover,
  InboundReply,
  NewInbound,
  NewInboundPart,
  StoredInbound,
  StoredInboundPart,
} from '../port/inbound-store.ts';
import {
  type AnyRow,
  bigint,
  type ColumnsOf,
  hashed,
  integer,
  optional,
  readerOf,
  sealed,
  smallint,
  text,
} from './columns.ts';

/** What a sender is hashed for, in messages and in parts. */
export const SENDER_TERM = 'inbound.sender_term';
/** What the words of a message are hashed for. */
export const SAID = 'inbound.said';

interface InboundFields extends Omit<NewInbound, 'text'> {
  readonly text: string | undefined;
  readonly said: string | undefined;
  readonly term: string;
  readonly waiting: number | undefined;
}

/** Of the table `inbound`: what is written when it is stored. */
export const INBOUND_COLUMNS: ColumnsOf<InboundFields> = {
  msgKey: text('msg_key'),
  account: optional(text('account')),
  carrier: text('carrier'),
  carrierId: optional(text('carrier_id')),
  said: optional(hashed(text('said'), SAID)),
  occurrence: optional(integer('occurrence')),
  to: text('recipient'),
  from: sealed(text('sender'), 'inbound.sender', ['account', 'msg_key'], ERASED_RECIPIENT),
  term: hashed(text('sender_term'), SENDER_TERM),
  text: optional(sealed(text('content'), 'inbound.content', ['account', 'msg_key'])),
  keyword: optional(text('keyword')),
  receivedAt: bigint('received_at'),
  waiting: optional(smallint('waiting')),
  rulesAt: optional(bigint('rules_at')),
};

export function inboundFieldsOf(message: NewInbound): InboundFields {
  const { account, from, occurrence } = message;
  return {
    ...message,
    said: message.carrierId === undefined && occurrence !== undefined ? wordsOf(message) : undefined,
    term: from,
    waiting: account === undefined ? undefined : 1,
  };
}

/** The values of a row that is nobody's, as an account's, to which they are bound. */
export function givenTo(account: AccountId, row: AnyRow, { from, text: content }: typeof INBOUND_COLUMNS) {
  const theirs = { ...row, account };
  return {
    sender: from.write(from.read(row.sender, row), theirs),
    content: row.content === null ? null : content.write(content.read(row.content, row), theirs),
  };
}

/** What a message without an id is known by. */
export function wordsOf(message: Pick<InboundFields, 'to' | 'from' | 'text' | 'occurrence'>): string {
  const { to, from, text: said = '', occurrence = 0 } = message;
  return JSON.stringify([to, from, said, occurrence]);
}

interface PartFields extends NewInboundPart {
  readonly id: number;
  readonly term: string;
}

/** Of the table `inbound_part`. */
export const INBOUND_PART_COLUMNS: ColumnsOf<PartFields> = {
  id: bigint('id'),
  carrier: text('carrier'),
  to: text('recipient'),
  from: sealed(text('sender'), 'inbound_part.sender', ['id', 'recipient']),
  term: hashed(text('sender_term'), SENDER_TERM),
  reference: text('reference'),
  part: smallint('part'),
  total: smallint('total'),
  alphabet: text('alphabet'),
  octets: sealed(text('octets'), 'inbound_part.octets', ['id', 'recipient']),
  receivedAt: bigint('received_at'),
};

export function storedInboundReader(columns: typeof INBOUND_COLUMNS): (row: AnyRow) => StoredInbound {
  const fieldsIn = readerOf(columns);
  return row => {
    const { msgKey, account, carrier, to, from, text: content, keyword, receivedAt, waiting } = fieldsIn(row);
    const fetchedAt = row.fetched_at === null ? undefined : Number(row.fetched_at);
    const message = { msgKey, account, carrier, to, from, text: content, keyword, receivedAt };
    return { ...message, fetchedAt, handover: handoverOf(account, waiting, fetchedAt), reply: replyOf(row) };
  };
}

function handoverOf(
  account: string | undefined,
  waiting: number | undefined,
  fetchedAt: number | undefined,
): InboundHandover {
  if (account === undefined) return 'unmatched';
  if (waiting !== undefined) return waiting === 1 ? 'waiting' : 'expired';
  return fetchedAt === undefined ? 'pushed' : 'fetched';
}

function replyOf({ reply_key, reply_problem }: AnyRow): InboundReply | undefined {
  if (reply_key !== null) return { msgKey: reply_key as MsgKey };
  return reply_problem === null ? undefined : { problem: String(reply_problem) };
}

export function inboundPartReader(columns: typeof INBOUND_PART_COLUMNS): (row: AnyRow) => StoredInboundPart {
  const fieldsIn = readerOf(columns);
  return row => {
    const { term: _, id, ...part } = fieldsIn(row);
    return { ...part, id: Number(id) };
  };
}
