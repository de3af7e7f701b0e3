import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../ids.ts';
import { keywordOf } from '../text/keyword.ts';
import { handsetOf, ownerOf, type RegisteredNumber } from './inbound.ts';

const registered = (account: string, number: string, keyword: string): RegisteredNumber => ({
  account: account as AccountId,
  entry: { kind: 'inboundNumber', number, keyword },
});

const REGISTERED = [
  registered('shop', '15881234', '*'),
  registered('radio', '15881234', '이벤트'),
  registered('bank', '0212345678', 'PIN'),
];

const ROWS: readonly (readonly [to: string, text: string, owner: string | undefined])[] = [
  ['15881234', 'hello', 'shop'],
  ['15881234', '', 'shop'],
  ['15881234', '이벤트 참여합니다', 'radio'],
  ['15881234', ' [이벤트]\n참여', 'radio'],
  ['15881234', '이벤트참여', 'shop'],
  ['+8215881234', 'hello', 'shop'],
  ['8215881234', 'hello', 'shop'],
  ['0212345678', 'pin 1', 'bank'],
  ['+82212345678', 'ＰＩＮ', 'bank'],
  ['+82-2-1234-5678', 'pin', 'bank'],
  ['0082212345678', 'pin', 'bank'],
  ['+0212345678', 'pin', 'bank'],
  ['0212345678', 'hello', undefined],
  ['1234', 'hello', undefined],
  ['shop', 'hello', undefined],
];

for (const [to, text, owner] of ROWS) {
  test(`"${text.replaceAll('\n', ' ')}" to ${to} is ${owner ?? "nobody's"}`, () => {
    assert.equal(ownerOf(REGISTERED, to, text)?.account, owner);
  });
}

test('a keyword is the first word, whatever its case and the signs around it', () => {
  assert.deepEqual(['Stop!', '"stop" please', '(수신거부)', '!', ''].map(keywordOf), [
    'STOP',
    'STOP',
    '수신거부',
    '',
    '',
  ]);
});

test('of a word that is longer than any keyword, its beginning is read', () => {
  assert.equal(keywordOf(`${'!'.repeat(100)}stop${'!'.repeat(40_000)}`), 'STOP');
  assert.equal(keywordOf('가'.normalize('NFD').repeat(20_000)).length, 100);
  assert.equal(keywordOf(' '.repeat(20_000)), '');
});

test('a handset is written as recipients are', () => {
  for (const writing of [
    ...['+821012345678', '821012345678', '01012345678'],
    // Called international by the carrier, and written nationally.
    '+01012345678',
    '00821012345678',
    '1012345678',
  ]) {
    assert.equal(handsetOf(writing), '01012345678', writing);
  }
  assert.deepEqual(['+14155550123', 'Bank'].map(handsetOf), ['+14155550123', 'Bank']);
});
