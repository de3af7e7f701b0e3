/**
 * Particles by the last letter of the word before them. The table writes both forms, `이(가)`; the sentence has the one that
 * the word asks for: "2개가", "카드 3장이".
 */

/** After a final consonant, and after none. */
const FORMS: Readonly<Record<string, readonly [string, string]>> = {
  '이(가)': ['이', '가'],
  '을(를)': ['을', '를'],
  '은(는)': ['은', '는'],
  '와(과)': ['과', '와'],
  '과(와)': ['과', '와'],
  '(으)로': ['으로', '로'],
  '(이)어야': ['이어야', '여야'],
};

/** As the table writes them. */
export const PARTICLES = /이\(가\)|을\(를\)|은\(는\)|와\(과\)|과\(와\)|\(으\)로|\(이\)어야/;

/** `particle` as `FORMS` has it. */
export function particleAfter(word: string, particle: string): string {
  const [afterConsonant = particle, afterVowel = particle] = FORMS[particle] ?? [];
  const end = endOf(word);
  // 로 follows a ㄹ as well.
  const isClosed = particle === '(으)로' ? end === 'consonant' : end !== 'vowel';
  return isClosed ? afterConsonant : afterVowel;
}

type End = 'vowel' | 'rieul' | 'consonant';

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const FINALS = 28;
const RIEUL = 8;

/** How numbers end when they are read: 영 일 이 삼 사 오 육 칠 팔 구. Tens, hundreds and thousands end in a consonant as 영 does. */
const DIGITS: readonly End[] = [
  'consonant',
  'rieul',
  'vowel',
  'consonant',
  'vowel',
  'vowel',
  'consonant',
  'rieul',
  'rieul',
  'vowel',
];

function endOf(word: string): End {
  const tail = word.slice(-3).replace(/["')\]}\s]+$/, '');
  const last = tail.at(-1) ?? '';
  const code = last.charCodeAt(0);
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) {
    const final = (code - FIRST_SYLLABLE) % FINALS;
    return final === 0 ? 'vowel' : final === RIEUL ? 'rieul' : 'consonant';
  }
  if (/\d/.test(last)) return DIGITS[Number(last)] ?? 'vowel';
  // Latin words as Koreans say them, roughly: 타이틀, 프롬, 버튼; and letters by their names: 엘, 알, 엠, 엔.
  if (/(?:le|l|[A-Z]R)$/i.test(tail) && !/[a-z]r$/.test(tail)) return 'rieul';
  return /(?:[mn]|ng)$/i.test(tail) ? 'consonant' : 'vowel';
}
