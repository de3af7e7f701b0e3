/** Claims whose answer is lost, and steps that could not be written down: nothing stays claimed that nobody holds. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ClaimOrder } from '../../src/store/store.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { failNext, Network } from '../harness/network.ts';
import { accept } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';
import { stepsOf } from '../store/contract/store-under-test.ts';

const ADVERTISEMENT = '(광고) half price today 080-123-4567';

/** Sends a few messages and delivers what the carrier is given; resolves to their keys. */
async function sendSome(network: Network, count = 5): Promise<string[]> {
  // Held back until all are accepted: some tests turn the clock while the first are claimed.
  network.carrier('sky').become('slowed');
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => network.client.sms({ to: `0101111000${index}` })),
  );
  network.carrier('sky').become('up');
  return answers.map(({ body }) => String(body.msgKey));
}

/** Every message was given to a carrier once, and is reported as delivered, once. */
async function assertDelivered(network: Network, keys: readonly string[], ...names: readonly string[]) {
  const submitted = await network.inTime('all are submitted', () => {
    const found = names.flatMap(name => network.carrier(name).submitted);
    return found.length >= keys.length && found;
  });
  for (const name of names) {
    for (const { submission } of network.carrier(name).submitted) {
      await network.carrier(name).receive({ attemptId: submission.attemptId, reportCode: '10000' });
    }
  }
  const attempts = submitted.map(({ submission }) => submission.attemptId);
  assert.deepEqual(attempts.toSorted(), keys.map(key => `${key}-0-1`).toSorted());
  for (const key of keys) assert.deepEqual(await network.codes(key), ['10000']);
}

for (const engine of ENGINES) {
  for (const failure of ['before', 'after'] as const) {
    test(`${engine}: a claim that fails ${failure} it was made leaves nothing behind`, async t => {
      const network = await Network.open(t, { env: await freshStore(t, engine) });
      network.carrier('sky').reply = accept;
      const claims = failNext(network.store.queue, 'claim', [failure, failure]);
      const keys = await sendSome(network);
      await assertDelivered(network, keys, 'sky');
      assert.equal(claims.left, 0);
    });
  }

  test(`${engine}: what the mover has claimed goes on although it could not be moved at first`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    network.carrier('sea').reply = accept;
    const keys = await sendSome(network);
    network.carrier('sky').become('down');
    // Down for so long that what waits for it is moved.
    const claims: ClaimOrder[] = [];
    const { queue } = network.store;
    const { claim, settle } = queue;
    let refusals = 0;
    Object.assign(queue, {
      claim: (order: ClaimOrder) => {
        if (order.onlyMovable) claims.push(order);
        return claim.call(queue, order);
      },
      settle: (...given: Parameters<typeof settle>) => {
        const isMove = given[0].some(event => event.kind === 'step' && event.event.name === 'rerouted');
        return isMove && refusals++ < 2
          ? Promise.reject(new StoreFault('didNotHappen', 'away'))
          : settle.apply(queue, given);
      },
    });
    await assertDelivered(network, keys, 'sea');
    assert.ok(claims.length >= 2 && refusals >= 2);
  });

  test(`${engine}: a node that was frozen with a claim in its hands does not send what is another's by now`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    network.carrier('sky').reply = accept;
    const { queue, nodes } = network.store;
    const { claim } = queue;
    let isFrozen = false;
    Object.assign(queue, {
      async claim(order: ClaimOrder) {
        const steps = await claim.call(queue, order);
        if (steps.length === 0 || isFrozen) return steps;
        isFrozen = true;
        // Time passes by the clock of the store, and another node takes over what this one holds.
        network.gateway.clock.advance(10_000);
        await nodes.leave(order.owner);
        const now = network.gateway.clock.now();
        assert.equal(
          stepsOf(await nodes.takeOver({ self: 'another', now, promises: new Map() })),
          steps.length,
        );
        return steps;
      },
    });
    const keys = await sendSome(network);
    await assertDelivered(network, keys, 'sky');
    assert.ok(isFrozen);
  });

  test(`${engine}: a node that is back among the others does not send what it had claimed before it was frozen`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const { clock } = network.gateway;
    const { queue, nodes } = network.store;
    const { claim } = queue;
    const { heartbeat } = nodes;
    let isFrozen = false;
    let isSilent = false;
    let isBack = false;
    let taken = 0;
    Object.assign(nodes, {
      heartbeat: (...given: Parameters<typeof heartbeat>) =>
        isSilent ? Promise.reject(new StoreFault('didNotHappen', 'frozen')) : heartbeat.apply(nodes, given),
    });
    Object.assign(queue, {
      async claim(order: ClaimOrder) {
        const steps = await claim.call(queue, order);
        if (steps.length === 0 || isFrozen) return steps;
        isFrozen = true;
        isSilent = true;
        // Frozen for so long that another node takes the step over and has it in its hands.
        clock.advance(10_000);
        await nodes.leave(order.owner);
        const promises = new Map([['sky', { forMs: 3_600_000, isForgetful: false }]]);
        const other = { owner: 'another', claim: 'another/1', now: clock.now() };
        await nodes.takeOver({ self: 'another', now: clock.now(), promises });
        taken = (await claim.call(queue, { ...order, ...other })).length;
        isSilent = false;
        // Then it says again that it lives, and only then hears of its own claim.
        await until('it is back', async () => {
          clock.advance(1000);
          return (await nodes.list()).some(({ node }) => node === order.owner);
        });
        isBack = true;
        return steps;
      },
    });
    await sendSome(network, 1);
    await until('it is back', () => isBack);
    await network.pass(20);
    assert.equal(taken, 1);
    assert.deepEqual(network.carrier('sky').submitted, []);
  });

  test(`${engine}: a store that is away while the ad guard is asked puts a message off, and does not fail it`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine), settings: { adGuard: true } });
    network.carrier('sky').reply = accept;
    const { accounts } = network.store;
    const answer = await network.client.sms({ text: ADVERTISEMENT });
    const lookUps = failNext(accounts, 'find', ['before', 'before']);
    await assertDelivered(network, [String(answer.body.msgKey)], 'sky');
    assert.equal(lookUps.left, 0);
  });
}
