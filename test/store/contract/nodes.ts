import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueueEvent } from '../../../src/store/store.ts';
import {
  ACME,
  answer,
  DEADLINE_MS,
  FIRST_CARRIER,
  type OpenStore,
  PROFILE,
  repeatable,
  stepsOf,
} from './store-under-test.ts';

// The process that claimed has died: each test opens the store again before it takes over.
export function nodesContract(open: OpenStore): void {
  test('has nothing to take over when nobody held anything', async t => {
    const bench = await open(t);
    await bench.send();
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now: 0, promises: repeatable() })),
      0,
    );
    assert.equal((await bench.claim()).length, 1);
  });

  test('makes an attempt in doubt again where the carrier may be asked again, and no other', async t => {
    const bench = await open(t);
    const taken = await bench.submit(['r1']);
    const doubtful = await bench.sendAndClaim();
    await bench.reopen();
    bench.clock.advance(10);
    const promises = repeatable('other', FIRST_CARRIER);
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now: bench.clock.now(), promises })),
      1,
    );
    const again = await bench.claim({ owner: 'me' });
    assert.deepEqual(
      again.map(({ msgKey, attempt, state }) => [msgKey, attempt, state]),
      [[doubtful.msgKey, 1, 'submitting']],
    );
    assert.equal((await bench.view(taken.msgKey)).state, 'submitted');
  });

  test('repeats only within the promise of the carrier', async t => {
    const bench = await open(t);
    const late = await bench.sendAndClaim();
    bench.clock.advance(60_000);
    const soon = await bench.sendAndClaim();
    await bench.reopen();
    bench.clock.advance(60_000);
    const promises = new Map([[FIRST_CARRIER, { forMs: 90_000, isForgetful: false }]]);
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now: bench.clock.now(), promises })),
      2,
    );
    assert.equal((await bench.view(late.msgKey)).state, 'unknown');
    const [again] = await bench.claim({ owner: 'me' });
    assert.equal(again?.msgKey, soon.msgKey);
    assert.equal(again?.repeatUntil, bench.clock.now() + 30_000);
  });

  test('tells of which node and carrier the steps were, and what became of them', async t => {
    const bench = await open(t);
    await bench.sendAndClaim();
    await bench.send({ carrier: 'gamma' });
    await bench.send({ carrier: 'gamma' });
    await bench.claim({ owner: 'other', carrier: 'gamma', limit: 2 });
    await bench.reopen();
    const rules = { self: 'me', now: bench.clock.now(), promises: repeatable('gamma') };
    const taken = await bench.store.nodes.takeOver(rules);
    assert.deepEqual(
      taken.toSorted((one, two) => (one.carrier < two.carrier ? -1 : 1)),
      [
        { node: 'node-1', carrier: FIRST_CARRIER, outcome: 'unknown', steps: 1 },
        { node: 'other', carrier: 'gamma', outcome: 'repeated', steps: 2 },
      ],
    );
  });

  test('a network that forgot with the process what it had taken is given it again', async t => {
    const bench = await open(t);
    const taken = await bench.submit(['r1']);
    await bench.reopen();
    const promises = new Map([[FIRST_CARRIER, { forMs: 3_600_000, isForgetful: true }]]);
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now: bench.clock.now(), promises })),
      1,
    );
    assert.equal((await bench.claim({ owner: 'me' }))[0]?.msgKey, taken.msgKey);
  });

  test('tells in the history of an attempt that is to be made again: its carrier may have it', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    await bench.store.nodes.takeOver({ self: 'me', now, promises: repeatable(FIRST_CARRIER) });
    const entry = { at: now, step: 0, attempt: 1, carrier: FIRST_CARRIER, event: 'repeated' };
    assert.deepEqual((await bench.view(msgKey)).history.slice(1), [entry]);
  });

  test("an attempt that is to be made again is nobody else's", async t => {
    const bench = await open(t);
    const { msgKey } = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    await bench.store.nodes.takeOver({ self: 'me', now, promises: repeatable(FIRST_CARRIER) });
    const shares = [{ account: ACME, limit: 10 }];
    const order = { owner: 'me', claim: 'me/1', carrier: FIRST_CARRIER, shares, now, onlyMovable: true };
    assert.deepEqual(await bench.store.queue.claim(order), []);
    const [again] = await bench.claim({ owner: 'me' });
    if (!again) throw new Error('it was not claimed');
    await bench.settle(answer(again, { name: 'rerouted', carrier: 'other', why: 'down' }));
    assert.deepEqual(await bench.claim({ owner: 'me', carrier: 'other' }), []);
    bench.clock.advance(10_000);
    assert.equal((await bench.claim({ owner: 'me' }))[0]?.attempt, 1);
    assert.equal((await bench.view(msgKey)).state, 'submitting');
  });

  test('a receipt for an attempt that is to be made again ends it', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    await bench.store.nodes.takeOver({ self: 'me', now, promises: repeatable(FIRST_CARRIER) });
    const { msgKey, step, attempt } = live;
    const receipt = bench.receipt('', { name: 'receivedDelivered' }, { about: { msgKey, step, attempt } });
    assert.deepEqual((await bench.settle(receipt)).settled, ['ended']);
    assert.deepEqual(await bench.claim({ owner: 'me' }), []);
  });

  test('the answer to an attempt that is to be made again makes that unnecessary', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    await bench.store.nodes.takeOver({ self: 'me', now, promises: repeatable(FIRST_CARRIER) });
    const accepted = answer(live, { name: 'accepted' }, ['late-1']);
    const { settled } = await bench.settle({ ...accepted, claim: live.claim } as QueueEvent);
    assert.deepEqual(settled, ['moved']);
    assert.deepEqual(await bench.claim({ owner: 'me' }), []);
    const { state, attempt } = await bench.view(live.msgKey);
    assert.deepEqual([state, attempt], ['submitted', 1]);
    const delivered = await bench.settle(bench.receipt('late-1', { name: 'receivedDelivered' }));
    assert.deepEqual(delivered.settled, ['ended']);
  });

  test('a node that was considered dead may report that it never sent its claim', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.reopen();
    await bench.store.nodes.takeOver({ self: 'me', now: bench.clock.now(), promises: repeatable() });
    assert.equal((await bench.view(live.msgKey)).state, 'unknown');
    const returned = answer(live, { name: 'returned', retryAfterMs: 0 });
    await bench.settle({ ...returned, claim: 'somebody/1' } as QueueEvent);
    assert.equal((await bench.view(live.msgKey)).state, 'unknown');
    await bench.settle({ ...returned, claim: live.claim } as QueueEvent);
    assert.equal((await bench.claim({ owner: 'me' }))[0]?.attempt, 1);
  });

  const HOUR_MS = 3_600_000;
  for (const [event, state, carrier] of [
    [{ name: 'deferred', reportCode: '22003' }, 'retrying', FIRST_CARRIER],
    [{ name: 'rerouted', carrier: 'beta', why: 'routes[1]' }, 'queued', 'beta'],
    [{ name: 'postponed', until: HOUR_MS }, 'queued', FIRST_CARRIER],
    [{ name: 'optedOut' }, 'failed', undefined],
  ] as const) {
    test(`what a node that was taken for dead knows to be unsent is ${event.name}, if it is its claim that is in doubt`, async t => {
      const bench = await open(t);
      const live = await bench.sendAndClaim();
      await bench.reopen();
      const { nodes, messages } = bench.store;
      await nodes.takeOver({ self: 'me', now: bench.clock.now(), promises: repeatable() });
      const unsent = answer(live, event);
      for (const claim of [undefined, 'somebody/1']) {
        await bench.settle({ ...unsent, ...(claim !== undefined && { claim }) } as QueueEvent);
        assert.equal((await bench.view(live.msgKey)).state, 'unknown', 'another claim, or none');
      }
      await bench.settle({ ...unsent, claim: live.claim } as QueueEvent);
      const settled = await messages.find(live.msgKey);
      assert.equal(settled?.state, state);
      bench.clock.advance(2 * HOUR_MS);
      if (carrier !== undefined) assert.equal((await bench.claim({ carrier, owner: 'me' })).length, 1);
    });
  }

  test('finds what carries a claim that was never used, also when it was taken over', async t => {
    const bench = await open(t);
    const unused = await bench.sendAndClaim();
    const used = await bench.sendAndClaim();
    assert.equal((await bench.store.queue.held('node-1', [unused.claim ?? ''], 10)).length, 2);
    await bench.reopen();
    await bench.store.nodes.takeOver({ self: 'me', now: bench.clock.now(), promises: repeatable() });
    assert.equal((await bench.view(used.msgKey)).state, 'unknown');
    assert.deepEqual(await bench.store.queue.held('node-1', [], 10), []);
    const { msgKey, step, attempt, claim } = unused;
    assert.deepEqual(await bench.store.queue.held('node-1', [claim ?? '', 'node-1/none'], 10), [
      { msgKey, step, attempt, claim },
    ]);
  });

  test('tells which nodes live, and what they run', async t => {
    const bench = await open(t);
    const carrier = {
      name: 'sky',
      kind: 'smpp',
      fingerprint: 'f',
      promise: { forMs: 0, isForgetful: false },
    };
    const profile = { mode: 'production', carriers: [carrier], channels: ['sms'] };
    await bench.store.nodes.heartbeat('one', 60_000, profile);
    await bench.store.nodes.heartbeat('two', 60_000, PROFILE);
    await bench.store.nodes.leave('two');
    assert.deepEqual(await bench.store.nodes.list(), [{ node: 'one', profile, drainingSince: undefined }]);
  });

  test('tells a living node to drain until it may send again, however often it tells that it lives', async t => {
    const bench = await open(t);
    const { nodes } = bench.store;
    const draining = async () =>
      (await nodes.known()).map(({ node, drainingSince }) => [node, drainingSince]);
    assert.equal(await nodes.drain('one', 17), false);
    await nodes.heartbeat('one', 60_000, PROFILE);
    await nodes.heartbeat('two', 60_000, PROFILE);
    assert.equal(await nodes.drain('one', 17), true);
    await nodes.heartbeat('one', 60_000, PROFILE);
    assert.deepEqual(await draining(), [
      ['one', 17],
      ['two', undefined],
    ]);
    assert.equal(await nodes.drain('one', undefined), true);
    assert.deepEqual(await draining(), [
      ['one', undefined],
      ['two', undefined],
    ]);
  });

  test('forgets a dead node with what it published, and never a living one', async t => {
    const bench = await open(t);
    const { nodes, carriers } = bench.store;
    await nodes.heartbeat('dead', 0, PROFILE);
    await nodes.heartbeat('alive', 60_000, PROFILE);
    for (const node of ['dead', 'alive'])
      await carriers.publish(node, [{ carrier: 'sky', report: '{}' }], bench.clock.now());
    // Of SQLite only the process that serves it knows nodes, and only the living.
    const isKnown = (await nodes.known()).some(({ node }) => node === 'dead');
    assert.equal(await nodes.forget('alive'), false);
    assert.equal(await nodes.forget('dead'), isKnown);
    assert.equal(await nodes.forget('dead'), false);
    assert.deepEqual(
      (await nodes.known()).map(({ node }) => node),
      ['alive'],
    );
    const left = (await carriers.reports(0)).map(({ node }) => node);
    assert.deepEqual(left, isKnown ? ['alive'] : ['alive', 'dead']);
  });

  test('settles what may have left as unknown, and tells so in its history', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.reopen();
    const now = bench.clock.now();
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now, promises: repeatable('other') })),
      1,
    );
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
    assert.equal(
      stepsOf(await bench.store.nodes.takeOver({ self: 'me', now: 0, promises: repeatable() })),
      0,
    );
    assert.equal((await bench.view(live.msgKey)).state, 'submitted');
  });

  test('takes over what is neither its own nor put back in the queue', async t => {
    const bench = await open(t);
    await bench.send();
    await bench.claim({ owner: 'me' });
    const deferred = await bench.sendAndClaim();
    await bench.settle(answer(deferred, { name: 'deferred', reportCode: '22003' }));
    await bench.reopen();
    const rules = { self: 'me', now: bench.clock.now(), promises: repeatable(FIRST_CARRIER) };
    assert.equal(stepsOf(await bench.store.nodes.takeOver(rules)), 0);
    assert.equal((await bench.view(deferred.msgKey)).state, 'retrying');
  });

  test('takes over at once from a node that has left', async t => {
    const bench = await open(t);
    await bench.store.nodes.heartbeat('node-1', 3_600_000, PROFILE);
    await bench.sendAndClaim();
    await bench.store.nodes.leave('node-1');
    await bench.reopen();
    await bench.store.nodes.heartbeat('me', 3_600_000, PROFILE);
    const rules = { self: 'me', now: bench.clock.now(), promises: repeatable(FIRST_CARRIER) };
    assert.equal(stepsOf(await bench.store.nodes.takeOver(rules)), 1);
  });
}
