import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../platform/clock.ts';
import { type Pass, ProviderGate } from './provider-gate.ts';

function made(failures = 2) {
  const clock = new ManualClock();
  const states: string[] = [];
  const settings = { failures, pauseMs: 1000, longestPauseMs: 3000 };
  const gate = new ProviderGate(settings, clock, 'https://a.example', ({ state }) => states.push(state));
  const pass = async (): Promise<Pass> => {
    const admission = await gate.admit();
    assert.ok(admission.kind === 'pass');
    return admission.pass;
  };
  const fail = async () => (await pass()).failed('reset');
  return { clock, states, gate, pass, fail };
}

test('a success in between starts the count anew', async () => {
  const { gate, pass, fail } = made();
  await fail();
  (await pass()).succeeded();
  await fail();
  assert.deepEqual([gate.status().state, gate.status().detail], ['up', 'https://a.example']);
  await fail();
  assert.deepEqual([gate.status().state, gate.status().detail], ['down', 'reset']);
});

test('the pause doubles up to the longest, and is short again after a success', async () => {
  const { gate, clock, pass, fail } = made(1);
  const pauses: number[] = [];
  for (let round = 0; round < 4; round++) {
    await fail();
    const admission = await gate.admit();
    assert.ok(admission.kind === 'refused');
    pauses.push(admission.retryAfterMs);
    clock.advance(admission.retryAfterMs);
  }
  assert.deepEqual(pauses, [1000, 2000, 3000, 3000]);
  (await pass()).succeeded();
  await fail();
  assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 1000 });
});

for (const [name, hours] of [
  ['back', -1],
  ['ahead', 1],
] as const) {
  test(`pauses are as long as ever when the wall clock is set ${name} an hour`, async () => {
    const { gate, clock, fail } = made(1);
    await fail();
    clock.setWallBy(hours * 3_600_000);
    assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 1000 });
    clock.advance(1000);
    assert.equal((await gate.admit()).kind, 'pass');

    gate.slow(5000);
    clock.setWallBy(hours * 3_600_000);
    assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 5000 });
    clock.advance(5000);
    assert.equal(gate.status().state, 'up');
  });
}

test('the others wait for the one that goes ahead, and go after it', async () => {
  const { clock, pass, fail } = made(1);
  await fail();
  clock.advance(1000);
  const first = await pass();
  let admitted = 0;
  const waiting = [pass(), pass()].map(promise => promise.then(() => admitted++));
  await new Promise(setImmediate);
  assert.equal(admitted, 0);
  first.succeeded();
  await Promise.all(waiting);
  assert.equal(admitted, 2);
});

test('where the one that goes ahead makes no call, another does', async () => {
  const { gate, clock, pass, fail } = made(1);
  await fail();
  clock.advance(1000);
  const first = await pass();
  const second = pass();
  first.unused();
  (await second).failed('still');
  assert.equal(gate.status().state, 'down');
});

test('what a call of an earlier time brings says nothing', async () => {
  const { gate, clock, pass, fail } = made(1);
  const [early, late] = [await pass(), await pass()];
  await fail();
  early.succeeded();
  assert.equal(gate.status().state, 'down');
  clock.advance(1000);
  const probe = await pass();
  late.failed('long ago');
  assert.equal(gate.status().state, 'up');
  probe.succeeded();
  assert.equal(gate.status().detail, 'https://a.example');
});

test('slowed until the later of two moments, then reported as up', async () => {
  const { gate, clock, states } = made();
  gate.slow(5000);
  gate.slow(2000);
  gate.slow(0);
  clock.advance(2000);
  assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 3000 });
  assert.equal(gate.status().state, 'slowed');
  clock.advance(3000);
  assert.equal(gate.status().state, 'up');
  assert.deepEqual(states, ['slowed', 'up']);
});

test('stopped, it is down after no failure at all, and one call is tried after the pause', async () => {
  const { gate, clock, states, pass } = made(5);
  const given = await pass();
  gate.stop('A110 Blocked account');
  assert.deepEqual([gate.status().state, gate.status().detail], ['down', 'A110 Blocked account']);
  given.failed('the same call');
  gate.stop('once more');
  assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 1000 });
  clock.advance(1000);
  const probe = await pass();
  gate.stop('A110 Blocked account');
  probe.failed('the same call');
  assert.deepEqual(await gate.admit(), { kind: 'refused', retryAfterMs: 2000 });
  clock.advance(2000);
  (await pass()).succeeded();
  assert.deepEqual(states, ['down', 'up', 'down', 'up', 'up']);
});
