import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import {
  holdsPlaceholders,
  parseWords,
  placeholdersIn,
  shownStep,
  substitute,
  type Words,
} from './substitution.ts';

function resultOf(value: unknown): string {
  assert.ok(value instanceof Problem);
  return value.result;
}

test('puts values in every text, at any depth', () => {
  const flow = { text: '#{a}!', list: ['#{b}', { url: 'x/#{a}' }], count: 3, none: null };
  assert.deepEqual(substitute(flow, { a: '1', b: '2' }), {
    text: '1!',
    list: ['2', { url: 'x/1' }],
    count: 3,
    none: null,
  });
});

test('a text is a text under whatever name', () => {
  const names = ['channel', 'type', 'msgType', 'from', 'formatId', 'fileKey', 'constructor', '__proto__'];
  const holding = (text: string) =>
    JSON.parse(JSON.stringify({ map: Object.fromEntries(names.map(name => [name, text])) }));
  assert.deepEqual(substitute(holding('#{a}'), { a: 'x' }), holding('x'));
  assert.equal(holdsPlaceholders({ from: '#{a}' }), true);
  assert.deepEqual(placeholdersIn({ from: '#{a}', type: ['#{b}'] }), ['a', 'b']);
});

test('a step is shown with the values that are given', () => {
  assert.deepEqual(shownStep({ text: '#{a} #{b}' }, { a: 'x' }), { text: 'x #{b}' });
  assert.deepEqual(shownStep({ text: '#{a}' }, undefined), { text: '#{a}' });
});

test('an empty value is a value, and a missing one is a problem', () => {
  assert.equal(substitute('a#{x}b', { x: '' }), 'ab');
  assert.equal(resultOf(substitute('#{x}#{y}', { x: '1' })), '"replaceWords" has no value for #{y}');
});

test('a value that looks like a placeholder is not looked at again', () => {
  assert.equal(substitute('#{a}', { a: '#{b}', b: 'x' }), '#{b}');
  assert.equal(substitute('#{a}', { a: '$& $1 $$' }), '$& $1 $$');
});

test('reads words: bare keys, keys in braces, numbers and booleans', () => {
  const words = parseWords({ a: 'x', '#{b}': 'y', c: 1, d: false, e: '' }, 'replaceWords');
  assert.deepEqual({ ...words }, { a: 'x', b: 'y', c: '1', d: 'false', e: '' });
});

test('replaceWords may be null, an empty text or an empty list; a value that is null or an empty list counts as missing', () => {
  for (const none of [undefined, null, '', []]) {
    assert.deepEqual({ ...parseWords(none, 'replaceWords') }, {});
  }
  const words = parseWords({ a: null, b: [], c: '' }, 'replaceWords') as Words;
  assert.deepEqual({ ...words }, { c: '' });
  assert.equal(resultOf(substitute('#{a}', words)), '"replaceWords" has no value for #{a}');
});

test('refuses words that are no text', () => {
  assert.equal(resultOf(parseWords({ a: {} }, 'replaceWords')), '"replaceWords.a" must be text');
  assert.equal(resultOf(parseWords(['x'], 'replaceWords')), '"replaceWords" must be a JSON object');
  assert.match(resultOf(parseWords({ a: 'x'.repeat(2001) }, 'replaceWords')), /at most 2000/);
});

test('a key of the prototype is no value', () => {
  assert.ok(substitute('#{constructor}', parseWords({}, 'w') as Words) instanceof Problem);
  assert.equal(substitute('#{__proto__}', parseWords(JSON.parse('{"__proto__":"x"}'), 'w') as Words), 'x');
});

const key = fc.stringMatching(/^[a-z]{1,3}$/);
const plain = fc.string().filter(text => !text.includes('#{'));

test('text without placeholders is left as it is', () => {
  fc.assert(
    fc.property(plain, text => {
      assert.equal(substitute(text, {}), text);
      assert.equal(holdsPlaceholders(text), false);
    }),
  );
});

test('the result is the pieces with the values between them', () => {
  const piece = fc.oneof(
    plain.map(text => ({ text, key: undefined })),
    key.map(name => ({ text: '', key: name })),
  );
  const safe = fc.array(piece.filter(({ text }) => !/[#{}]/.test(text)));
  fc.assert(
    fc.property(safe, fc.dictionary(key, fc.string()), (pieces, words) => {
      const template = pieces.map(each => (each.key === undefined ? each.text : `#{${each.key}}`)).join('');
      const isComplete = pieces.every(each => each.key === undefined || Object.hasOwn(words, each.key));
      const result = substitute(template, words);
      if (!isComplete) assert.ok(result instanceof Problem);
      else
        assert.equal(
          result,
          pieces.map(each => (each.key === undefined ? each.text : words[each.key])).join(''),
        );
    }),
  );
});

test('names the placeholders of a message once, in their order', () => {
  const step = {
    channel: 'sms',
    text: '#{b} #{a} #{b}',
    list: [{ url: '#{c d}' }],
    count: 3,
  };
  assert.deepEqual(placeholdersIn(step), ['b', 'a', 'c d']);
  assert.deepEqual(placeholdersIn({ text: 'no {name}, #name, #{open' }), []);
});

test('names few placeholders, and cuts long ones', () => {
  const text = Array.from({ length: 500 }, (_, index) => `#{${index}}`).join('');
  assert.deepEqual(placeholdersIn([text, '#{last}']), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  assert.equal(placeholdersIn(`#{${'x'.repeat(5000)}}`)[0]?.length, 65);
});
