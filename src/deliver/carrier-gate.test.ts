import assert from 'node:assert/strict';
import test from 'node:test';
import type { CarrierState } from '../carriers/carrier.ts';
import { ManualClock } from '../platform/clock.ts';
import { CarrierGate } from './carrier-gate.ts';

function gateWith(initial: CarrierState) {
  let state = initial;
  const gate = new CarrierGate(() => ({ state, detail: '', since: 0 }), 0);
  return { gate, become: (next: CarrierState) => (state = next) };
}

test('sends while the carrier is up', () => {
  const { gate, become } = gateWith('up');
  assert.equal(gate.isOpen(0), true);
  for (const state of ['connecting', 'slowed', 'down'] as const) {
    become(state);
    assert.equal(gate.isOpen(0), false, state);
  }
});

test('a lost link is waited for, and given up after five seconds', () => {
  const { gate, become } = gateWith('up');
  assert.equal(gate.isAvailable(1000), true);
  become('connecting');
  assert.equal(gate.isAvailable(5999), true);
  become('down');
  assert.equal(gate.isAvailable(6000), false);
});

test('a link that was asked to slow down is still worth waiting for', () => {
  const { gate } = gateWith('slowed');
  assert.equal(gate.isAvailable(60_000), true);
  for (let count = 0; count < 100; count++) gate.turnedAway(60_000);
  assert.equal(gate.isAvailable(60_000), true);
});

test('closes after five refusals in a row, for longer each time, until a message is taken', () => {
  const { gate } = gateWith('up');
  const refuseFive = (now: number) => {
    for (let count = 0; count < 5; count++) gate.turnedAway(now);
  };
  for (let count = 0; count < 4; count++) gate.turnedAway(0);
  assert.equal(gate.isOpen(0), true);
  gate.took();
  refuseFive(0);
  assert.deepEqual([gate.isOpen(999), gate.isAvailable(999), gate.isOpen(1000)], [false, false, true]);
  refuseFive(1000);
  assert.deepEqual([gate.isOpen(2999), gate.isOpen(3000)], [false, true]);
  gate.took();
  refuseFive(3000);
  assert.equal(gate.isOpen(4000), true);
});

test('a paused carrier neither sends nor is waited for', () => {
  const { gate } = gateWith('up');
  gate.isPaused = true;
  assert.deepEqual([gate.isOpen(0), gate.isAvailable(0)], [false, false]);
});

test('tells until when it is closed because of refusals, to the second', () => {
  const clock = new ManualClock(1_700_000_000_400);
  const gate = new CarrierGate(() => ({ state: 'up', detail: '', since: 0 }), clock.monotonic());
  assert.equal(gate.closedUntil(clock), null);
  for (let refusal = 0; refusal < 5; refusal++) gate.turnedAway(clock.monotonic());
  assert.equal(gate.closedUntil(clock), 1_700_000_002_000);
  clock.advance(1000);
  assert.equal(gate.closedUntil(clock), null);
});
