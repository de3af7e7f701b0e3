/**
 * What a provider's answer to a submit means. Rules are tried in order and the first that matches decides.
 *
 * What must never happen: an answer that nobody foresaw counts as success, or as a refusal of the message. Without a matching
 * rule the outcome is unknown. A 4xx that is not about the message (`ABOUT_MESSAGE`) is the carrier's fault, unless a rule
 * names it.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import { DELIVERED, REPORT_CODES, type ReportCode, SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { SubmitAnswer } from '../carrier.ts';
import { cleanText, shownWords } from '../clean-text.ts';
import type { OutcomeOptions } from './options.ts';
import { type Pointer, parsePointer } from './pointer.ts';
import type { ProviderAnswer } from './provider-answer.ts';

export interface AnswerContext {
  readonly channel: Channel;
  readonly attemptId: string;
  readonly now: number;
}

/** Undefined where no rule matches: the outcome is unknown. */
export type Outcomes = (answer: ProviderAnswer, context: AnswerContext) => SubmitAnswer | undefined;

type Rule = Outcomes;

export const TOO_MANY = 429;
/**
 * Statuses that are about the message itself, or a file of it. Every other 4xx is about our account (401, 402), our address of the provider
 * (404, 410) or our pace (429): nothing was done, and every message would get the same.
 */
export const ABOUT_MESSAGE: readonly number[] = [400, 409, 413, 414, 415, 422, 451];

const BY_DEFAULT: readonly OutcomeOptions[] = [
  {
    status: Array.from({ length: 100 }, (_, index) => 400 + index)
      .filter(status => !ABOUT_MESSAGE.includes(status))
      .map(String),
    result: 'temporary',
    carriersFault: true,
    pointer: undefined,
    equals: undefined,
    matches: undefined,
    id: undefined,
    idMatches: undefined,
    reportCode: undefined,
    code: undefined,
    says: undefined,
    retryAfter: undefined,
  },
];

export function compileOutcomes(
  rules: readonly OutcomeOptions[],
  reportCodes: ReportCodes,
  path: string,
  problems: string[],
): Outcomes {
  const compiled = [...rules, ...BY_DEFAULT].map((rule, index) =>
    compileRule(rule, reportCodes, `${path}[${index}]`, problems),
  );
  return (answer, context) => {
    for (const rule of compiled) {
      const outcome = rule(answer, context);
      if (outcome) return outcome;
    }
    return undefined;
  };
}

function compileRule(
  options: OutcomeOptions,
  reportCodes: ReportCodes,
  path: string,
  problems: string[],
): Rule {
  const { status, equals, result, carriersFault } = options;
  const matches = compileExpression(options.matches);
  const idMatches = compileExpression(options.idMatches);
  const pointer = compilePointer(options.pointer, `${path}.pointer`, problems);
  const id = compilePointer(options.id, `${path}.id`, problems);
  const code = compilePointer(options.code, `${path}.code`, problems);
  const says = compilePointer(options.says, `${path}.says`, problems);
  const retryAfter = compilePointer(options.retryAfter, `${path}.retryAfter`, problems);
  const reportCode = compileFailureCode(options.reportCode, `${path}.reportCode`, problems);
  if (equals && !pointer) problems.push(`${path}.equals: needs pointer`);
  if (result === 'permanent' && options.reportCode === undefined) {
    problems.push(`${path}.reportCode: missing; expected a code of docs/report-codes.md`);
  }

  return (answer, { channel, attemptId, now }) => {
    if (!isMatch(answer)) return undefined;
    const known = knownCode(answer);
    const failure = known ?? reportCode;
    const otherwise = SILENCE_CODE[familyOf(channel)];
    switch (result) {
      case 'accepted': {
        const ref = refOf(answer, attemptId);
        // Taken, but under a name that we do not know: its receipt may still tell our own.
        return ref === undefined
          ? {
              kind: 'unknown',
              fault: `the answer has no id ${options.id ? `at ${options.id}` : 'that idMatches finds'}`,
            }
          : { kind: 'accepted', refs: [ref] };
      }
      case 'permanent':
        return { kind: 'permanent', reportCode: failure ?? otherwise, detail: wordsOf(answer) };
      case 'temporary': {
        const wait = retryAfter?.text(answer.json) ?? answer.headers['retry-after'];
        const retryAfterMs = parseRetryAfterMs(wait, now);
        return {
          kind: 'temporary',
          reportCode: failure ?? otherwise,
          detail: wordsOf(answer),
          ...(retryAfterMs !== undefined && { retryAfterMs }),
          ...(carriersFault && { isCarriersFault: true }),
          // It named no pause: then the pace goes down instead.
          ...(carriersFault && answer.status === TOO_MANY && wait === undefined && { isThrottled: true }),
        };
      }
      case 'unknown':
        return { kind: 'unknown' };
    }
  };

  function isMatch(answer: ProviderAnswer): boolean {
    const { status: given, text, json } = answer;
    if (status && !status.some(wanted => isStatus(given, wanted))) return false;
    if (!isAboutMessage(answer)) return false;
    if (!pointer) return !matches || matches.test(text);
    const value = pointer.text(json);
    if (value === undefined) return false;
    return (!equals || equals.includes(value)) && (!matches || matches.test(value));
  }

  /** `4xx`, or no status, covers one that is not about the message only where the body shows that the message is meant. */
  function isAboutMessage(answer: ProviderAnswer): boolean {
    const isRefusal = answer.status >= 400 && answer.status < 500;
    if (!isRefusal || ABOUT_MESSAGE.includes(answer.status) || status?.includes(String(answer.status)))
      return true;
    return pointer !== undefined || matches !== undefined || knownCode(answer) !== undefined;
  }

  function knownCode({ json }: ProviderAnswer): ReportCode | undefined {
    return reportCodes.get(cleanText(code?.text(json) ?? ''));
  }

  /** The status and what the provider said, for people. Without a pointer to its words or code, a short plain text counts. */
  function wordsOf({ status: given, text, json }: ProviderAnswer): string {
    const plain = json === undefined && text.length <= LONGEST_PLAIN && !text.includes('<') ? text : '';
    const words = shownWords(says?.text(json) ?? code?.text(json) ?? plain);
    return words === '' ? `status ${given}` : `status ${given}: ${words}`;
  }

  /** The provider's reference; ours where it gives none. */
  function refOf({ text, json }: ProviderAnswer, attemptId: string): string | undefined {
    if (id) return bounded(id.text(json));
    if (idMatches) return bounded(idMatches.exec(text)?.[1]);
    return attemptId;
  }
}

function compileExpression(source: string | undefined): RegExp | undefined {
  return source === undefined ? undefined : new RegExp(source, 's');
}

const LONGEST_REF = 200;
const LONGEST_PLAIN = 150;

/** A reference fit to be kept. One that is too long would be another's when cut. */
function bounded(ref: string | undefined): string | undefined {
  if (ref === undefined || ref.length > LONGEST_REF) return undefined;
  return cleanText(ref) || undefined;
}

function isStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] : String(status) === wanted;
}

/** The provider's codes and ours. */
export type ReportCodes = ReadonlyMap<string, ReportCode>;

export function compileReportCodes(
  table: Readonly<Record<string, string>>,
  path: string,
  problems: string[],
): ReportCodes {
  return new Map(
    Object.entries(table).flatMap(([theirs, ours]) => {
      const code = compileFailureCode(ours, `${path}.${theirs}`, problems);
      return code === undefined ? [] : [[theirs, code] as const];
    }),
  );
}

/** A report code other than delivered; undefined where none is given, or after telling that it is none. */
export function compileFailureCode(
  text: string | undefined,
  path: string,
  problems: string[],
): ReportCode | undefined {
  if (text === undefined) return undefined;
  if (isReportCode(text) && text !== DELIVERED) return text;
  problems.push(`${path}: expected a code of docs/report-codes.md that is a failure`);
  return undefined;
}

function isReportCode(text: string): text is ReportCode {
  return Object.hasOwn(REPORT_CODES, text);
}

export function compilePointer(
  text: string | undefined,
  path: string,
  problems: string[],
): Pointer | undefined {
  if (text === undefined) return undefined;
  const pointer = parsePointer(text);
  if (!pointer) problems.push(`${path}: expected a JSON pointer such as /data/id`);
  return pointer;
}
