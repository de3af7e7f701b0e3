/** The parameters of a list of opt-outs, for accounts and operators alike. */
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { NUMBER_FORM } from '../domain/delivery/opt-out-request.ts';
import { canonicalNumber } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OptOutView } from './opt-out-file.ts';
import type { OptOuts } from './opt-outs.ts';

const DEFAULT_LIMIT = 100;
export const MOST_LISTED = 1000;

interface OptOutListQuery {
  readonly limit: number;
  readonly before?: number;
  readonly number?: string;
  readonly sender?: string;
  readonly isCurrent: boolean;
}

export function parseOptOutQuery(query: Readonly<Record<string, unknown>>): OptOutListQuery | Problem {
  const given = (name: string) => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const limit = numberOf(given('limit') ?? String(DEFAULT_LIMIT));
  if (limit === undefined || limit < 1 || limit > MOST_LISTED) {
    return new Problem('A300', `"limit" must be a whole number from 1 to ${MOST_LISTED}`);
  }
  const cursor = given('cursor');
  const before = cursor === undefined ? undefined : numberOf(cursor);
  if (cursor !== undefined && before === undefined) return new Problem('A300', '"cursor" is invalid');
  const to = given('to');
  const number = to === undefined ? undefined : canonicalNumber(to);
  if (to !== undefined && number === undefined) return new Problem('A306', `"to" must be ${NUMBER_FORM}`);
  const state = given('state') ?? 'current';
  if (state !== 'current' && state !== 'all') {
    return new Problem('A300', '"state" must be "current" or "all"');
  }
  const sender = given('sender');
  if (sender?.includes('\0')) return new Problem('A300', '"sender" is invalid');
  return {
    ...{ limit, isCurrent: state === 'current' },
    ...(before !== undefined && { before }),
    ...(number !== undefined && { number }),
    ...(sender !== undefined && { sender }),
  };
}

function numberOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** One page of the list, newest first. */
export async function optOutPage(
  optOuts: Pick<OptOuts, 'page'>,
  account: string,
  given: Readonly<Record<string, unknown>>,
  view: (optOut: OptOut) => OptOutView,
): Promise<{ readonly optOuts: readonly OptOutView[]; readonly next: string | null } | Problem> {
  const query = parseOptOutQuery(given);
  if (query instanceof Problem) return query;
  const page = await optOuts.page(account, { ...query, limit: query.limit + 1 });
  if (page instanceof Problem) return page;
  const listed = page.slice(0, query.limit);
  const next = page.length > query.limit ? String(listed.at(-1)?.id) : null;
  return { optOuts: listed.map(view), next };
}
