import assert from 'node:assert/strict';
import test from 'node:test';
import {
  duration,
  durationRange,
  flag,
  type Kind,
  listOf,
  listOrOne,
  mapOfText,
  oneOf,
  regularExpression,
  size,
  text,
  wholeNumber,
} from './kinds.ts';

/** As an environment variable is read. */
function fromText<T>(kind: Kind<T>, value: string): T | undefined {
  return kind.parse(kind.fromText ? kind.fromText(value) : value);
}

test('a size has a decimal unit, or is 0', () => {
  assert.deepEqual(
    ['0', '1kB', '500MB', '10GB', '2TB'].map(value => fromText(size, value)),
    [0, 1e3, 5e8, 1e10, 2e12],
  );
  for (const given of ['', '5', '-1MB', '1.5GB', '10 GB', '10gb', '10GiB', 'GB']) {
    assert.equal(fromText(size, given), undefined, given);
  }
});

test('a whole number is a number in YAML and digits in a variable', () => {
  const port = wholeNumber(1, 65_535);
  assert.equal(port.form, 'a whole number from 1 to 65535');
  assert.equal(port.parse(2775), 2775);
  assert.equal(fromText(port, '2775'), 2775);
  for (const given of [0, 65_536, 1.5, '2775', true, null]) assert.equal(port.parse(given), undefined);
  for (const given of ['0', '65536', '1.5', '-1', '1e3', ' 1', '0x10']) {
    assert.equal(fromText(port, given), undefined, given);
  }
});

test('a list is a list in YAML and has commas in a variable', () => {
  const words = listOf('words', /^[a-z]+$/);
  assert.deepEqual(words.parse(['a', 'b']), ['a', 'b']);
  assert.deepEqual(fromText(words, 'a, b'), ['a', 'b']);
  assert.equal(words.parse('a'), undefined);
  assert.equal(words.parse(['a', ['b']]), undefined);
  assert.equal(fromText(words, 'a,'), undefined);
  assert.deepEqual(listOrOne('words', /^[a-z]+$/).parse('a'), ['a']);
  assert.deepEqual(listOf('numbers').parse([82, '+1']), ['82', '+1']);
});

test('digits that YAML reads as a number are still text', () => {
  assert.equal(text('a password').parse(123), '123');
  assert.equal(text('a password', /^\D+$/).parse(123), undefined);
  assert.equal(text('a password').parse(true), undefined);
});

test('one of a few words, listed for people', () => {
  const level = oneOf(['debug', 'info', 'error']);
  assert.equal(level.form, 'debug, info or error');
  assert.equal(oneOf(['refuse', 'allow']).form, 'refuse or allow');
  assert.equal(level.parse('info'), 'info');
  assert.equal(level.parse('loud'), undefined);
});

test('durations, flags, regular expressions and maps', () => {
  const pause = duration('1s', '2h');
  assert.equal(pause.form, 'a duration from 1s to 2h');
  assert.deepEqual(['1s', '90s', '2h'].map(pause.parse), [1000, 90_000, 7_200_000]);
  for (const given of [90, '999ms', '121m', '0s', '90']) assert.equal(pause.parse(given), undefined);
  assert.deepEqual(durationRange.parse('50-300ms'), { minMs: 50, maxMs: 300 });
  assert.equal(flag.parse(false), false);
  assert.equal(flag.parse('false'), undefined);
  assert.equal(regularExpression.parse('^a+$'), '^a+$');
  assert.equal(regularExpression.parse('('), undefined);
  assert.deepEqual(mapOfText.parse({ a: 1, b: 'two', c: true }), { a: '1', b: 'two', c: 'true' });
  assert.equal(mapOfText.parse({ a: { b: 1 } }), undefined);
  assert.equal(mapOfText.parse(['a']), undefined);
});
