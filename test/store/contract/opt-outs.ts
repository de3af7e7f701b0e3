import assert from 'node:assert/strict';
import test from 'node:test';
import type { NewOptOut, OptOutMark } from '../../../src/domain/delivery/opt-out.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const KIM = '+821012345678';
const LEE = '+821087654321';
const SINCE: OptOutMark = { at: 1000, way: 'api', by: 'acme' };
const ENDED: OptOutMark = { at: 2000, way: 'operator', by: 'park' };

function entry(number: string, changes: Partial<NewOptOut> = {}): NewOptOut {
  return { number, sender: '*', covers: 'advertisements', source: undefined, ...changes };
}

export function optOutsContract(open: OpenStore): void {
  test('opt-outs: keeps who, what, when, how and by whom, and adds nothing twice', async t => {
    const { store } = await open(t);
    const given = [
      entry(KIM),
      entry(KIM),
      entry(KIM, { covers: 'all', source: 'MO1' }),
      entry(LEE, { sender: '15880000' }),
    ];
    assert.equal(await store.optOuts.add(ACME, given, SINCE), 3);
    assert.equal(await store.optOuts.add(ACME, given, { ...SINCE, at: 5 }), 0);
    const found = await store.optOuts.find(ACME, [KIM]);
    assert.deepEqual(
      found.map(({ id, ...rest }) => rest).sort((a, b) => a.covers.localeCompare(b.covers)),
      [
        { ...entry(KIM), account: ACME, since: SINCE, ended: undefined },
        { ...entry(KIM, { covers: 'all', source: 'MO1' }), account: ACME, since: SINCE, ended: undefined },
      ],
    );
    assert.equal((await store.optOuts.find(ACME, [KIM, LEE])).length, 3);
    assert.equal(await store.optOuts.count(ACME, 10), 3);
    assert.equal(await store.optOuts.count(ACME, 2), 2);
  });

  test('opt-outs: what many add at once is there once', async t => {
    const { store } = await open(t);
    const added = await Promise.all(
      [1, 2, 3, 4].map(() => store.optOuts.add(ACME, [entry(KIM), entry(LEE)], SINCE)),
    );
    assert.equal(
      added.reduce((sum, count) => sum + count),
      2,
    );
  });

  test('opt-outs: those of one account are no other’s', async t => {
    const { store } = await open(t);
    await store.optOuts.add(ACME, [entry(KIM)], SINCE);
    const [own] = await store.optOuts.find(ACME, [KIM]);
    assert.deepEqual(await store.optOuts.find(GLOBEX, [KIM]), []);
    assert.deepEqual(await store.optOuts.page(GLOBEX, { limit: 10 }), []);
    assert.equal(await store.optOuts.consent(GLOBEX, [{ number: KIM, sender: undefined }], ENDED), 0);
    assert.equal(await store.optOuts.end(GLOBEX, own?.id ?? 0, ENDED), undefined);
    assert.deepEqual(await store.optOuts.lists(), [{ account: ACME, covers: 'advertisements' }]);
    assert.equal((await store.optOuts.find(ACME, [KIM])).length, 1);
  });

  test('opt-outs: consent ends entries, of one sender or of all, and they stay as proof', async t => {
    const { store } = await open(t);
    await store.optOuts.add(ACME, [entry(KIM), entry(KIM, { sender: '02' }), entry(LEE)], SINCE);
    assert.equal(await store.optOuts.consent(ACME, [{ number: KIM, sender: '02' }], ENDED), 1);
    assert.deepEqual(
      (await store.optOuts.find(ACME, [KIM])).map(({ sender }) => sender),
      ['*'],
    );
    assert.equal(await store.optOuts.consent(ACME, [{ number: KIM, sender: undefined }], ENDED), 1);
    assert.deepEqual(await store.optOuts.find(ACME, [KIM]), []);
    const [lee] = await store.optOuts.find(ACME, [LEE]);
    const ended = await store.optOuts.end(ACME, lee?.id ?? 0, ENDED);
    assert.deepEqual([ended?.number, ended?.ended], [LEE, ENDED]);
    assert.equal(await store.optOuts.end(ACME, lee?.id ?? 0, ENDED), undefined);
    const all = await store.optOuts.page(ACME, { limit: 10 });
    assert.deepEqual(
      all.map(each => each.ended),
      [ENDED, ENDED, ENDED],
    );
    assert.equal(await store.optOuts.add(ACME, [entry(KIM)], { ...SINCE, at: 3000 }), 1);
  });

  test('opt-outs: lists them newest first, in pages, by number, sender and whether they have ended', async t => {
    const { store } = await open(t);
    for (const number of [KIM, LEE, '+821000000001']) await store.optOuts.add(ACME, [entry(number)], SINCE);
    await store.optOuts.add(ACME, [entry(KIM, { sender: '02' })], SINCE);
    await store.optOuts.consent(ACME, [{ number: LEE, sender: undefined }], ENDED);
    const first = await store.optOuts.page(ACME, { limit: 2 });
    const rest = await store.optOuts.page(ACME, { limit: 10, before: first.at(-1)?.id ?? 0 });
    assert.deepEqual(
      [...first, ...rest].map(({ number, sender }) => [number, sender]),
      [
        [KIM, '02'],
        ['+821000000001', '*'],
        [LEE, '*'],
        [KIM, '*'],
      ],
    );
    const numbers = async (query: object) =>
      (await store.optOuts.page(ACME, { limit: 10, ...query })).map(({ number }) => number);
    assert.deepEqual(await numbers({ isCurrent: true }), [KIM, '+821000000001', KIM]);
    assert.deepEqual(await numbers({ number: KIM }), [KIM, KIM]);
    assert.deepEqual(await numbers({ sender: '02' }), [KIM]);
  });

  test('opt-outs: finds and removes what is kept of a recipient, and sweeps what ended long ago', async t => {
    const { store } = await open(t);
    await store.optOuts.add(ACME, [entry(KIM)], SINCE);
    await store.optOuts.add(GLOBEX, [entry(KIM), entry(LEE)], SINCE);
    assert.equal((await store.optOuts.ofRecipient(KIM, undefined)).length, 2);
    const [own] = await store.optOuts.ofRecipient(KIM, ACME);
    assert.deepEqual([own?.account, (await store.optOuts.ofRecipient(KIM, ACME)).length], [ACME, 1]);
    await store.optOuts.remove([own?.id ?? 0]);
    assert.deepEqual(await store.optOuts.ofRecipient(KIM, ACME), []);
    await store.optOuts.consent(GLOBEX, [{ number: KIM, sender: undefined }], ENDED);
    assert.equal(await store.optOuts.sweep(ENDED.at), false);
    assert.equal((await store.optOuts.page(GLOBEX, { limit: 10 })).length, 2);
    assert.equal(await store.optOuts.sweep(ENDED.at + 1), false);
    assert.deepEqual(
      (await store.optOuts.page(GLOBEX, { limit: 10 })).map(({ number }) => number),
      [LEE],
    );
  });
}
