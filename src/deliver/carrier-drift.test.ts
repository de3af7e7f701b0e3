import assert from 'node:assert/strict';
import test from 'node:test';
import { driftOf } from './carrier-drift.ts';
import type { NamedNode } from './node-names.ts';

function node(name: string, carriers: Readonly<Record<string, string>>): NamedNode {
  return {
    node: name,
    name,
    deadForMs: undefined,
    drainingSince: undefined,
    profile: {
      mode: 'production',
      channels: [],
      carriers: Object.entries(carriers).map(([carrier, fingerprint]) => ({
        name: carrier,
        kind: 'smpp',
        fingerprint,
        promise: { forMs: 0, isForgetful: false },
      })),
    },
  };
}

test('nodes that run a carrier alike have no drift', () => {
  const nodes = [node('a', { sky: '1' }), node('b', { sky: '1', sea: '2' })];
  assert.equal(driftOf('sky', 'a', nodes), undefined);
});

test('a carrier that other nodes lack or run with other settings is told with their names', () => {
  const nodes = [node('a', { sky: '1' }), node('b', {}), node('c', { sky: '2' }), node('d', {})];
  assert.equal(driftOf('sky', 'a', nodes), 'not configured on b, d; other settings on c');
});

test('a node that is gone is not compared', () => {
  assert.equal(driftOf('sky', 'gone', [node('a', {})]), undefined);
});
