import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../../src/store/store.ts';
import type { OpenStore } from './store-under-test.ts';

export function operatorContract(open: OpenStore): void {
  test('keeps a session until it is removed, also over a restart', async t => {
    const bench = await open(t);
    const session = { hash: 'h', authority: 'a', expiresAt: 5000 };
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
  });

  test('lists the audit log newest first, page by page, and sweeps it', async t => {
    const { store } = await open(t);
    const entry = (at: number): AuditEntry => ({
      at,
      who: 'cli',
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
      rest.map(({ at }) => at),
      [1],
    );
    await store.audit.sweep(3);
    assert.deepEqual(
      (await store.audit.list(5)).map(({ at }) => at),
      [3],
    );
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
