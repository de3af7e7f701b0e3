import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorToken } from '../../../src/domain/operator/operator-token.ts';
import type { AuditEntry, SessionRow } from '../../../src/store/store.ts';
import { batchOf, type OpenStore, WRITTEN_AT } from './store-under-test.ts';

export function operatorContract(open: OpenStore): void {
  test('keeps a session until it is removed, also over a restart', async t => {
    const bench = await open(t);
    const session = sessionNamed('h', { expiresAt: 5000 });
    await bench.store.sessions.add(session, 10);
    await bench.reopen();
    assert.deepEqual(await bench.store.sessions.find('h'), session);
    await bench.store.sessions.sweep(5000);
    assert.deepEqual(await bench.store.sessions.find('h'), session);
    await bench.store.sessions.sweep(5001);
    assert.equal(await bench.store.sessions.find('h'), undefined);
    await bench.store.sessions.add(session, 10);
    const removed = [bench.store.sessions.remove('h'), bench.store.sessions.remove('h')];
    assert.deepEqual((await Promise.all(removed)).toSorted(), [false, true]);
    assert.equal(await bench.store.sessions.find('h'), undefined);
    const named = { ...session, operatorId: 'op1', address: '192.0.2.1', agent: 'Chrome', openedAt: 7 };
    await bench.store.sessions.add(named, 10);
    await bench.store.sessions.used('h', 9);
    assert.deepEqual(await bench.store.sessions.find('h'), { ...named, usedAt: 9 });
  });

  test('lists sessions newest first, finds them by the begin of their hash, keeps the newest of each owner', async t => {
    const { sessions } = (await open(t)).store;
    const add = (hash: string, openedAt: number, operatorId?: string) =>
      sessions.add(sessionNamed(hash, { openedAt, operatorId }), 2);
    await sessions.add(sessionNamed('old'), 2);
    await add('a1', 1, 'a');
    await add('a2', 2, 'a');
    await add('a3', 3, 'a');
    await add('b1', 2, 'b');
    await add('admin', 4);
    const hashes = async (query: { now: number; limit: number; operatorId?: string }) =>
      (await sessions.list(query)).map(({ hash }) => hash);
    assert.deepEqual(await hashes({ now: 0, limit: 10 }), ['admin', 'a3', 'a2', 'b1', 'old']);
    assert.deepEqual(await hashes({ now: 0, limit: 2 }), ['admin', 'a3']);
    assert.deepEqual(await hashes({ now: 0, limit: 9, operatorId: 'a' }), ['a3', 'a2']);
    assert.deepEqual(await hashes({ now: 5000, limit: 10 }), []);
    assert.equal((await sessions.findByPrefix('b'))?.hash, 'b1');
    assert.equal(await sessions.findByPrefix('c'), undefined);
    assert.equal(await sessions.findByPrefix('b2'), undefined);
  });

  test('an invitation becomes a token once, until it ends or is withdrawn', async t => {
    const { operatorTokens } = (await open(t)).store;
    const invite = (id: string) =>
      operatorTokens.add(operatorToken(id, { expiresAt: 2000, lifetimeDays: 30 }), 10);
    const accept = (id: string, at: number) =>
      operatorTokens.accept(`hash of ${id}`, { hash: `token of ${id} at ${at}`, expiresAt: 9000 }, at);
    for (const id of ['kim', 'lee', 'park']) assert.equal(await invite(id), 'added');
    assert.equal(await invite('kim'), 'taken', 'an invitation holds the name');
    const both = await Promise.all([accept('kim', 1500), accept('kim', 1501)]);
    const kim = both.find(token => token !== undefined);
    assert.equal(both.filter(token => token !== undefined).length, 1);
    assert.deepEqual([kim?.name, kim?.expiresAt, kim?.lifetimeDays], ['kim', 9000, undefined]);
    assert.deepEqual(await operatorTokens.findByHash(kim?.hash ?? ''), kim);
    assert.equal(await accept('lee', 2000), undefined, 'its time is over');
    await operatorTokens.revoke('park', 1200);
    assert.equal(await accept('park', 1500), undefined, 'it was withdrawn');
    await operatorTokens.add(operatorToken('choi'), 10);
    assert.equal(await accept('choi', 1500), undefined, 'a token is no invitation');
  });

  test('changes the role of an operator who is not revoked', async t => {
    const { operatorTokens } = (await open(t)).store;
    await operatorTokens.add(operatorToken('kim'), 10);
    assert.equal(await operatorTokens.setRole('kim', 'admin'), true);
    assert.equal((await operatorTokens.find('kim'))?.role, 'admin');
    assert.equal(await operatorTokens.setRole('nobody', 'admin'), false);
    await operatorTokens.revoke('kim', 2000);
    assert.equal(await operatorTokens.setRole('kim', 'viewer'), false);
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
    const page = await store.audit.list({ limit: 2 });
    assert.deepEqual(
      page.map(({ id, ...rest }) => rest),
      [entry(3), entry(2)],
    );
    const rest = await store.audit.list({ limit: 2, before: page[1] });
    assert.deepEqual(
      rest.map(({ id, ...entry }) => entry),
      [entry(1)],
    );
    await store.audit.sweep(3);
    assert.deepEqual(
      (await store.audit.list({ limit: 5 })).map(({ at }) => at),
      [3],
    );
  });

  test('lists the audit log of a time, and entries of one moment one after the other', async t => {
    const { store } = await open(t);
    for (const [at, target] of [
      [1, 'a'],
      [3, 'b'],
      [2, 'c'],
      [2, 'd'],
    ] as const) {
      const who = { who: 'cli', name: 'kim', operatorId: undefined } as const;
      await store.audit.add({ at, ...who, action: 'account.change', target, details: {} });
    }
    const targets = async (query: Parameters<typeof store.audit.list>[0]) =>
      (await store.audit.list(query)).map(({ target }) => target).join('');
    assert.equal(await targets({ limit: 9 }), 'bdca');
    assert.equal(await targets({ limit: 9, before: { at: 3, id: 0 }, from: 2 }), 'dc');
    const [, second] = await store.audit.list({ limit: 2 });
    assert.equal(await targets({ limit: 9, before: second }), 'ca');
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
    const [b, c, d] = [await bench.send(), await bench.send(), await bench.send()];
    const [first, second, third] = [link('a', b, 1000), link('a', c, 2000), link(c, d, 3000)];
    const notStored = link('a', 'x', 2500);
    for (const each of [second, first, third, first, notStored]) await resends.add(each);
    const of = (...keys: string[]) => resends.of(keys as Parameters<typeof resends.of>[0][number][]);
    assert.deepEqual(await of('a'), [first, second]);
    assert.deepEqual(await of(c), [second, third]);
    assert.deepEqual(await of(d, b), [first, third]);
    assert.deepEqual(await of('e'), []);
    assert.deepEqual(await of(), []);
    await bench.sweep({ inquiryBefore: 2000 });
    assert.deepEqual(await of('a', c), [second, third]);
  });

  test('adds up the statistics of a minute', async t => {
    const { store } = await open(t);
    const row = (at: number, name: string, value: number) => ({ at, name, value });
    await store.statistics.add(batchOf('x', 1, row(60_000, 'b', 1), row(60_000, 'a', 2)));
    await store.statistics.add(batchOf('y', 1, row(60_000, 'a', 3), row(120_000, 'a', 4)));
    const expected = [row(60_000, 'a', 5), row(60_000, 'b', 1), row(120_000, 'a', 4)];
    assert.deepEqual(await store.statistics.between(0, 180_000), expected);
    assert.deepEqual(await store.statistics.between(60_000, 120_000), expected.slice(0, 2));
    await store.statistics.sweep(120_000);
    assert.deepEqual(await store.statistics.between(0, 180_000), expected.slice(2));
  });

  test('deletes old statistics a chunk at a time', async t => {
    const { store } = await open(t);
    const rows = Array.from({ length: 1_500 }, (_, index) => ({ at: 1, name: `n${index}`, value: 1 }));
    await store.statistics.add(batchOf('x', 1, ...rows));
    assert.equal(await store.statistics.sweep(2), true);
    assert.ok((await store.statistics.between(0, 2)).length > 0);
    while (await store.statistics.sweep(2));
    assert.deepEqual(await store.statistics.between(0, 2), []);
  });

  test('adds a batch of statistics once, whoever gives it again and however late', async t => {
    const bench = await open(t);
    const { statistics } = bench.store;
    const one = { at: 60_000, name: 'a', value: 1 };
    const sum = async () => (await bench.store.statistics.between(0, 120_000)).map(({ value }) => value);
    await Promise.all([statistics.add(batchOf('x', 1, one)), statistics.add(batchOf('x', 1, one))]);
    await statistics.add(batchOf('x', 3, one));
    for (const number of [1, 2, 3]) await statistics.add(batchOf('x', number, one));
    assert.deepEqual(await sum(), [2]);
    await statistics.add(batchOf('y', 3, one));
    await bench.reopen();
    await bench.store.statistics.add(batchOf('y', 3, one));
    assert.deepEqual(await sum(), [3]);
    await bench.store.statistics.sweep(WRITTEN_AT);
    await bench.store.statistics.add(batchOf('y', 3, one));
    assert.deepEqual(await sum(), []);
    await bench.store.statistics.sweep(WRITTEN_AT + 1);
    await bench.store.statistics.add(batchOf('y', 1, one));
    assert.deepEqual(await sum(), [1]);
  });
}

export function sessionNamed(hash: string, members: Partial<SessionRow> = {}): SessionRow {
  return {
    ...{ hash, authority: 'a', operatorId: undefined, openedAt: undefined, usedAt: undefined },
    ...{ expiresAt: 5000, address: undefined, agent: undefined },
    ...members,
  };
}

export function operatorToken(name: string, members: Partial<OperatorToken> = {}): OperatorToken {
  const id = members.id ?? name;
  return {
    ...{ id, name, role: 'viewer', hash: `hash of ${id}`, createdAt: 1000, createdBy: 'admin' },
    ...{ expiresAt: 1_000_000, revokedAt: undefined, lastUsedAt: undefined, lifetimeDays: undefined },
    ...members,
  };
}
