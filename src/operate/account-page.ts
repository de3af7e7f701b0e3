/** A page of the accounts: those whose id has a text in it, by id or newest first. */
import type { Account } from '../domain/account/account.ts';
import { Problem } from '../domain/request/problem.ts';

export const ACCOUNT_ORDERS = ['id', 'newest'] as const;
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number];

export interface AccountQuery {
  readonly search: string;
  readonly order: AccountOrder;
  readonly limit: number;
  readonly cursor: string | undefined;
}

type Place = Pick<Account, 'id' | 'createdAt'>;

const COMPARE: Readonly<Record<AccountOrder, (one: Place, other: Place) => number>> = {
  id: (one, other) => compareIds(one, other),
  newest: (one, other) => other.createdAt - one.createdAt || compareIds(one, other),
};

export function pageOfAccounts(
  all: readonly Account[],
  { search, order, limit, cursor }: AccountQuery,
): { readonly page: readonly Account[]; readonly next: string | null } | Problem {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  if (cursor !== undefined && !after) return new Problem('A300', '"cursor" is invalid');
  const compare = COMPARE[order];
  const wanted = search.toLowerCase();
  const found = all
    .filter(account => account.id.toLowerCase().includes(wanted) && (!after || compare(account, after) > 0))
    .toSorted(compare);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && found.length > limit ? `${last.createdAt}-${last.id}` : null };
}

function compareIds(one: Place, other: Place): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function placeIn(cursor: string): Place | undefined {
  const [, createdAt, id] = /^(\d{1,15})-(.{1,64})$/.exec(cursor) ?? [];
  return createdAt === undefined ? undefined : { createdAt: Number(createdAt), id: id as Account['id'] };
}
