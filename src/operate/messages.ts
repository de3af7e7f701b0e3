/** The operator's view of messages: finding them, and everything about one. */
import { type Account, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import { CHANNELS, channelNamed } from '../domain/channels/channel.ts';
import { adviceFor, type Fate, fateOf } from '../domain/delivery/fate.ts';
import { STEP_STATES, type StepState } from '../domain/delivery/lifecycle.ts';
import { type AccountId, type MsgKey, parseAccountId, parseMsgKey } from '../domain/ids.ts';
import type { Advice } from '../domain/reports/report-advice.ts';
import { REPORT_CODES, type ReportCode } from '../domain/reports/report-codes.ts';
import { equivalentRequest, equivalentResponse } from '../domain/request/equivalent-request.ts';
import { isStorable } from '../domain/request/field-kinds.ts';
import { ERASED_RECIPIENT, writingsOf } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import { shownStep } from '../domain/text/substitution.ts';
import type { Sight } from '../operations/shapes.ts';
import { MOMENT_FORM, parseMoment } from '../platform/moment.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Reports } from '../report/reports.ts';
import type { FoundMessage, MessageQuery, MessageView, Resend, Store } from '../store/store.ts';
import { shownFound, shownMessage } from './masking.ts';

export type Filters = Readonly<Record<string, unknown>>;

export interface MessageDetail {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly masked: boolean;
  readonly to: string;
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  readonly state: MessageView['state'];
  readonly flow: MessageView['flow'];
  readonly acceptedAt: string;
  readonly fate: Fate;
  /** What to do about it; null unless it failed. */
  readonly advice: Advice | null;
  readonly timeline: readonly TimelineEntry[];
}

interface TimelineEntry {
  readonly at: string;
  readonly step: number;
  readonly attempt: number;
  readonly event: string;
  readonly carrier?: string;
  readonly code?: string;
  readonly why?: string;
  /** Of a step that was postponed: when it may go out. */
  readonly until?: string;
}

/** A message in a list. */
export interface MessageRow
  extends Omit<FoundMessage, 'code' | 'carrier' | 'acceptedAt' | 'finishedAt' | 'ref' | 'groupKey'> {
  readonly ref?: string;
  readonly groupKey?: string;
  readonly code: string | null;
  readonly carrier: string | null;
  readonly acceptedAt: string;
  readonly finishedAt: string | null;
  /** The message in whose place it was sent. */
  readonly resendOf?: MsgKey;
  /** The last that was sent in its place. */
  readonly resentAs?: MsgKey;
}

export interface MessagePage {
  readonly messages: readonly MessageRow[];
  readonly next: MsgKey | null;
}

/** All of them are one caller, beside the accounts. */
const OPERATORS = 'operators';

export interface Messages {
  /** Messages that meet every filter given, newest first. A filter must match exactly: nobody finds numbers by guessing parts. */
  find(filters: Filters, limit: number, sight: Sight): Promise<MessagePage | Problem>;
  /** One message: its request, its state and its whole history. */
  detail(key: string, sight: Sight): Promise<MessageDetail | Problem>;
}

export function createMessages(deps: {
  readonly store: Store;
  readonly reports: Reports;
  readonly formatTime: FormatTime;
  /** With milliseconds. */
  readonly formatMoment: FormatTime;
  /** Each page is one of these. */
  readonly pieces: Pieces;
}): Messages {
  const { store, reports, formatTime, formatMoment, pieces } = deps;
  return {
    async find(filters, limit, sight) {
      const query = parseFilters(filters);
      if (query instanceof Problem) return query;
      return pieces.do(OPERATORS, async () => {
        const { messages, next } = await store.search.find({ ...query, limit });
        const resends = await resendsOf(messages.map(({ msgKey }) => msgKey));
        return {
          messages: messages.map(found => row(shownFound(found, sight), resends)),
          next: next ?? null,
        };
      });
    },
    async detail(key, sight) {
      const msgKey = parseMsgKey(key);
      const found = msgKey && (await store.messages.find(msgKey));
      if (!found) return new Problem('A300', 'There is no such message', { status: 404 });
      // Everything below is made of what this operator may see.
      const message = shownMessage(found, sight);
      const { acceptedAt, history, words, textRemovedAt, ...rest } = message;
      const account = await store.accounts.find(message.account);
      const handedOver = await store.reports.handedOver(message.msgKey);
      const resends = await resendsOf([message.msgKey]);
      const resendOf = resends.find(({ newKey }) => newKey === message.msgKey)?.oldKey;
      const timeline = [...history, ...handedOver.map(entry => ({ ...entry, attempt: 0, until: undefined }))];
      const fate = fateOf(message.state, history);
      return {
        ...rest,
        fate,
        advice: adviceFor(fate, history),
        masked: sight === 'masked',
        ...(resendOf && { resendOf }),
        resentAs: resends.filter(({ oldKey }) => oldKey === message.msgKey).map(({ newKey }) => newKey),
        ...(words && { replaceWords: words }),
        acceptedAt: formatMoment(acceptedAt),
        timeline: timeline.map(({ until, ...entry }) => ({
          ...entry,
          at: formatMoment(entry.at),
          ...(until !== undefined && { until: formatTime(until) }),
        })),
        reports: await reports.inquire(showingAll(account ?? goneAccount(message.account)), message.msgKey),
        ...(textRemovedAt !== undefined && { textRemovedAt: formatTime(textRemovedAt) }),
        ...contentOf(message),
      };
    },
  };

  async function resendsOf(msgKeys: readonly MsgKey[]): Promise<readonly Resend[]> {
    return msgKeys.length === 0 ? [] : store.resends.of(msgKeys);
  }

  function row(found: FoundMessage, resends: readonly Resend[]): MessageRow {
    const { ref, groupKey, code, carrier, acceptedAt, finishedAt, ...rest } = found;
    const resendOf = resends.find(({ newKey }) => newKey === rest.msgKey)?.oldKey;
    const resentAs = resends.findLast(({ oldKey }) => oldKey === rest.msgKey)?.newKey;
    return {
      ...rest,
      ...(ref !== undefined && { ref }),
      ...(groupKey !== undefined && { groupKey }),
      ...(resendOf && { resendOf }),
      ...(resentAs && { resentAs }),
      code: code ?? null,
      carrier: carrier ?? null,
      acceptedAt: formatTime(acceptedAt),
      finishedAt: finishedAt === undefined ? null : formatTime(finishedAt),
    };
  }
}

/** Without its text or its recipient there is nothing to show, and nothing to send again. */
function contentOf(message: MessageView): object {
  if (message.textRemovedAt !== undefined || message.to === ERASED_RECIPIENT) return { rendered: [] };
  return {
    /** Every step as the recipient gets it. */
    rendered: message.flow.map(step => shownStep(step, message.words)),
    request: equivalentRequest(message),
    response: equivalentResponse(message),
  };
}

/** The operator sees all records and members, whatever the settings of the account. */
/** In place of an account that was deleted: its messages can still be read. */
function goneAccount(id: AccountId): Account {
  const settings = DEFAULT_ACCOUNT_SETTINGS;
  return { id, passwordHash: '', blocked: true, tokenEpoch: 0, createdAt: 0, settings };
}

function showingAll(account: Account): Account {
  return { ...account, settings: { ...account.settings, reportRecords: 'every', reportFormat: 'spec' } };
}

/** How each filter is read; undefined if its text is not valid. */
const FILTERS: {
  readonly [Name in
    | Exclude<keyof MessageQuery, 'limit' | 'before' | 'request' | 'channels' | 'isOwn'>
    | 'cursor']: {
    readonly mustBe: string;
    readonly parse: (text: string) => unknown;
  };
} = {
  key: { mustBe: 'a msgKey of 32 letters and digits', parse: parseMsgKey },
  to: { mustBe: 'a telephone number', parse: writingsOf },
  ref: { mustBe: 'a reference of at most 200 characters', parse: bounded(200) },
  groupKey: { mustBe: 'a group of at most 64 characters', parse: bounded(64) },
  account: { mustBe: 'the id of an account', parse: parseAccountId },
  channel: { mustBe: `one of ${CHANNELS.join(', ')}`, parse: channelNamed },
  lastChannel: { mustBe: `one of ${CHANNELS.join(', ')}`, parse: channelNamed },
  carrier: { mustBe: 'the name of a carrier', parse: bounded(64) },
  state: {
    mustBe: `one of ${STEP_STATES.join(', ')}, or several separated by commas`,
    parse: statesIn,
  },
  code: {
    mustBe: 'a report code such as 10000',
    parse: text => (Object.hasOwn(REPORT_CODES, text) ? (text as ReportCode) : undefined),
  },
  from: { mustBe: MOMENT_FORM, parse: parseMoment },
  until: { mustBe: MOMENT_FORM, parse: parseMoment },
  cursor: { mustBe: 'the "next" of an earlier answer', parse: parseMsgKey },
};

export function parseFilters(filters: Filters): Omit<MessageQuery, 'limit'> | Problem {
  const query: Record<string, unknown> = {};
  for (const [name, { mustBe, parse }] of Object.entries(FILTERS)) {
    const given = filters[name];
    if (given === undefined || given === '') continue;
    const value = typeof given === 'string' ? parse(given) : undefined;
    if (value === undefined) return new Problem('A300', `"${name}" must be ${mustBe}`);
    query[name === 'cursor' ? 'before' : name] = value;
  }
  return query;
}

function statesIn(text: string): readonly StepState[] | undefined {
  const names = text.split(',', STEP_STATES.length + 1);
  const states = STEP_STATES.filter(state => names.includes(state));
  return states.length === names.length ? states : undefined;
}

function bounded(most: number): (text: string) => string | undefined {
  return text => (text.length <= most && isStorable(text) ? text : undefined);
}
