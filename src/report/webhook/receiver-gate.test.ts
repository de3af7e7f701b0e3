import assert from 'node:assert/strict';
import test from 'node:test';
import { Circuit } from './receiver-gate.ts';

test('lets more calls out with every success, up to its most, and one after a failure', () => {
  const circuit = new Circuit(8);
  const rooms = [circuit.room(0)];
  for (let call = 0; call < 5; call++) {
    circuit.succeeded();
    rooms.push(circuit.room(0));
  }
  assert.deepEqual(rooms, [1, 2, 4, 8, 8, 8]);
  circuit.failed(0);
  assert.equal(circuit.room(0), 1);
});

test('opens after five failures in a row, and pauses longer with every failed probe', () => {
  const circuit = new Circuit(8);
  for (let call = 0; call < 4; call++) circuit.failed(0);
  assert.equal(circuit.isOpen, false);
  let now = 0;
  const pauses: number[] = [];
  for (let probe = 0; probe < 6; probe++) {
    circuit.failed(now);
    assert.equal(circuit.isOpen, true);
    const openedAt = now;
    while (circuit.room(now) === 0) now += 1000;
    assert.equal(circuit.room(now), 1);
    pauses.push((now - openedAt) / 1000);
  }
  assert.deepEqual(pauses, [30, 60, 120, 300, 300, 300]);
  circuit.succeeded();
  assert.equal(circuit.isOpen, false);
});

test('a success in between keeps it closed, and late failures of an open one do not count', () => {
  const circuit = new Circuit(8);
  for (let call = 0; call < 20; call++) {
    if (call % 5 === 4) circuit.succeeded();
    else circuit.failed(0);
  }
  assert.equal(circuit.isOpen, false);
  for (let call = 0; call < 12; call++) circuit.failed(0);
  assert.equal(circuit.room(29_999), 0);
  assert.equal(circuit.room(30_000), 1);
});
