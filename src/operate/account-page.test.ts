import assert from 'node:assert/strict';
import test from 'node:test';
import { type Account, completeSettings } from '../domain/account/account.ts';
import { Problem } from '../domain/request/problem.ts';
import { type AccountQuery, pageOfAccounts } from './account-page.ts';

function accountOf(id: string, createdAt: number): Account {
  return {
    id: id as Account['id'],
    createdAt,
    passwordHash: '',
    blocked: false,
    tokenEpoch: 0,
    settings: completeSettings({}),
  };
}

const ALL = [accountOf('shop', 1), accountOf('Shop-2', 3), accountOf('branch', 2), accountOf('late-shop', 3)];

function idsOf(query: Partial<AccountQuery>): readonly string[] {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const found = pageOfAccounts(ALL, { search: '', order: 'id', limit: 2, cursor, ...query });
    if (found instanceof Problem) throw new Error(found.result);
    ids.push(...found.page.map(({ id }) => id));
    cursor = found.next;
  }
  return ids;
}

test('accounts are found by a part of their id, page by page, by id or newest first', () => {
  assert.deepEqual(idsOf({}), ['Shop-2', 'branch', 'late-shop', 'shop']);
  assert.deepEqual(idsOf({ order: 'newest' }), ['Shop-2', 'late-shop', 'branch', 'shop']);
  assert.deepEqual(idsOf({ search: 'SHOP', order: 'newest', limit: 1 }), ['Shop-2', 'late-shop', 'shop']);
  assert.deepEqual(idsOf({ search: 'nobody' }), []);
});

test('a cursor of another list is refused', () => {
  const found = pageOfAccounts(ALL, { search: '', order: 'id', limit: 2, cursor: 'shop' });
  assert.ok(found instanceof Problem);
});
