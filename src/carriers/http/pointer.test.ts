import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePointer } from './pointer.ts';

// The document and the pointers of RFC 6901, section 5.
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

const POINTERS: [string, unknown][] = [
  ['', DOCUMENT],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
  ['/foo/2', undefined],
  ['/foo/bar', undefined],
  ['/constructor', undefined],
  ['/foo/length', undefined],
];

for (const [text, expected] of POINTERS) {
  test(`"${text}" finds what it points at`, () => {
    assert.deepEqual(parsePointer(text)?.find(DOCUMENT), expected);
  });
}

test('knows what is no pointer', () => {
  for (const text of ['foo', '/a~2', '/a~']) assert.equal(parsePointer(text), undefined, text);
});

test('reads scalars as text, and nothing else', () => {
  const text = (value: unknown) => parsePointer('/a')?.text({ a: value });
  assert.deepEqual(['x', 0, false, '', null, {}, [], undefined].map(text), [
    'x',
    '0',
    'false',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
