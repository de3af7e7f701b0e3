/** The capacity model and the simulation of cells behind docs/scale.md. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Costs, cellOf, FILL, MACHINES, planFor } from '../../bench/scale-model.ts';
import { simulate, type World } from '../../bench/scale-simulation.ts';

const COSTS: Costs = {
  httpMicros: 100,
  engineMicros: 100,
  databaseMicros: 400,
  walBytes: 1000,
  storedBytes: 2000,
};
const WORLD: World = {
  cells: 4,
  capacity: 1_000,
  most: 1_500,
  perSecond: 2_400,
  accounts: 300,
  seconds: 300,
  seed: 7,
  placement: 'load',
};

test('a cell holds what its scarcest resource holds', () => {
  assert.deepEqual(cellOf(COSTS), {
    perNode: 6_000,
    perDatabase: 24_000,
    nodes: 5,
    capacity: 24_000,
    limit: 'processors of the database',
  });
  assert.equal(cellOf({ ...COSTS, walBytes: 12_000 }).limit, 'log of the database');
  assert.equal(cellOf({ ...COSTS, engineMicros: 1_000 }).limit, 'number of nodes');
  assert.equal(cellOf(COSTS, { ...MACHINES, nodeCores: 1 }).perNode, 3_000, 'one core does it all');
});

test('a plan has room for its peak with a node of each cell missing', () => {
  for (const peak of [100, 1_000, 19_200, 19_201, 100_000]) {
    const { cells, nodesOfACell, capacityOfACell } = planFor(peak, COSTS);
    assert.ok(cells * capacityOfACell * FILL >= peak, `${peak}: ${cells} of ${capacityOfACell}`);
    assert.ok(nodesOfACell >= 2);
  }
  assert.equal(planFor(19_200, COSTS).cells, 1);
  assert.equal(planFor(19_201, COSTS).cells, 2);
});

test('every message of a simulation is served, waits, or is to be sent again', () => {
  for (const placement of ['load', 'hash'] as const) {
    const course = simulate({ ...WORLD, placement });
    const found = course.served + course.waiting + course.toRepeat;
    assert.ok(Math.abs(found - course.arrived) < 1e-3, `${found} of ${course.arrived}`);
    assert.ok(course.refused > 0);
    assert.ok(course.hottest >= course.coolest && course.hottest <= 1.2);
  }
});

test('a seed takes the same course every time, and another one a different', () => {
  assert.deepEqual(simulate(WORLD), simulate(WORLD));
  assert.notDeepEqual(simulate(WORLD), simulate({ ...WORLD, seed: 8 }));
});

test('accounts placed by load spread more evenly than by hash, and a failover concerns one cell only', () => {
  const byLoad = simulate(WORLD);
  const byHash = simulate({ ...WORLD, placement: 'hash' });
  assert.ok(byLoad.hottest - byLoad.coolest < byHash.hottest - byHash.coolest);
  assert.ok(byLoad.accountsHit > 0.1 && byLoad.accountsHit < 0.5, String(byLoad.accountsHit));
});
