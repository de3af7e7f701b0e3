/** Values that have broken programs before. */
import type { SeededRandom } from '../simulation/seeded-random.ts';

export const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\t\r\n', '\u007f', '\u0085', '\u2028', '\ufeff', '\ufffd', '\uffff'],
  // Half a character, a flag of two, a family of seven, letters under a heap of accents, text from right to left.
  ...[
    '\ud800',
    'a\udfffb',
    '🇰🇷',
    '👨‍👩‍👧‍👦',
    `e${'\u0301'.repeat(300)}`,
    '\u202eabc',
    'مرحبا',
    '가각힣',
    'ㄱㄴㄷ',
    '똠방',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'length',
    'null',
    'undefined',
  ],
  ...['0', '-0', '-1', '1e999', 'NaN', 'Infinity', '0x10', '007', '9007199254740993', '1.5', '١٢٣', '１２３'],
  ...['#{', '#{}', '#{a}', '#{#{a}}', '#{__proto__}', '#{a', '}#{', '{{token}', '${jndi}', '%s%n', '{0}'],
  ...[
    "'",
    '"',
    "'; DROP TABLE message; --",
    '\\',
    '\\u0000',
    '%00',
    '%',
    '%zz',
    '%2e%2e%2f',
    '../../etc/passwd',
  ],
  ...[
    '<script>alert(1)</script>',
    '=1+1',
    '@SUM(A1)',
    '-2+3',
    '*',
    '?',
    '.',
    '..',
    '/',
    '//',
    'a/b',
    ';',
    '&',
    '=',
  ],
  ...[
    '2026-02-30T25:61:61+99:99',
    '2026-03-02T09:30:00+09:00',
    '9999-12-31T23:59:59Z',
    '0000-00-00',
    '+275760-09-13',
  ],
  ...[
    'http://[::1]/',
    'http://a@b:99999/',
    'javascript:alert(1)',
    'http://',
    'HTTP://EXAMPLE.COM',
    'http://1/',
    'file:///',
  ],
  ...[
    'http://169.254.169.254/',
    'https://example.com/\u0000',
    'http://xn--/',
    `https://${'a.'.repeat(200)}com/`,
  ],
  ...[
    '01012345678',
    '+14155550123',
    '+',
    '++1',
    '010-1234-5678',
    '0101234567８',
    '1'.repeat(40),
    'true',
    '[]',
    '{}',
  ],
];

/** Long ones are rare: most of the time goes into many small inputs. */
export function oddText(random: SeededRandom): string {
  if (random.chance(0.85)) return random.pick(ODD_TEXTS);
  const piece = random.pick([
    'x',
    '가',
    '😀',
    '#{a}',
    '#{',
    ' ',
    '\u0000',
    '\\',
    '"',
    'a.',
    '((',
    '\ud800',
    '%',
    '/',
    '-',
  ]);
  const length = random.pick([2, 17, 90, 91, 141, 161, 256, 257, 1025, 2001, 4097, 20_000]);
  return piece.repeat(random.chance(0.02) ? 200_000 : length);
}

export function oddValue(random: SeededRandom): unknown {
  switch (random.below(12)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -0, -1, 1, 0.1, 1e21, 1e308, 2 ** 31, 2 ** 53 + 2, -(2 ** 63), 1e-7]);
    case 3:
      return [];
    case 4:
      return {};
    case 5:
      return [oddText(random)];
    case 6:
      return { [random.pick(ODD_TEXTS)]: oddText(random) };
    case 7:
      return nested(random.pick([2, 5, 33, 64, 65, 200, 500]), random.chance(0.5));
    case 8:
      return Array.from({ length: random.pick([2, 11, 101, 3000]) }, () => oddText(random).slice(0, 20));
    default:
      return oddText(random);
  }
}

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
}
