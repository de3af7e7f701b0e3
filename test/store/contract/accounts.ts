import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_ACCOUNT_SETTINGS } from '../../../src/domain/account/account.ts';
import type { AccountId, FormId, MsgKey } from '../../../src/domain/ids.ts';
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

  test('deletes a blocked account at once, its things in chunks, and never gives its id again', async t => {
    const bench = await open(t);
    const { store } = bench;
    const settings = DEFAULT_ACCOUNT_SETTINGS;
    for (const id of [ACME, GLOBEX]) {
      await store.accounts.create(accountNamed(id));
      for (const index of [1, 2, 3]) {
        const key = `${id}-${index}`;
        await store.tokens.add({ hash: key, account: id, expiresAt: 9_000_000_000_000, epoch: 0 });
        const form = { account: id, formId: key as FormId, entries: '[]', savedAt: 1 };
        await store.forms.create(form, settings.formLimit);
        await store.accounts.rememberAddress({ hash: key, owner: id, seenAt: 1 }, 10);
      }
    }
    const sent = [await bench.send({ account: ACME }), await bench.send({ account: ACME })];
    await bench.send({ account: GLOBEX });
    assert.deepEqual((await store.accounts.onTheWay(ACME, 10)).toSorted(), sent.toSorted());
    assert.equal((await store.accounts.onTheWay(ACME, 1)).length, 1);
    assert.deepEqual(await store.accounts.onTheWay('nobody' as AccountId, 10), []);

    assert.equal(await store.accounts.remove(ACME, 500), false, 'it is not blocked');
    await store.accounts.update(ACME, account => ({ ...account, blocked: true }));
    assert.equal(await store.accounts.remove(ACME, 500), true);
    assert.equal(await store.accounts.remove(ACME, 600), false, 'only once');
    assert.equal(await store.accounts.find(ACME), undefined);
    assert.equal(await store.accounts.update(ACME, account => account), false);
    assert.deepEqual(
      (await store.accounts.list()).map(({ id }) => id),
      [GLOBEX],
    );
    assert.equal(await store.accounts.deletedAt(ACME), 500);
    assert.equal(await store.accounts.deletedAt(GLOBEX), undefined);
    assert.equal(await store.accounts.create(accountNamed('acme')), false, 'its messages are still kept');

    assert.equal(await store.accounts.purge(1000, 2), true);
    assert.equal(await store.accounts.purge(1000, 2), false);
    const left = async (id: AccountId) => [
      (await store.accounts.usage(id, 0, 10)).forms,
      (await store.accounts.usage(id, 0, 10)).tokens,
      await store.accounts.knowsAddress(`${id}-1`),
    ];
    assert.deepEqual(await left(ACME), [0, 0, false]);
    assert.deepEqual(await left(GLOBEX), [3, 3, true]);
    assert.equal((await bench.view(sent[0] as MsgKey)).account, ACME, 'messages stay');

    await store.accounts.forget(500);
    assert.equal(await store.accounts.create(accountNamed('acme')), false);
    await store.accounts.forget(501);
    assert.equal(
      await store.accounts.create(accountNamed('acme')),
      false,
      'sums and moved messages outlive it',
    );
    assert.equal(await store.accounts.deletedAt(ACME), 500);
    await bench.reopen();
    assert.equal(await bench.store.accounts.create(accountNamed('acme')), false);
  });
}
