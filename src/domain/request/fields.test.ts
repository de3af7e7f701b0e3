import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parsed, text } from './field-kinds.ts';
import { readFields, required, schemaOfFields } from './fields.ts';
import { Problem } from './problem.ts';

const fields = {
  name: required(text({ code: 'A303', tooLong: 'A328', max: 4, unit: 'bytes', description: 'A name.' })),
  note: text({ code: 'A305', max: 3, unit: 'characters', description: 'A note.' }),
  colour: {
    ...parsed({
      code: 'A300',
      parse: value => (value === 'red' ? 'RED' : undefined),
      mustBe: 'red',
      description: 'A colour.',
    }),
    aliases: ['color'],
  },
};

function refusal(body: unknown): [string, string] {
  const result = readFields(fields, body);
  assert.ok(result instanceof Problem);
  return [result.code, result.result];
}

test('reads what is given and leaves out what is not', () => {
  assert.deepEqual(readFields(fields, { name: 'abcd', extra: 1 }), { name: 'abcd' });
  assert.deepEqual(readFields(fields, { name: '가나', note: 'xyz', colour: 'red' }), {
    name: '가나',
    note: 'xyz',
    colour: 'RED',
  });
});

for (const absent of [undefined, null, '', []]) {
  test(`takes ${JSON.stringify(absent)} for "not given"`, () => {
    assert.deepEqual(readFields(fields, { name: 'ab', note: absent }), { name: 'ab' });
    assert.deepEqual(refusal({ name: absent }), ['A303', '"name" is required']);
  });
}

test('reads member names in any letter case, and by their aliases', () => {
  assert.deepEqual(readFields(fields, { NAME: 'ab', Color: 'red' }), { name: 'ab', colour: 'RED' });
});

test('says which field is too long, and by how much', () => {
  assert.deepEqual(refusal({ name: '가나다' }), ['A328', '"name" is longer than 4 bytes (was 6)']);
  // What is so long that it is not measured has as many bytes at least.
  assert.deepEqual(refusal({ name: 'a'.repeat(257) }), [
    'A328',
    '"name" is longer than 4 bytes (was at least 257)',
  ]);
  assert.deepEqual(refusal({ name: 'a', note: '가나다라' }), [
    'A305',
    '"note" is longer than 3 characters (was 4)',
  ]);
});

test('names a character that EUC-KR does not have', () => {
  assert.deepEqual(refusal({ name: '☕' }), [
    'A303',
    '"name" holds "☕" (U+2615), which EUC-KR does not have',
  ]);
});

test('a value of the wrong type is A011', () => {
  for (const value of [1, true, {}, ['a']]) {
    assert.deepEqual(refusal({ name: value }), ['A011', '"name" must be a string']);
  }
});

test('a body that is no object is A011', () => {
  for (const body of [null, 1, 'x', [], undefined]) {
    assert.deepEqual(refusal(body), ['A011', 'The body must be a JSON object']);
  }
});

test('refuses a NUL and an unpaired surrogate', () => {
  assert.equal(refusal({ name: 'a', note: 'a\0' })[0], 'A305');
  assert.equal(refusal({ name: 'a', note: '\ud800' })[0], 'A305');
});

test('no body, however odd, makes it throw', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), body => {
      const result = readFields(fields, body);
      assert.ok(result instanceof Problem || typeof result.name === 'string');
    }),
  );
});

test('a member of the prototype is not a given value', () => {
  assert.deepEqual(refusal(JSON.parse('{"__proto__": {"name": "ab"}}')), ['A303', '"name" is required']);
});

test('describes itself as JSON Schema', () => {
  assert.deepEqual(schemaOfFields({ name: fields.name }), {
    type: 'object',
    properties: { name: { type: 'string', description: 'A name. At most 4 bytes.' } },
    required: ['name'],
  });
});

test('members are listed once, however many fields are looked for among them', () => {
  const many = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [
      `field${index}`,
      text({ code: 'A300', max: 3, unit: 'characters', description: 'A field.' }),
    ]),
  );
  let times = 0;
  const ownKeys = (target: object) => {
    times++;
    return Reflect.ownKeys(target);
  };
  const body = { FIELD7: 'abc', ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`u${n}`, n])) };
  assert.deepEqual(readFields(many, new Proxy(body, { ownKeys })), { field7: 'abc' });
  assert.equal(times, 1);
});

test('the exact name wins over other spellings, and the first spelling over later ones', () => {
  assert.deepEqual(readFields(fields, { NAME: 'x', Name: 'y', name: 'z' }), { name: 'z' });
  assert.deepEqual(readFields(fields, { NAME: 'x', Name: 'y' }), { name: 'x' });
  assert.deepEqual(readFields(fields, { name: 'x', COLOR: 'red', Colour: 'blue' }), {
    name: 'x',
    colour: 'RED',
  });
});
