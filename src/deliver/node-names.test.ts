import assert from 'node:assert/strict';
import test from 'node:test';
import { namedNodes } from './node-names.ts';

/** A node that has been dead for so long, or lives. */
function node(id: string, name?: string, deadForMs?: number) {
  const profile = { mode: 'production', carriers: [], channels: [], ...(name && { name }) };
  return { node: id, profile, drainingSince: undefined, deadForMs };
}

function shown(...known: Parameters<typeof node>[]): string[] {
  return namedNodes(known.map(each => node(...each))).map(each => `${each.name}=${each.node}`);
}

test('a node that was started again is the same node, whatever is left of the one before', () => {
  assert.deepEqual(shown(['a2', 'gateway-1'], ['a1', 'gateway-1', 5000], ['b', 'gateway-2']), [
    'gateway-1=a2',
    'gateway-2=b',
  ]);
});

test('of a node that died several times its last life is shown', () => {
  assert.deepEqual(shown(['a1', 'gateway-1', 9000], ['a2', 'gateway-1', 5000]), ['gateway-1=a2']);
});

test('living nodes with one name, and those of a version without names, go by their ids', () => {
  assert.deepEqual(shown(['b', 'same'], ['a', 'same'], ['old']), ['a=a', 'b=b', 'old=old']);
});
