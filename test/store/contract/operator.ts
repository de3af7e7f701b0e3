import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorToken } from '../../../src/domain/operator/operator-token.ts';
import type { AuditEntry } from '../../../src/store/store.ts';
import type { OpenStore } from './store-under-test.ts';

export function operatorContract(open: OpenStore): void {
  test('keeps a session until it is removed, also over a restart', async t => {
    const bench = await open(t);
    const session = { hash: 'h', authority: 'a', operatorId: undefined, expiresAt: 5000 };
    await bench.store.sessions.add(session);
    await bench.reopen();
    assert.deepEqual(await bench.store.sessions.find('h'), session);
    await bench.store.sessions.sweep(5000);
    assert.deepEqual(await bench.store.sessions.find('h'), session);
    await bench.store.sessions.sweep(5001);
    assert.equal(await bench.store.sessions.find('h'), undefined);
    await bench.store.sessions.add(session);
    await bench.store.sessions.remove('h');
    assert.equal(await bench.store.sessions.find('h'), undefined);
    const named = { ...session, operatorId: 'op1' };
    await bench.store.sessions.add(named);
    assert.deepEqual(await bench.store.sessions.find('h'), named);
  });

  test('lists the audit log newest first, page by page, and sweeps it', async t => {
    const { store } = await open(t);
    const entry = (at: number): AuditEntry => ({
      at,
      who: 'cli',
      name: at === 1 ? undefined : 'kim',
      operatorId: at === 1 ? undefined : 'op1',
      action: 'account.block',
      target: 'acme',
      details: { at },
    });
    for (const at of [1, 2, 3]) await store.audit.add(entry(at));
    const page = await store.audit.list(2);
    assert.deepEqual(
      page.map(({ id, ...rest }) => rest),
      [entry(3), entry(2)],
    );
    const rest = await store.audit.list(2, page[1]?.id);
    assert.deepEqual(
      rest.map(({ id, ...entry }) => entry),
      [entry(1)],
    );
    await store.audit.sweep(3);
    assert.deepEqual(
      (await store.audit.list(5)).map(({ at }) => at),
      [3],
    );
  });

  test('keeps a named token until it is revoked, also over a restart', async t => {
    const bench = await open(t);
    const kim = operatorToken('kim');
    assert.equal(await bench.store.operatorTokens.add(kim, 10), 'added');
    await bench.reopen();
    const { operatorTokens } = bench.store;
    assert.deepEqual(await operatorTokens.find(kim.id), kim);
    assert.deepEqual(await operatorTokens.findByHash(kim.hash), kim);
    assert.equal(await operatorTokens.findByHash(kim.id), undefined);
    assert.equal(await operatorTokens.find('nobody'), undefined);
    await operatorTokens.used(kim.id, 1500);
    assert.equal(await operatorTokens.revoke(kim.id, 2000), true);
    assert.equal(await operatorTokens.revoke(kim.id, 3000), false, 'only once');
    assert.equal(await operatorTokens.revoke('nobody', 3000), false);
    assert.deepEqual(await operatorTokens.list(), [{ ...kim, lastUsedAt: 1500, revokedAt: 2000 }]);
    await operatorTokens.sweep(2000);
    assert.equal((await operatorTokens.list()).length, 1);
    await operatorTokens.sweep(2001);
    assert.deepEqual(await operatorTokens.list(), []);
  });

  test('gives no name to two tokens that can be used, and again to one after the other', async t => {
    const { operatorTokens } = (await open(t)).store;
    const add = (id: string, createdAt: number) =>
      operatorTokens.add(operatorToken('kim', { id, createdAt, expiresAt: createdAt + 1000 }), 10);
    const both = await Promise.all([add('a', 1000), add('b', 1000)]);
    assert.deepEqual(both.toSorted(), ['added', 'taken']);
    assert.equal(await add('c', 1999), 'taken');
    assert.equal(await add('d', 2000), 'added', 'the first has expired');
    await operatorTokens.revoke('d', 2001);
    assert.equal(await add('e', 2002), 'added', 'the second was revoked');
  });

  test('holds as many tokens as it may, and the newest of those that have ended', async t => {
    const { operatorTokens } = (await open(t)).store;
    const add = (name: string) => operatorTokens.add(operatorToken(name), 2);
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
      assert.equal(await add(name), 'added');
      await operatorTokens.revoke(name, 2000 + at);
    }
    const results = await Promise.all(['e', 'f', 'g', 'h'].map(add));
    assert.deepEqual(results.toSorted(), ['added', 'added', 'full', 'full']);
    const names = (await operatorTokens.list()).map(({ name }) => name);
    assert.deepEqual([names.length, names.slice(0, 2)], [4, ['c', 'd']]);
  });

  test('knows which message was sent in the place of which, as long as messages are kept', async t => {
    const bench = await open(t);
    const { resends } = bench.store;
    const link = (oldKey: string, newKey: string, at: number) =>
      ({ oldKey, newKey, at }) as Parameters<typeof resends.add>[0];
    const [first, second, third] = [link('a', 'b', 1000), link('a', 'c', 2000), link('c', 'd', 3000)];
    for (const each of [second, first, third, first]) await resends.add(each);
    const of = (...keys: string[]) => resends.of(keys as Parameters<typeof resends.of>[0][number][]);
    assert.deepEqual(await of('a'), [first, second]);
    assert.deepEqual(await of('c'), [second, third]);
    assert.deepEqual(await of('d', 'b'), [first, third]);
    assert.deepEqual(await of('e'), []);
    assert.deepEqual(await of(), []);
    await bench.sweep({ inquiryBefore: 2000 });
    assert.deepEqual(await of('a', 'c'), [second, third]);
  });

  test('adds up the statistics of a minute', async t => {
    const { store } = await open(t);
    const row = (at: number, name: string, value: number) => ({ at, name, value });
    await store.statistics.add([row(60_000, 'b', 1), row(60_000, 'a', 2)]);
    await store.statistics.add([row(60_000, 'a', 3), row(120_000, 'a', 4)]);
    const expected = [row(60_000, 'a', 5), row(60_000, 'b', 1), row(120_000, 'a', 4)];
    assert.deepEqual(await store.statistics.between(0, 180_000), expected);
    assert.deepEqual(await store.statistics.between(60_000, 120_000), expected.slice(0, 2));
    await store.statistics.sweep(120_000);
    assert.deepEqual(await store.statistics.between(0, 180_000), expected.slice(2));
  });
}

function operatorToken(name: string, members: Partial<OperatorToken> = {}): OperatorToken {
  const id = members.id ?? name;
  return {
    ...{ id, name, role: 'viewer', hash: `hash of ${id}`, createdAt: 1000, createdBy: 'admin' },
    ...{ expiresAt: 1_000_000, revokedAt: undefined, lastUsedAt: undefined },
    ...members,
  };
}
