/**
 * An account's own view of its messages: one of them, those of a request, the history, and a file of it. Statistics are in
 * own-statistics.ts. Members have the names of the contract's newer generation.
 */
import type { Account } from '../domain/account/account.ts';
import { serviceTypeOf } from '../domain/channels/channel.ts';
import { isFinal, type StepState } from '../domain/delivery/lifecycle.ts';
import { type MsgKey, parseMsgKey, parseRequestId, requestIdOf } from '../domain/ids.ts';
import { DELIVERED, REPORT_CODES, type ReportCode } from '../domain/reports/report-codes.ts';
import { describeStep, type ReportRecord } from '../domain/reports/report-record.ts';
import { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES } from '../domain/request/result-codes.ts';
import type { Clock } from '../platform/clock.ts';
import { BYTE_ORDER_MARK, formatCsvRow } from '../platform/csv.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { FoundMessage, MessageQuery, MessageView, Store } from '../store/store.ts';
import { parseOwnQuery, parsePageLimit, type Query } from './own-query.ts';
import { type WireReport, wireReport } from './wire-record.ts';

/** Messages that are read and put into words in one piece, some 3 ms. */
const A_PIECE = 100;

/** One channel message of a message: of those that were tried, and the one that is under way. */
export interface OwnStatus extends Partial<Omit<WireReport, 'msgKey' | 'serviceType' | 'msgType'>> {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType?: string;
  readonly to: string;
  /** Whether it was sent because the one before it failed. */
  readonly fallback: 'Y' | 'N';
  readonly state: StepState;
  readonly responseCode: string;
  readonly responseText: string;
  readonly requestTime: string;
}

export interface OwnMessage {
  readonly msgKey: string;
  readonly requestId: string;
  readonly to: string;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly paymentCode?: string;
  /** `reserved`: it waits for the time of its reservation. */
  readonly state: StepState | 'reserved';
  readonly resvKey?: string;
  readonly resvSendTime?: string;
  readonly requestTime: string;
  readonly messages: readonly OwnStatus[];
}

export interface OwnPage {
  readonly messages: readonly OwnStatus[];
  /** Where to continue; null at the end. */
  readonly lastSeq: string | null;
  readonly hasNext: boolean;
}

export interface OwnMessages {
  find(account: Account, key: string): Promise<OwnMessage | undefined>;
  ofRequest(account: Account, id: string): Promise<readonly OwnStatus[]>;
  /** Newest first. */
  history(account: Account, query: Query): Promise<OwnPage | Problem>;
  /** The same as a file, in parts; `limit` and `lastSeq` do not count. */
  file(account: Account, query: Query): AsyncIterable<string> | Problem;
}

export function createOwnMessages(deps: {
  readonly store: Pick<Store, 'messages' | 'reports' | 'search' | 'reservations'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly inquiryWindowMs: number;
  /** Histories are read in these. */
  readonly pieces: Pieces;
}): OwnMessages {
  const { store, clock, formatTime, inquiryWindowMs, pieces } = deps;

  return {
    async find(account, key) {
      const msgKey = parseMsgKey(key);
      if (!msgKey) return undefined;
      const view = await store.messages.find(msgKey, account.id);
      if (!view) return reservedMessage(account, msgKey);
      const since = clock.now() - inquiryWindowMs;
      const asked = { account: account.id, msgKey: view.msgKey, lastOnly: false, since };
      const records = await store.reports.inquire(asked);
      const { ref, groupKey, paymentCode, acceptedAt, to, state } = view;
      return {
        ...namesOf(view.msgKey, { to, ref, groupKey, paymentCode }),
        state,
        requestTime: formatTime(acceptedAt),
        messages: statusesOf(view, records),
      };
    },
    async ofRequest(account, id) {
      const request = parseRequestId(id);
      if (request === undefined) return [];
      const found: OwnStatus[] = [];
      const all = pages({ request, account: account.id, isOwn: true });
      for await (const page of pieces.each(account.id, all)) found.push(...page);
      return found.reverse();
    },
    async history(account, query) {
      const limit = parsePageLimit(query.limit);
      if (limit instanceof Problem) return limit;
      const asked = parseOwnQuery(query);
      if (asked instanceof Problem) return asked;
      const messages: OwnStatus[] = [];
      let before = asked.before;
      let isMore = true;
      while (isMore) {
        const wanted = Math.min(A_PIECE, limit - messages.length);
        const of = { ...asked, ...(before && { before }), account: account.id, isOwn: true, limit: wanted };
        const page = await pieces.do(account.id, () => pageOf(of));
        messages.push(...page.messages);
        before = page.next;
        // A search for something rare may end before it has found enough; its caller goes on from there.
        isMore = before !== undefined && page.messages.length === wanted && messages.length < limit;
      }
      return { messages, lastSeq: before ?? null, hasNext: before !== undefined };
    },
    file(account, query) {
      const { lastSeq: _lastSeq, ...filters } = query;
      const asked = parseOwnQuery(filters);
      if (asked instanceof Problem) return asked;
      return pieces.each(account.id, rows({ ...asked, account: account.id, isOwn: true }));
    },
  };

  async function reservedMessage(account: Account, msgKey: MsgKey): Promise<OwnMessage | undefined> {
    const found = await store.reservations.ofMessage(msgKey, account.id);
    if (!found) return undefined;
    const { resvKey, recipient } = found;
    const reservation = await store.reservations.find({ resvKey, account: account.id });
    if (!reservation) return undefined;
    const { groupKey, paymentCode, sendAt, createdAt } = reservation;
    const { to, ref = reservation.ref } = recipient;
    return {
      ...namesOf(msgKey, { to, ref, groupKey, paymentCode }),
      state: 'reserved',
      resvKey,
      resvSendTime: formatTime(sendAt),
      requestTime: formatTime(createdAt),
      messages: [],
    };
  }

  async function pageOf(query: MessageQuery) {
    const { messages, next } = await store.search.find(query);
    return { messages: messages.map(summaryOf), next };
  }

  async function* pages(query: Omit<MessageQuery, 'limit'>): AsyncGenerator<readonly OwnStatus[]> {
    let before = query.before;
    do {
      const page = await pageOf({ ...query, ...(before && { before }), limit: A_PIECE });
      yield page.messages;
      before = page.next;
    } while (before !== undefined);
  }

  async function* rows(query: Omit<MessageQuery, 'limit'>): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + formatCsvRow(FILE_COLUMNS);
    for await (const page of pages(query)) {
      const lines = page.map(status => {
        const cells: Readonly<Partial<Record<string, string>>> = { ...status };
        return formatCsvRow(FILE_COLUMNS.map(name => cells[name] ?? ''));
      });
      if (lines.length > 0) yield lines.join('');
    }
  }

  /** What is known of a message without its records. */
  function summaryOf(found: FoundMessage): OwnStatus {
    const { msgKey, to, state, step, code, ref, groupKey, acceptedAt, finishedAt } = found;
    const channel = found.channels[step];
    return {
      msgKey,
      serviceType: channel === undefined ? '' : serviceTypeOf(channel),
      to,
      fallback: step > 0 ? 'Y' : 'N',
      state,
      ...RESPONSE,
      requestTime: formatTime(acceptedAt),
      ...(finishedAt !== undefined && { reportTime: formatTime(finishedAt) }),
      ...(code !== undefined && { reportType: '0', reportCode: code, reportText: REPORT_CODES[code] }),
      ...(ref !== undefined && { ref }),
      ...(groupKey !== undefined && { groupKey }),
    };
  }

  function statusesOf(view: MessageView, records: readonly ReportRecord[]): OwnStatus[] {
    const { msgKey, to, flow, ref, groupKey } = view;
    const requestTime = formatTime(view.acceptedAt);
    const ended = records.map((record): OwnStatus => {
      const step = record.step % LATE_STEPS;
      const isLast = step === view.step && isFinal(view.state) && record.step === step;
      return {
        ...wireReport(record, { reportFormat: 'spec' }, formatTime, 'inquiry'),
        to,
        fallback: step > 0 ? 'Y' : 'N',
        state: isLast ? view.state : stateOf(record.reportCode),
        ...RESPONSE,
        requestTime,
      };
    });
    const step = flow[view.step];
    if (isFinal(view.state) || !step) return ended;
    const { serviceType, msgType } = describeStep(step);
    return [
      ...ended,
      {
        msgKey,
        serviceType,
        msgType,
        to,
        fallback: view.step > 0 ? 'Y' : 'N',
        state: view.state,
        ...RESPONSE,
        requestTime,
        ...(ref !== undefined && { ref }),
        ...(groupKey !== undefined && { groupKey }),
      },
    ];
  }
}

function namesOf(
  msgKey: MsgKey,
  { to, ref, groupKey, paymentCode }: Pick<MessageView, 'to' | 'ref' | 'groupKey' | 'paymentCode'>,
) {
  return {
    msgKey,
    requestId: requestIdOf(msgKey),
    to,
    ...(ref !== undefined && { ref }),
    ...(groupKey !== undefined && { groupKey }),
    ...(paymentCode !== undefined && { paymentCode }),
  };
}

/** A record of a late delivery has the step of its flow plus this; see report-record.ts. */
const LATE_STEPS = 1000;
const RESPONSE = { responseCode: 'A000', responseText: RESULT_CODES.A000.text } as const;

/** Of a file, in this order. */
const FILE_COLUMNS = [
  'msgKey',
  'to',
  'serviceType',
  'fallback',
  'state',
  'requestTime',
  'reportTime',
  'reportCode',
  'reportText',
  'ref',
  'groupKey',
] as const;

function stateOf(code: ReportCode): StepState {
  return code === DELIVERED ? 'delivered' : 'failed';
}
