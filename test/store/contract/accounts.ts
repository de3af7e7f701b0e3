import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_ACCOUNT_SETTINGS } from '../../../src/domain/account/account.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { ACME, accountNamed, GLOBEX, type OpenStore } from './store-under-test.ts';

export function accountsContract(open: OpenStore): void {
  test('finds an account as it was created', async t => {
    const { store } = await open(t);
    const settings = { ...DEFAULT_ACCOUNT_SETTINGS, channels: ['sms' as const], sendRate: 12, pull: false };
    const account = accountNamed('acme', { passwordHash: 'secret', createdAt: 1_767_582_000_000, settings });
    assert.equal(await store.accounts.create(account), true);
    assert.deepEqual(await store.accounts.find(ACME), account);
  });

  test('knows no account that was not created', async t => {
    const { store } = await open(t);
    assert.equal(await store.accounts.find(ACME), undefined);
  });

  test('creates no account whose id is taken, and keeps the first', async t => {
    const { store } = await open(t);
    await store.accounts.create(accountNamed('acme', { passwordHash: 'first' }));
    assert.equal(await store.accounts.create(accountNamed('acme', { passwordHash: 'second' })), false);
    assert.equal((await store.accounts.find(ACME))?.passwordHash, 'first');
  });

  test('lists accounts in the order of their ids', async t => {
    const { store } = await open(t);
    for (const id of ['globex', 'acme', 'Zeta']) await store.accounts.create(accountNamed(id));
    assert.deepEqual(
      (await store.accounts.list()).map(({ id }) => id),
      ['Zeta', 'acme', 'globex'],
    );
  });

  test('sees a changed account at once, and leaves the others alone', async t => {
    const { store } = await open(t);
    await store.accounts.create(accountNamed('acme'));
    await store.accounts.create(accountNamed('globex'));
    await store.accounts.find(ACME);
    const settings = { ...DEFAULT_ACCOUNT_SETTINGS, callRate: 3 };
    const changed = accountNamed('acme', { passwordHash: 'new', blocked: true, tokenEpoch: 7, settings });
    assert.equal(await store.accounts.update(changed.id, () => changed), true);
    assert.deepEqual(await store.accounts.find(ACME), changed);
    assert.equal((await store.accounts.find(GLOBEX))?.blocked, false);
  });

  test('lets two changes at the same time both count', async t => {
    const { store } = await open(t);
    await store.accounts.create(accountNamed('acme'));
    await Promise.all([
      store.accounts.update(ACME, account => ({ ...account, blocked: true })),
      store.accounts.update(ACME, account => ({ ...account, passwordHash: 'new' })),
    ]);
    const changed = await store.accounts.find(ACME);
    assert.deepEqual([changed?.blocked, changed?.passwordHash], [true, 'new']);
  });

  test('changes no account that does not exist', async t => {
    const { store } = await open(t);
    assert.equal(await store.accounts.update(accountNamed('acme').id, account => account), false);
    assert.equal(await store.accounts.find(ACME), undefined);
  });

  test('remembers the first value under a name', async t => {
    const { store } = await open(t);
    assert.equal(await store.accounts.recall('admin'), undefined);
    assert.equal(await store.accounts.remember('admin', 'one'), 'one');
    assert.equal(await store.accounts.remember('admin', 'two'), 'one');
    assert.equal(await store.accounts.recall('admin'), 'one');
    assert.equal(await store.accounts.recall('other'), undefined);
  });

  test('agrees on one value when several are remembered at the same time', async t => {
    const { store } = await open(t);
    const values = ['one', 'two', 'three'];
    const kept = await Promise.all(values.map(value => store.accounts.remember('admin', value)));
    assert.equal(new Set(kept).size, 1);
    assert.equal(await store.accounts.recall('admin'), kept[0]);
  });

  test('finds a token by its hash and no other', async t => {
    const { store } = await open(t);
    await store.tokens.add({ hash: 'h1', account: ACME, expiresAt: 1_767_582_000_123, epoch: 3 });
    assert.deepEqual(await store.tokens.find('h1'), {
      hash: 'h1',
      account: ACME,
      expiresAt: 1_767_582_000_123,
      epoch: 3,
    });
    assert.equal(await store.tokens.find('h2'), undefined);
  });

  test('adds the tokens of a group although one of them fails', async t => {
    const { store } = await open(t);
    const token = (hash: string, account: AccountId) => ({ hash, account, expiresAt: 5, epoch: 0 });
    await store.tokens.add(token('taken', ACME));
    const results = await Promise.allSettled(
      ['h1', 'taken', 'h2'].map(hash => store.tokens.add(token(hash, GLOBEX))),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal((await store.tokens.find('taken'))?.account, ACME);
    assert.equal((await store.tokens.find('h2'))?.account, GLOBEX);
  });

  test('deletes the oldest tokens of an account beyond those to keep, and of no other', async t => {
    const { store } = await open(t);
    const add = (hash: string, account: AccountId, expiresAt: number) =>
      store.tokens.add({ hash, account, expiresAt, epoch: 0 });
    for (const age of [3, 1, 4, 2, 5]) await add(`acme ${age}`, ACME, 100 - age);
    await add('globex', GLOBEX, 1);
    assert.deepEqual(await store.tokens.trim(ACME, 5, 10), []);
    assert.deepEqual(new Set(await store.tokens.trim(ACME, 2, 2)), new Set(['acme 3', 'acme 4']));
    assert.deepEqual(await store.tokens.trim(ACME, 2, 2), ['acme 5']);
    assert.equal(await store.tokens.find('acme 3'), undefined);
    for (const hash of ['acme 1', 'acme 2', 'globex']) assert.ok(await store.tokens.find(hash), hash);
  });

  test('keeps the newest addresses of an owner, and those of others', async t => {
    const { store } = await open(t);
    const add = (hash: string, owner: string, seenAt: number) =>
      store.accounts.rememberAddress({ hash, owner, seenAt }, 2);
    await add('operator', '', 1);
    for (const [hash, seenAt] of [
      ['h1', 1],
      ['h2', 2],
      ['h1', 3],
      ['h3', 4],
    ] as const) {
      await add(hash, 'acme', seenAt);
    }
    const hashes = ['operator', 'h1', 'h2', 'h3', 'h4'];
    const known = await Promise.all(hashes.map(hash => store.accounts.knowsAddress(hash)));
    assert.deepEqual(known, [true, true, false, true, false]);
  });
}
