/** What an account may ask its history for: each parameter, its form, and the member of the search that it becomes. */
import { CHANNELS, type Channel, serviceTypeOf } from '../domain/channels/channel.ts';
import { isFinal, STEP_STATES, type StepState } from '../domain/delivery/lifecycle.ts';
import { parseMsgKey } from '../domain/ids.ts';
import { REPORT_CODES } from '../domain/reports/report-codes.ts';
import { isStorable } from '../domain/request/field-kinds.ts';
import { writingsOf } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import { MOMENT_FORM, parseMoment } from '../platform/moment.ts';
import type { MessageQuery } from '../store/store.ts';

export const MOST_A_PAGE = 1000;
const USUAL_PAGE = 100;

export type Query = Readonly<Record<string, unknown>>;

/** What became of messages, in a word. */
export const OUTCOMES: Readonly<Record<string, readonly StepState[]>> = {
  delivered: ['delivered'],
  failed: ['failed', 'expired'],
  open: STEP_STATES.filter(state => !isFinal(state)),
};

export function parsePageLimit(given: unknown): number | Problem {
  if (given === undefined || given === '') return USUAL_PAGE;
  const limit = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= MOST_A_PAGE
    ? limit
    : new Problem('A300', `"limit" must be a whole number from 1 to ${MOST_A_PAGE}`);
}

/** How each parameter of the history is read; undefined if its text is not valid. */
const PARAMETERS: Readonly<
  Record<
    string,
    {
      readonly mustBe: string;
      readonly member: keyof MessageQuery;
      readonly parse: (text: string) => unknown;
    }
  >
> = {
  requestTime: { member: 'from', mustBe: MOMENT_FORM, parse: parseMoment },
  until: { member: 'until', mustBe: MOMENT_FORM, parse: parseMoment },
  serviceType: {
    member: 'channels',
    mustBe: `some of ${CHANNELS.map(serviceTypeOf).join(', ')}, separated by commas`,
    parse: serviceTypesIn,
  },
  to: { member: 'to', mustBe: 'a telephone number', parse: writingsOf },
  ref: { member: 'ref', mustBe: 'a reference of at most 200 characters', parse: bounded(200) },
  groupKey: { member: 'groupKey', mustBe: 'a group of at most 64 characters', parse: bounded(64) },
  outcome: {
    member: 'state',
    mustBe: `one of ${Object.keys(OUTCOMES).join(', ')}`,
    parse: text => (Object.hasOwn(OUTCOMES, text) ? OUTCOMES[text] : undefined),
  },
  reportCode: {
    member: 'code',
    mustBe: 'a report code such as 10000',
    parse: text => (Object.hasOwn(REPORT_CODES, text) ? text : undefined),
  },
  lastSeq: { member: 'before', mustBe: 'the "lastSeq" of an earlier answer', parse: parseMsgKey },
};

export function parseOwnQuery(query: Query): Omit<MessageQuery, 'limit'> | Problem {
  const asked: Partial<Record<keyof MessageQuery, unknown>> = {};
  for (const [name, { mustBe, member, parse }] of Object.entries(PARAMETERS)) {
    const given = query[name];
    if (given === undefined || given === '') continue;
    const value = typeof given === 'string' && !given.includes('\0') ? parse(given) : undefined;
    if (value === undefined) return new Problem('A300', `"${name}" must be ${mustBe}`);
    asked[member] = value;
  }
  return asked as Omit<MessageQuery, 'limit'>;
}

function serviceTypesIn(text: string): readonly Channel[] | undefined {
  const names = text.split(',', CHANNELS.length + 1).map(name => name.trim().toUpperCase());
  const channels = CHANNELS.filter(channel => names.includes(serviceTypeOf(channel)));
  return channels.length === names.length ? channels : undefined;
}

function bounded(most: number): (text: string) => string | undefined {
  return text => (text.length <= most && isStorable(text) ? text : undefined);
}
