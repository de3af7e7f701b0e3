import assert from 'node:assert/strict';
import test from 'node:test';
import { circlesOf } from './circles.ts';

const circles = (imports: Readonly<Record<string, readonly string[]>>) =>
  circlesOf(new Map(Object.entries(imports))).map(circle => circle.toSorted());

test('files that only look down form no circle', () => {
  assert.deepEqual(circles({ a: ['b', 'c'], b: ['c'], c: ['elsewhere'] }), []);
});

test('a circle is found through several files, once', () => {
  assert.deepEqual(circles({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] }), [['a', 'b', 'c']]);
});

test('two circles that share a file are one knot', () => {
  assert.deepEqual(circles({ a: ['b', 'c'], b: ['a'], c: ['a'] }), [['a', 'b', 'c']]);
});

test('circles apart are told apart, and a file that imports itself is one', () => {
  assert.deepEqual(circles({ a: ['b'], b: ['a'], c: ['d'], d: ['c', 'a'], e: ['e'] }), [
    ['a', 'b'],
    ['c', 'd'],
    ['e'],
  ]);
});
