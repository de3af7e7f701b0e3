import assert from 'node:assert/strict';
import test from 'node:test';
import { koreanSentence } from './korean.ts';
import { particleAfter } from './particles.ts';

for (const [word, said] of [
  ['2개', '2개가 2개를 2개는 2개와 2개로 2개여야'],
  ['카드 3장', '카드 3장이 카드 3장을 카드 3장은 카드 3장과 카드 3장으로 카드 3장이어야'],
  ['1200', '1200이 1200을 1200은 1200과 1200으로 1200이어야'],
  ['1', '1이 1을 1은 1과 1로 1이어야'],
  ['4', '4가 4를 4는 4와 4로 4여야'],
  ['템플릿', '템플릿이 템플릿을 템플릿은 템플릿과 템플릿으로 템플릿이어야'],
  ['서울', '서울이 서울을 서울은 서울과 서울로 서울이어야'],
  ['button', 'button이 button을 button은 button과 button으로 button이어야'],
  ['title', 'title이 title을 title은 title과 title로 title이어야'],
  ['text', 'text가 text를 text는 text와 text로 text여야'],
  ['"from"', '"from"이 "from"을 "from"은 "from"과 "from"으로 "from"이어야'],
] as const) {
  test(`chooses the particles after ${word}`, () => {
    const particles = ['이(가)', '을(를)', '은(는)', '와(과)', '(으)로', '(이)어야'];
    assert.equal(particles.map(particle => word + particleAfter(word, particle)).join(' '), said);
  });
}

test('a sentence has one form of each particle, and no English is left in it', () => {
  for (const [english, korean] of [
    [
      '"button[0]" of type AL needs 2 of "schemeIos", "schemeAndroid", "urlMobile"',
      'AL 유형의 "button[0]"에는 "schemeIos", "schemeAndroid", "urlMobile" 중 2개가 필요합니다',
    ],
    ['"content" and "body" cannot be used together', '"content"와 "body"는 함께 쓸 수 없습니다'],
    ['"buttons" needs "body"', '"buttons"를 쓰려면 "body"가 필요합니다'],
    [
      '"unsubscribePhoneNumber" must be a free number for opting out, such as 080-123-4567',
      '"unsubscribePhoneNumber" 값이 올바르지 않습니다. 올바른 값: 무료 수신거부 번호(예: 080-123-4567)',
    ],
    ['image is 400x100, it must be 800x600', '이미지가 400x100입니다. 800x600이어야 합니다'],
  ] as const) {
    assert.equal(koreanSentence(english), korean);
  }
});
