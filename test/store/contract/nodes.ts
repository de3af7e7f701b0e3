import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, DEADLINE_MS, FIRST_CARRIER, type OpenStore } from './store-under-test.ts';

// The process that claimed has died: each test opens the store again before it takes over.
export function nodesContract(open: OpenStore): void {
  test('has nothing to take over when nobody held anything', async t => {
    const bench = await open(t);
    await bench.send();
    assert.equal(await bench.store.nodes.takeOver({ self: 'me', now: 0, repeatable: [] }), 0);
    assert.equal((await bench.claim()).length, 1);
  });

  test('makes the same attempt again where the carrier may be asked again', async t => {
    const bench = await open(t);
    const submitted = await bench.submit(['r1']);
    const submitting = await bench.sendAndClaim();
    await bench.reopen();
    bench.clock.advance(10);
    const rules = { self: 'me', now: bench.clock.now(), repeatable: ['other', FIRST_CARRIER] };
    assert.equal(await bench.store.nodes.takeOver(rules), 2);
    const again = await bench.claim({ owner: 'me' });
    assert.deepEqual(
      again.map(({ msgKey, attempt, state }) => [msgKey, attempt, state]),
      [
        [submitted.msgKey, 1, 'submitting'],
        [submitting.msgKey, 1, 'submitting'],
      ],
    );
  });

  test('settles what may have left as unknown, and tells so in its history', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    assert.equal(await bench.store.nodes.takeOver({ self: 'me', now, repeatable: ['other'] }), 1);
    const view = await bench.view(live.msgKey);
    assert.equal(view.state, 'unknown');
    assert.deepEqual(view.history.slice(1), [
      { at: now, step: 0, attempt: 1, carrier: FIRST_CARRIER, event: 'takenOver' },
    ]);
    bench.clock.advance(DEADLINE_MS - 1);
    assert.deepEqual(await bench.claim({ owner: 'me' }), []);
    await bench.settle(answer(live, { name: 'accepted' }, ['r1']));
    assert.equal((await bench.view(live.msgKey)).state, 'submitted');
  });

  test('lets a step that another carrier has taken wait for its receipt', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1']);
    await bench.reopen();
    assert.equal(await bench.store.nodes.takeOver({ self: 'me', now: 0, repeatable: [] }), 0);
    assert.equal((await bench.view(live.msgKey)).state, 'submitted');
  });

  test('takes over what is neither its own nor put back in the queue', async t => {
    const bench = await open(t);
    await bench.send();
    await bench.claim({ owner: 'me' });
    const deferred = await bench.sendAndClaim();
    await bench.settle(answer(deferred, { name: 'deferred', reportCode: '22003' }));
    await bench.reopen();
    const rules = { self: 'me', now: bench.clock.now(), repeatable: [FIRST_CARRIER] };
    assert.equal(await bench.store.nodes.takeOver(rules), 0);
    assert.equal((await bench.view(deferred.msgKey)).state, 'retrying');
  });

  test('takes over at once from a node that has left', async t => {
    const bench = await open(t);
    await bench.store.nodes.heartbeat('node-1', 3_600_000);
    await bench.sendAndClaim();
    await bench.store.nodes.leave('node-1');
    await bench.reopen();
    await bench.store.nodes.heartbeat('me', 3_600_000);
    const rules = { self: 'me', now: bench.clock.now(), repeatable: [FIRST_CARRIER] };
    assert.equal(await bench.store.nodes.takeOver(rules), 1);
  });
}
