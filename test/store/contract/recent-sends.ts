import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MsgKey } from '../../../src/domain/ids.ts';
import type { RecentSendOrder } from '../../../src/store/store.ts';
import { ACME, answer, GLOBEX, type OpenStore, type StoreUnderTest } from './store-under-test.ts';

const WINDOW_MS = 300_000;
/** Longer than any process takes from noting a send to storing it. */
const ABANDONED_MS = 60_000;

/** Notes sends with these fingerprints; resolves to those that repeat an earlier one. */
async function note(
  bench: StoreUnderTest,
  sends: Readonly<Record<string, MsgKey>>,
  changes: Partial<RecentSendOrder> = {},
): Promise<string[]> {
  const repeated = await bench.store.recentSends.note({
    account: ACME,
    tag: Object.values(sends).join(),
    sends: Object.entries(sends).map(([fingerprint, msgKey]) => ({ fingerprint, msgKey })),
    now: bench.clock.now(),
    windowMs: WINDOW_MS,
    ...changes,
  });
  return Object.keys(sends).filter(fingerprint => repeated.has(sends[fingerprint] as MsgKey));
}

export function recentSendsContract(open: OpenStore): void {
  test('a send is repeated within its window, by the same account, while its message is there', async t => {
    const bench = await open(t);
    const first = await bench.send();
    const other = await bench.send();
    assert.deepEqual(await note(bench, { a: first, b: other }), []);
    const again = 'again' as MsgKey;
    assert.deepEqual(await note(bench, { a: again, c: 'new' as MsgKey }), ['a']);
    assert.deepEqual(await note(bench, { a: again }, { account: GLOBEX }), []);
    bench.clock.advance(WINDOW_MS - 1);
    assert.deepEqual(await note(bench, { a: again }), ['a']);
    bench.clock.advance(1);
    assert.deepEqual(await note(bench, { a: again }), []);
  });

  test('a send that failed, was forgotten or was never stored does not count', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await note(bench, { a: live.msgKey });
    assert.deepEqual(await note(bench, { a: 'again' as MsgKey }), ['a']);
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    const unstored = 'unstored' as MsgKey;
    assert.deepEqual(await note(bench, { a: unstored }), []);
    assert.deepEqual(await note(bench, { a: 'too soon' as MsgKey }), ['a'], 'it may be about to be stored');
    bench.clock.advance(ABANDONED_MS);
    assert.deepEqual(await note(bench, { a: unstored }), []);
    await bench.store.recentSends.forget(ACME, [{ fingerprint: 'a', msgKey: 'another' as MsgKey }]);
    assert.deepEqual(
      await note(bench, { a: 'too soon' as MsgKey }),
      ['a'],
      'it was noted for another message',
    );
    await bench.store.recentSends.forget(ACME, [{ fingerprint: 'a', msgKey: unstored }]);
    assert.deepEqual(await note(bench, { a: 'now' as MsgKey }), []);
  });

  test('the same request again repeats nothing, and of two at the same moment one does', async t => {
    const bench = await open(t);
    const first = await bench.send();
    const tag = 'once';
    await note(bench, { a: first }, { tag });
    assert.deepEqual(await note(bench, { a: 'second' as MsgKey }, { tag }), []);
    assert.deepEqual(await note(bench, { a: 'third' as MsgKey }), ['a']);
    const racing = await Promise.all(
      [1, 2, 3].map(racer => note(bench, { x: `x${racer}` as MsgKey, y: `y${racer}` as MsgKey })),
    );
    assert.deepEqual(racing.map(({ length }) => length).sort(), [0, 2, 2]);
  });

  test('calls of one tag share a note, whichever of them is accepted', async t => {
    const bench = await open(t);
    const key = (name: string) => name as MsgKey;
    const forget = async (...names: string[]) => {
      for (const name of names)
        await bench.store.recentSends.forget(ACME, [{ fingerprint: 'a', msgKey: key(name) }]);
    };
    const live = await bench.sendAndClaim();
    for (const accepted of ['first', 'second', 'third']) {
      const fresh = { tag: `once ${accepted}`, now: bench.clock.now() };
      for (const name of ['first', 'second', 'third']) {
        const msgKey = name === accepted ? live.msgKey : key(name);
        assert.deepEqual(await note(bench, { a: msgKey }, fresh), [], name);
      }
      await forget(...['first', 'second', 'third'].filter(name => name !== accepted));
      bench.clock.advance(ABANDONED_MS);
      assert.deepEqual(await note(bench, { a: key('genuine') }), ['a'], `the ${accepted} was accepted`);
      assert.deepEqual(await note(bench, { a: key('late') }, fresh), [], 'that one is stored');
      await forget('late');
      assert.deepEqual(await note(bench, { a: key('genuine') }), ['a']);
      bench.clock.advance(WINDOW_MS);
    }
    const again = { tag: 'again', now: bench.clock.now() };
    for (const msgKey of ['first', live.msgKey, 'third']) await note(bench, { a: key(msgKey) }, again);
    await forget('third', 'first');
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    assert.deepEqual(await note(bench, { a: key('genuine') }), [], 'it has failed');
    await forget('genuine');
    assert.deepEqual(await note(bench, { a: key('next') }), [], 'none is left');
  });

  test('what was noted is swept when its window is over', async t => {
    const bench = await open(t);
    const longer = { windowMs: 10 * WINDOW_MS };
    await note(bench, { a: await bench.send() });
    await bench.sweep();
    assert.deepEqual(await note(bench, { a: 'again' as MsgKey }, longer), ['a']);
    bench.clock.advance(WINDOW_MS + 1);
    await bench.sweep();
    assert.deepEqual(await note(bench, { a: 'again' as MsgKey }, longer), []);
  });

  test('a clock that was set back does not make a window longer than it is', async t => {
    const bench = await open(t);
    await note(bench, { a: await bench.send() }, { now: bench.clock.now() + 24 * 3_600_000 });
    assert.deepEqual(await note(bench, { a: 'now' as MsgKey }), []);
  });
}
