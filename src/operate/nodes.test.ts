import assert from 'node:assert/strict';
import test from 'node:test';
import type { NodeProfile } from '../store/store.ts';
import { driftBetween } from './nodes.ts';

const PROMISE = { forMs: 0, isForgetful: false };

function node(name: string, told: Partial<NodeProfile> = {}) {
  return { name, profile: { mode: 'production', carriers: [], channels: [], ...told } };
}

test('nodes with the same configuration do not differ', () => {
  const told = { version: '1', settings: { BONGSU_LOG: 'a' }, routes: 'r', dataKeys: ['k'] };
  assert.deepEqual(driftBetween([node('one', told), node('two', told)]), []);
  assert.deepEqual(driftBetween([node('one', told)]), []);
});

test('what differs is named, with those who agree together', () => {
  const sky = { name: 'sky', kind: 'smpp', promise: PROMISE };
  const nodes = [
    node('one', { settings: { BONGSU_QUEUE_LIMIT: 'a' }, carriers: [{ ...sky, fingerprint: 'x' }] }),
    node('two', { settings: { BONGSU_QUEUE_LIMIT: 'b' }, carriers: [{ ...sky, fingerprint: 'y' }] }),
    node('three', { settings: { BONGSU_QUEUE_LIMIT: 'b' }, mode: 'sandbox' }),
  ];
  assert.deepEqual(driftBetween(nodes), [
    { kind: 'mode', name: '', groups: [['one', 'two'], ['three']] },
    { kind: 'setting', name: 'BONGSU_QUEUE_LIMIT', groups: [['two', 'three'], ['one']] },
    { kind: 'carrier', name: 'sky', groups: [['one'], ['two'], ['three']] },
  ]);
});

test('of what an older node does not tell nothing is known', () => {
  const nodes = [node('one', { version: '2', settings: { BONGSU_LOG: 'a' }, routes: 'r' }), node('two')];
  assert.deepEqual(driftBetween(nodes), []);
});
