import assert from 'node:assert/strict';
import test from 'node:test';
import { withoutBlanks } from './messenger-fields.ts';

test('drops members that hold nothing but blanks, at any depth', () => {
  const blanks = {
    nothing: null,
    text: '',
    list: [],
    empty: {},
    summary: { urlMobile: '' },
    item: { list: [], summary: { title: null, more: {} } },
  };
  assert.deepEqual(withoutBlanks({ ...blanks, kept: 'x' }), { kept: 'x' });
});

test('keeps whatever holds a value, zero and false included', () => {
  const body = { zero: 0, no: false, list: [null], item: { price: 0 }, text: ' ' };
  assert.deepEqual(withoutBlanks(body), body);
});

test('keeps the members that isKept names', () => {
  assert.deepEqual(
    withoutBlanks({ aVariable: { name: '' }, b: {} }, name => name === 'aVariable'),
    {
      aVariable: { name: '' },
    },
  );
});

test('leaves what is no object alone', () => {
  for (const value of [null, 'x', 1, [], undefined]) assert.equal(withoutBlanks(value), value);
});

test('does not follow a body that is nested without end', () => {
  let body: object = {};
  for (let depth = 0; depth < 100_000; depth++) body = { body };
  assert.equal(withoutBlanks(body), body);
});
