import assert from 'node:assert/strict';
import test from 'node:test';
import { inKorean, type Language, languageOf } from './language.ts';

const HEADERS: readonly (readonly [header: string | undefined, language: Language])[] = [
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['ko', 'ko'],
  ['KO-kr', 'ko'],
  ['ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7', 'ko'],
  ['en-US,en;q=0.9,ko;q=0.8', 'en'],
  ['en, ko', 'en'],
  ['ko, en', 'ko'],
  ['en;q=0.5, ko', 'ko'],
  ['fr, ko;q=0.1', 'ko'],
  ['ko;q=0', 'en'],
  ['ko;q=2', 'en'],
  ['ko;q=much', 'en'],
  ['kok', 'en'],
  ['ja', 'en'],
  [`${'x,'.repeat(5_000)}ko`, 'en'],
];

for (const [header, language] of HEADERS) {
  test(`answers in ${language} to Accept-Language ${header?.slice(0, 40) ?? 'that is missing'}`, () => {
    assert.equal(languageOf(header), language);
  });
}

test('speaks Korean in the members of the gateway, and repeats what clients wrote', () => {
  const english = {
    code: 'A303',
    result: '"text" is required',
    data: {
      reports: [{ reportCode: '63020', reportText: 'Blocked by the user', ref: 'waits' }],
      timeline: [{ event: 'routed', why: 'routes[0] by weight 3; sky is not available; waits' }],
      request: { result: 'Success' },
      flow: [{ why: 'no route matches' }],
      detail: null,
    },
  };
  assert.deepEqual(JSON.parse(inKorean(JSON.stringify(english))), {
    code: 'A303',
    result: '"text" 값은 필수입니다',
    data: {
      reports: [{ reportCode: '63020', reportText: '채널 차단', ref: 'waits' }],
      timeline: [{ event: 'routed', why: '라우팅 규칙 [0], 가중치 3; sky 사용 불가; 대기' }],
      request: { result: 'Success' },
      flow: [{ why: 'no route matches' }],
      detail: null,
    },
  });
});

test('of an answer with thousands of different sentences some are put into Korean, of equal ones all', () => {
  const answer = (texts: readonly string[]) =>
    inKorean(JSON.stringify({ data: texts.map(result => ({ result })) }));
  const inEnglish = (texts: readonly string[]) => answer(texts).split(' is required').length - 1;
  assert.equal(inEnglish(Array.from({ length: 5_000 }, () => '"text" is required')), 0);
  assert.equal(inEnglish(Array.from({ length: 5_000 }, (_, index) => `"text${index}" is required`)), 4_800);
});
