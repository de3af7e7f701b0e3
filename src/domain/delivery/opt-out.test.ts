import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from './flow.ts';
import { ANY_SENDER, isOptOutKeyword, isRefused as isStepRefused, parseOptOutSender } from './opt-out.ts';

const AD: Step = { channel: 'sms', from: '0212345678', text: '(광고) sale 080-123-4567' };
const CODE: Step = { ...AD, text: 'your code is 1234' };
const ADS = 'advertisements';

const isRefused = (step: Step, entries: Parameters<typeof isStepRefused>[1], first = step) =>
  isStepRefused({ step, first }, entries);

test('an entry stops advertisements of its sender, and every message if it covers all', () => {
  assert.equal(isRefused(AD, []), false);
  assert.equal(isRefused(AD, [{ sender: ANY_SENDER, covers: ADS }]), true);
  assert.equal(isRefused(CODE, [{ sender: ANY_SENDER, covers: ADS }]), false);
  assert.equal(isRefused(CODE, [{ sender: ANY_SENDER, covers: 'all' }]), true);
  assert.equal(isRefused(AD, [{ sender: '15880000', covers: 'all' }]), false);
  assert.equal(isRefused(AD, [{ sender: '0212345678', covers: ADS }]), true);
});

test('an entry that stops an advertisement stops its fallbacks from any sender', () => {
  const fallback: Step = { ...CODE, from: '15880000' };
  assert.equal(isRefused(fallback, [{ sender: ANY_SENDER, covers: ADS }], AD), true);
  assert.equal(isRefused(fallback, [{ sender: '0212345678', covers: ADS }], AD), true);
  assert.equal(isRefused(fallback, [{ sender: '15880000', covers: ADS }], AD), true);
  assert.equal(isRefused(fallback, [{ sender: '0212345678', covers: 'all' }], CODE), false);
  assert.equal(isRefused(fallback, [{ sender: '16660000', covers: ADS }], AD), false);
});

test('a keyword is the whole text, whatever stands around it', () => {
  const words = ['수신거부', 'STOP'];
  for (const text of ['수신거부', ' 수신 거부.', 'stop', 'Stop!', '"STOP"\n'])
    assert.ok(isOptOutKeyword(text, words), text);
  for (const text of ['', '.', '수신거부 방법이 뭔가요', 'non-stop', 'stop it'])
    assert.ok(!isOptOutKeyword(text, words), text);
});

test('a text that is longer than any keyword is none', () => {
  assert.ok(isOptOutKeyword(`${'!'.repeat(20_000)}stop`, ['STOP']));
  assert.ok(isOptOutKeyword('수신거부'.normalize('NFD'), ['수신거부']));
  assert.ok(!isOptOutKeyword('stop'.repeat(10_000), ['stop'.repeat(10)]));
});

test('a sender is a number, a key or "*"', () => {
  assert.equal(parseOptOutSender('02-1234-5678'), '0212345678');
  assert.equal(parseOptOutSender('BR.a1B2'), 'BR.a1B2');
  assert.equal(parseOptOutSender('*'), '*');
  for (const value of ['', 'a b', 'x'.repeat(65), '수신']) assert.equal(parseOptOutSender(value), undefined);
});
