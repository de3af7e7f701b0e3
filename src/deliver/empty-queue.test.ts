import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmptyQueue, LOOK_EVERY_MS } from './empty-queue.ts';

test('is empty after a look that found nothing, until something arrives', () => {
  const queue = new EmptyQueue();
  assert.ok(!queue.isEmpty(0) && queue.isWorthALook(0), 'nothing is known at the start');
  queue.look()(0, 10);
  assert.ok(queue.isEmpty(10) && !queue.isWorthALook(10));
  queue.arrived();
  assert.ok(!queue.isEmpty(10) && queue.isWorthALook(10));
});

test('a look may have missed what arrived during it', () => {
  const queue = new EmptyQueue();
  const found = queue.look();
  queue.arrived();
  found(0, 10);
  assert.ok(!queue.isEmpty(10) && queue.isWorthALook(10));
});

test('there may be more steps after a look that found some', () => {
  const queue = new EmptyQueue();
  queue.look()(0, 10);
  queue.look()(3, 20);
  assert.ok(!queue.isEmpty(20) && queue.isWorthALook(20));
});

test('is looked at now and then, and counts as empty no longer when that is overdue', () => {
  const queue = new EmptyQueue();
  queue.look()(0, 0);
  assert.ok(queue.isWorthALook(LOOK_EVERY_MS) && queue.isEmpty(LOOK_EVERY_MS));
  assert.ok(!queue.isEmpty(2 * LOOK_EVERY_MS));
});
