import assert from 'node:assert/strict';
import test from 'node:test';
import {
  hasAdvertisementMark,
  hasFreeNumber,
  readsAsAdvertisement,
  textMarkProblem,
} from './advertisement-mark.ts';

const MARK = '"text" of an advertisement must begin with (광고)';
const NUMBER = '"text" of an advertisement must contain a free number for opting out, such as 080-123-4567';

for (const [text, problem] of [
  ['(광고) 봄 세일 무료수신거부 080-123-4567', undefined],
  ['  (광고)세일 무료거부0801234567', undefined],
  ['(광고) 봄 세일', NUMBER],
  ['(광고) 봄 세일 수신거부 02-1234-5678', NUMBER],
  ['[광고] 봄 세일 080-123-4567', MARK],
  ['(광 고) 봄 세일 080-123-4567', MARK],
  ['봄 세일 무료수신거부 080-123-4567', MARK],
  ['인증번호는 080123 입니다', undefined],
  ['고객센터 080-123-4567', undefined],
  ['광고주님, 정산이 끝났습니다', undefined],
] as const) {
  test(`"${text}" ${problem === undefined ? 'keeps the rules' : 'breaks a rule'}`, () => {
    assert.equal(textMarkProblem(text, false), problem);
  });
}

test('a text that is an advertisement whatever it says needs both marks', () => {
  assert.equal(textMarkProblem('봄 세일', true), MARK);
  assert.equal(textMarkProblem('(광고) 봄 세일', true), NUMBER);
  assert.equal(textMarkProblem('(광고) 봄 세일 080-123-4567', true), undefined);
});

test('a free number is one of 080, however it is written', () => {
  for (const number of ['0801234567', '080-123-4567', '080 1234 5678', '080.123.4567']) {
    assert.ok(hasFreeNumber(`거부 ${number}`), number);
  }
  for (const number of ['10801234567', '070-123-4567', '080-12']) assert.ok(!hasFreeNumber(number), number);
});

test('a text with a mangled mark reads as an advertisement', () => {
  for (const text of ['[광고] x', '［광고］ x', '(광.고) x', '【광고】x'])
    assert.ok(readsAsAdvertisement(text), text);
});

test('a mark counts as it is seen: in jamo, of full width, and with characters that are not shown', () => {
  const marked = [
    '(광고) x'.normalize('NFD'),
    '（광고） x',
    '\u200b(광고) x',
    ' \u2060 (광\u200b고) x',
    '\u202a(광고)',
  ];
  for (const text of marked) assert.ok(hasAdvertisementMark(text), JSON.stringify(text));
  assert.ok(readsAsAdvertisement('\u200b[광고] x'));
  assert.ok(!hasAdvertisementMark('x (광고)'));
});
