import assert from 'node:assert/strict';
import test from 'node:test';
import { ReceiverGate } from './receiver-gate.ts';

test('lets more calls out with every success, up to its most, and one after a failure', () => {
  const gate = new ReceiverGate(8);
  const rooms = [gate.room(0)];
  for (let call = 0; call < 5; call++) {
    gate.succeeded();
    rooms.push(gate.room(0));
  }
  assert.deepEqual(rooms, [1, 2, 4, 8, 8, 8]);
  gate.failed(0);
  assert.equal(gate.room(0), 1);
});

test('its most can be changed at any time', () => {
  const gate = new ReceiverGate(4);
  for (let call = 0; call < 5; call++) gate.succeeded();
  gate.mostAtOnce = 2;
  assert.equal(gate.room(0), 2);
  gate.mostAtOnce = 8;
  gate.succeeded();
  assert.equal(gate.room(0), 8);
});

test('stops after five failures in a row, and pauses longer with every failed probe', () => {
  const gate = new ReceiverGate(8);
  for (let call = 0; call < 4; call++) gate.failed(0);
  assert.equal(gate.isInTrouble, false);
  let now = 0;
  const pauses: number[] = [];
  for (let probe = 0; probe < 6; probe++) {
    gate.failed(now);
    assert.equal(gate.isInTrouble, true);
    const openedAt = now;
    while (gate.room(now) === 0) now += 1000;
    assert.equal(gate.room(now), 1);
    pauses.push((now - openedAt) / 1000);
  }
  assert.deepEqual(pauses, [30, 60, 120, 300, 300, 300]);
  gate.succeeded();
  assert.equal(gate.isInTrouble, false);
});

test('a success in between keeps calls going, and late failures during a pause do not count', () => {
  const gate = new ReceiverGate(8);
  for (let call = 0; call < 20; call++) {
    if (call % 5 === 4) gate.succeeded();
    else gate.failed(0);
  }
  assert.equal(gate.isInTrouble, false);
  for (let call = 0; call < 12; call++) gate.failed(0);
  assert.equal(gate.room(29_999), 0);
  assert.equal(gate.room(30_000), 1);
});

test('its pause is told in whole milliseconds, whatever the clock reads', () => {
  const gate = new ReceiverGate(8);
  for (let call = 0; call < 5; call++) gate.failed(0.25);
  const pauseMs = gate.pauseMs(10.5);
  assert.ok(pauseMs > 0 && Number.isInteger(pauseMs), String(pauseMs));
});
