import assert from 'node:assert/strict';
import test from 'node:test';
import { koreanSentence } from './korean.ts';
import { createTranslation } from './phrases.ts';

const SAID: readonly (readonly [english: string, korean: string])[] = [
  ['Invalid token', '토큰이 올바르지 않습니다'],
  ['"text" is longer than 90 bytes (was 95)', '"text" 값이 90바이트를 초과했습니다(현재 95바이트)'],
  [
    '"limit" must be a whole number from 1 to 200',
    '"limit" 값이 올바르지 않습니다. 올바른 값: 1~200 사이의 정수',
  ],
  ['"header" must be "0" or "1"', '"header" 값이 올바르지 않습니다. 올바른 값: "0" 또는 "1"'],
  [
    '"from" must be a registered sender number (was 15881234)',
    '"from" 값이 올바르지 않습니다. 올바른 값: 등록된 발신번호 (입력값: 15881234)',
  ],
  [
    '"content.carousel" must have 3 cards in CMwMhM0300 (was 2)',
    'CMwMhM0300의 "content.carousel"에는 카드 3장이 있어야 합니다(현재 2장)',
  ],
  [
    '"content.standalone.button" has more than 1 button (was 2)',
    '"content.standalone.button"에는 버튼 1개까지만 넣을 수 있습니다(현재 2개)',
  ],
  [
    '"body" has more than 2 sub-infos in OMTBNV0001 (was 3)',
    'OMTBNV0001의 "body"에는 상세 정보 2개까지만 넣을 수 있습니다(현재 3개)',
  ],
  [
    '"body.mediaUrl" must be a full address such as https://example.com, or \\ to fill the screen',
    '"body.mediaUrl" 값이 올바르지 않습니다. 올바른 값: 전체 주소(예: https://example.com). 화면을 채우려면 \\',
  ],
  [
    '"settings.addresses" must be a list of at most 64 IPv4 and IPv6 addresses and blocks such as 192.0.2.0/24; empty for everywhere: "a" is not an IPv4 or IPv6 address or block',
    '"settings.addresses" 값이 올바르지 않습니다. 올바른 값: IPv4·IPv6 주소 또는 대역(예: 192.0.2.0/24) 최대 64개의 배열, 비우면 모든 주소. "a"는 IPv4·IPv6 주소나 대역이 아닙니다',
  ],
  [
    'Nothing was stored. Entry 2: "text" is required',
    '아무것도 저장하지 않았습니다. 2번 항목: "text" 값은 필수입니다',
  ],
  [
    '"templateCode" must be an approved template (T1 is in the state draft)',
    '"templateCode" 값은 승인된 템플릿이어야 합니다(T1의 상태: draft)',
  ],
  ['"replaceWords" has no value for #{이름}', '"replaceWords"에 #{이름} 값이 없습니다'],
  ['no route matches; sky serves the rest', '일치하는 라우팅 규칙 없음; 그 밖의 메시지는 sky에서 처리'],
  ['The account is in polling mode', '폴링 방식 계정임'],
  [
    'The receiver answered 410, on 2026-01-05T12:00:00+09:00',
    '수신 서버가 2026-01-05T12:00:00+09:00에 410으로 응답함',
  ],
  ['matches; via sky, sea', '일치; 중계사: sky, sea'],
  ['image is 400x100, height must be 400', '이미지가 400x100입니다. 세로는 400이어야 합니다'],
];

for (const [english, korean] of SAID) {
  test(`says "${english.slice(0, 60)}" in Korean`, () => {
    assert.equal(koreanSentence(english), korean);
  });
}

test('has no Korean for what is not in the table', () => {
  for (const text of ['', 'Something else', '; ', 'no route matches; something else', 'x'.repeat(5_000)]) {
    assert.equal(koreanSentence(text), undefined);
  }
});

test('a text of too many sentences is not compared with the table', () => {
  const clause = 'Invalid token';
  assert.notEqual(koreanSentence(Array.from({ length: 16 }, () => clause).join('; ')), undefined);
  assert.equal(koreanSentence(Array.from({ length: 17 }, () => clause).join('; ')), undefined);
});

test('takes the pattern that says most, and leaves values as they are', () => {
  const translate = createTranslation([
    ['{} is {}', '{1}: {2}'],
    ['{} is not {}', '{1}: {2} 아님'],
  ]);
  assert.equal(translate('sky is not up'), 'sky: up 아님');
  assert.equal(translate('sky is {2~}'), 'sky: {2~}');
  assert.equal(translate(' is up'), undefined);
});

test('reads a text with many possible starts once', () => {
  const hostile = '"'.repeat(2_000) + '" must be '.repeat(190);
  assert.equal(typeof koreanSentence(hostile), 'string');
});
