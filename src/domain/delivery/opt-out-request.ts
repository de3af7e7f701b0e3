/** Opt-outs and consents as accounts and operators write them. */
import { field, parsed, word } from '../request/field-kinds.ts';
import { isNotGiven, isObject, type ValuesOf } from '../request/fields.ts';
import { cursor, numberIn, pageLimit } from '../request/list-fields.ts';
import { canonicalNumber } from '../request/phone-number.ts';
import { Problem } from '../request/problem.ts';
import {
  ANY_SENDER,
  type NewOptOut,
  OPT_OUT_COVERS,
  type OptOutCovers,
  parseOptOutSender,
  SENDER_FORM,
} from './opt-out.ts';

/** Of one call. */
export const MOST_OPT_OUTS_A_CALL = 1000;

export const NUMBER_FORM = 'a phone number, such as 01012345678 or +14155550123';

/** Rows of a page, where the query does not say how many. */
export const OPT_OUTS_A_PAGE = 100;

/** The query of a list. */
export const OPT_OUT_FILTERS = {
  to: {
    ...parsed({
      code: 'A306',
      parse: canonicalNumber,
      mustBe: NUMBER_FORM,
      description: 'Only this recipient.',
    }),
    example: '01012345678',
  },
  sender: {
    ...field<string>(
      'A300',
      { type: 'string', description: 'Only entries about this sender.' },
      // No sender holds a NUL, and PostgreSQL does not even look for one.
      value => (String(value).includes('\0') ? new Problem('A300', '"sender" is invalid') : String(value)),
    ),
    example: '0212345678',
  },
  state: {
    ...word({
      code: 'A300',
      values: ['current', 'all'],
      description: 'current: entries that have not ended, the default; all: these too.',
    }),
    example: 'current',
  },
  cursor: cursor('17', numberIn),
  limit: pageLimit(1000, OPT_OUTS_A_PAGE),
};

export type OptOutFilters = ValuesOf<typeof OPT_OUT_FILTERS>;

/** One entry of a list as it is written. */
export interface WrittenOptOut {
  readonly to: string;
  readonly sender?: string | undefined;
  readonly covers?: string | undefined;
}

/** The entries of `{ "optOuts": […] }`. */
export function parseOptOuts(body: unknown): readonly NewOptOut[] | Problem {
  return parseList(body, 'optOuts', parseOptOut);
}

/** The recipients of `{ "recipients": […] }`, who give their consent back. */
export function parseConsents(
  body: unknown,
): readonly { readonly number: string; readonly sender: string | undefined }[] | Problem {
  return parseList(body, 'recipients', (item, path) => {
    const entry = parseOptOut(item, path);
    if (entry instanceof Problem) return entry;
    const isForAll = !isObject(item) || isNotGiven(item.sender);
    return { number: entry.number, sender: isForAll ? undefined : entry.sender };
  });
}

function parseList<T>(
  body: unknown,
  name: string,
  parse: (item: unknown, path: string) => T | Problem,
): readonly T[] | Problem {
  const given = isObject(body) ? body[name] : undefined;
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_OPT_OUTS_A_CALL) {
    return new Problem('A300', `"${name}" must be a list of 1 to ${MOST_OPT_OUTS_A_CALL} recipients`);
  }
  const parsed: T[] = [];
  for (const [index, item] of given.entries()) {
    const entry = parse(item, `${name}[${index}].`);
    if (entry instanceof Problem) return entry;
    parsed.push(entry);
  }
  return parsed;
}

/** `path` goes before the name of a field in a problem. */
export function parseOptOut(item: unknown, path: string): NewOptOut | Problem {
  if (!isObject(item)) return new Problem('A300', `"${path}to" is required`);
  const { to } = item;
  const sender = isNotGiven(item.sender) ? ANY_SENDER : item.sender;
  const covers = isNotGiven(item.covers) ? 'advertisements' : item.covers;
  const number = typeof to === 'string' ? canonicalNumber(to) : undefined;
  if (number === undefined) return new Problem('A306', `"${path}to" must be ${NUMBER_FORM}`);
  const from = typeof sender === 'string' ? parseOptOutSender(sender) : undefined;
  if (from === undefined) return new Problem('A300', `"${path}sender" must be ${SENDER_FORM}`);
  if (!OPT_OUT_COVERS.includes(covers as OptOutCovers)) {
    return new Problem('A300', `"${path}covers" must be "advertisements" or "all"`);
  }
  return { number, sender: from, covers: covers as OptOutCovers, source: undefined };
}
