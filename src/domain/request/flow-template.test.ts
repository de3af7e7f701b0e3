import assert from 'node:assert/strict';
import test from 'node:test';
import { alimtalk, friendtalk, rcs, sms } from '../../../test/harness/flows.ts';
import type { Words } from '../text/substitution.ts';
import { MAX_FILLED, MAX_FREE_TEXT, MAX_PLACEHOLDERS, MAX_TEMPLATE_VALUES } from './flow-template.ts';
import { type CompiledFlow, compileFlow } from './omni.ts';
import { Problem } from './problem.ts';

function compile(...entries: object[]): CompiledFlow {
  const compiled = compileFlow(entries);
  assert.ok(!(compiled instanceof Problem), compiled instanceof Problem ? compiled.result : '');
  return compiled;
}

function refusal(value: unknown): [string, string] {
  assert.ok(value instanceof Problem);
  return [value.code, value.result];
}

/** Words that count how often a value is taken. */
function counted(words: Words): { words: Words; taken: () => number } {
  let count = 0;
  const get = (target: Words, key: string) => {
    count++;
    return target[key];
  };
  return { words: new Proxy(words, { get }), taken: () => count };
}

/** An object that counts how often its members are listed. */
function listed<T extends object>(object: T): { object: T; times: () => number } {
  let count = 0;
  const ownKeys = (target: T) => {
    count++;
    return Reflect.ownKeys(target);
  };
  return { object: new Proxy(object, { ownKeys }), times: () => count };
}

function unknownMembers(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, '#{other}']));
}

test('a text that outgrows its field is filled in no further, and has the code and limit of the field', () => {
  const compiled = compile({ sms: { from: '021', text: '#{a}'.repeat(MAX_PLACEHOLDERS) } });
  const { words, taken } = counted({ a: 'x'.repeat(2000) });
  assert.deepEqual(refusal(compiled.flowFor(words)), [
    'A328',
    '"messageFlow[0].sms.text" is longer than 90 bytes',
  ]);
  assert.ok(taken() <= 3, `${taken()} words were put in`);
});

test('a text that is a little too long is measured by its field', () => {
  const compiled = compile({ sms: { from: '021', text: '#{a}' } });
  assert.deepEqual(refusal(compiled.flowFor({ a: 'x'.repeat(104) })), [
    'A328',
    '"messageFlow[0].sms.text" is longer than 90 bytes (was 104)',
  ]);
});

test('a text in a list has the limit of its own field', () => {
  const quickReply = [{ type: 'BK', name: '#{a}' }];
  const compiled = compile(alimtalk({ supplement: { quickReply } }));
  assert.deepEqual(refusal(compiled.flowFor({ a: 'x'.repeat(1000) })), [
    'A564',
    '"messageFlow[0].alimtalk.supplement.quickReply[0].name" is longer than 14 characters',
  ]);
});

test('a text without a limit of its own has one when it is filled in', () => {
  const compiled = compile(
    rcs({ formatId: 'ISSUED01', content: { template: { text: '#{a}'.repeat(500) } } }),
  );
  const { words, taken } = counted({ a: 'x'.repeat(2000) });
  assert.deepEqual(refusal(compiled.flowFor(words)), [
    'A415',
    `"messageFlow[0].rcs.content.template.text" is longer than ${MAX_FREE_TEXT} characters`,
  ]);
  assert.ok(taken() <= 11, `${taken()} words were put in`);
  assert.ok(!(compiled.flowFor({ a: 'x'.repeat(40) }) instanceof Problem));
});

test('the texts of one recipient have a limit together', () => {
  const keys = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`key${index}`, '#{a}'.repeat(5)]),
  );
  const compiled = compile(rcs({ formatId: 'ISSUED01', content: { template: keys } }));
  assert.ok(!(compiled.flowFor({ a: 'x'.repeat(MAX_FILLED / 100) }) instanceof Problem));
  assert.deepEqual(refusal(compiled.flowFor({ a: 'x'.repeat(MAX_FILLED / 100 + 1) })), [
    'A300',
    `"messageFlow" is longer than ${MAX_FILLED} characters with the replaceWords of this recipient`,
  ]);
});

test('refuses too many placeholders', () => {
  const tooMany = ['A300', `"messageFlow" holds more than ${MAX_PLACEHOLDERS} placeholders`];
  for (const [placeholder, count] of [
    ['#{}', 300_000],
    ['#{a}', 200_000],
    ['#{a}', MAX_PLACEHOLDERS + 1],
  ] as const) {
    assert.deepEqual(refusal(compileFlow([sms({ text: placeholder.repeat(count) })])), tooMany);
  }
  const half = '#{a}'.repeat(MAX_PLACEHOLDERS / 2);
  compile(sms({ text: half }), sms({ text: half }));
  assert.deepEqual(refusal(compileFlow([sms({ text: half }), sms({ text: `${half}#{a}` })])), tooMany);
});

test('unread members are walked once, not for each recipient', () => {
  const message = listed({ ...friendtalk().friendtalk, text: '#{a}', ...unknownMembers(10_000) });
  const entry = listed({ friendtalk: message.object, ...unknownMembers(10_000) });
  const compiled = compile(entry.object);
  const walked = [message.times(), entry.times()];
  assert.ok(Math.max(...walked) <= 10, `walked ${walked} times`);
  for (let recipient = 0; recipient < 10; recipient++) {
    assert.ok(!(compiled.flowFor({ a: 'x' }) instanceof Problem));
  }
  assert.deepEqual([message.times(), entry.times()], walked);
});

test('a placeholder in an unread member needs no value', () => {
  const compiled = compile(sms({ text: '#{a}', note: '#{b}' }));
  assert.ok(!(compiled.flowFor({ a: 'x' }) instanceof Problem));
  const plain = compile(sms({ text: 'x', note: '#{b}' }));
  assert.equal(plain.isTemplate, false);
});

test('refuses a template with too many values', () => {
  const action = { displayText: '#{a}', urlAction: { openUrl: { url: 'u' } } };
  const suggestions = Array.from({ length: MAX_TEMPLATE_VALUES }, () => ({ action }));
  const entry = rcs({
    formatId: 'ISSUED01',
    content: null,
    body: { title: 'x' },
    buttons: [{ suggestions }],
  });
  assert.deepEqual(refusal(compileFlow([entry])), [
    'A300',
    `"messageFlow" holds placeholders and more than ${MAX_TEMPLATE_VALUES} values`,
  ]);
});

test('an entry without placeholders is not read again, and half a placeholder is measured as text', () => {
  const compiled = compile(sms({ text: 'plain' }), sms({ text: '#{a}' }));
  const flow = compiled.flowFor({ a: 'x' });
  assert.ok(!(flow instanceof Problem));
  assert.equal(flow[0], compiled.flow[0]);
  assert.deepEqual(flow[1], { ...compiled.flow[1], text: 'x' });
  const half = sms({ text: `#{${'x'.repeat(100)}` });
  const tooLong = ['A328', '"messageFlow[0].sms.text" is longer than 90 bytes (was 102)'];
  assert.deepEqual(refusal(compileFlow([half])), tooLong);
  assert.deepEqual(refusal(compileFlow([half, sms({ text: '#{a}' })])), tooLong);
});

test('a missing word is named, however long its key is, in few characters', () => {
  const compiled = compile(sms({ text: `#{${'k'.repeat(500_000)}}` }));
  assert.deepEqual(refusal(compiled.flowFor({})), [
    'A300',
    `"replaceWords" has no value for #{${'k'.repeat(64)}…}`,
  ]);
});

test('members are found under every spelling, as in a flow without placeholders', () => {
  const compiled = compile({
    Friendtalk: { SenderKey: 'k', msgType: 'FT', text: '', Text: '#{a}', adults: 'Y' },
  });
  assert.deepEqual(compiled.flowFor({ a: 'x' }), [
    { channel: 'friendtalk', senderKey: 'k', msgType: 'FT', text: 'x', adult: 'Y' },
  ]);
});
