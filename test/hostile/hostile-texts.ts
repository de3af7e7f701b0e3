/** Texts on which careless code takes the square of their length: runs of what patterns repeat, and their near misses. */

const repeated = (unit: string) => (length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const between = (head: string, unit: string, tail: string) => (length: number) =>
  head + repeated(unit)(length - head.length - tail.length) + tail;

/** Each makes a text of a length. */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  letters: repeated('a'),
  digits: repeated('1'),
  'Korean syllables': repeated('가'),
  'signs in a word': between('a', '!', 'a'),
  'blanks in a text': between('a', ' ', 'a'),
  'line breaks in a text': between('a', '\r\n', 'a'),
  'combining marks out of order': repeated('\u0301\u0323'),
  'letters that become many': repeated('\ufdfa'),
  'half a surrogate pair': repeated('\ud83d'),
  'a family of emoji': repeated('👩\u200d'),
  'open placeholders': repeated('#{'),
  placeholders: repeated('#{a}'),
  'an open placeholder': between('#{', 'a', ''),
  'open braces': repeated('{{'),
  'open quotes': repeated('"'),
  'doubled quotes in a cell': between('"', '""', 'a'),
  commas: repeated(','),
  clauses: repeated('; '),
  'words of one letter': repeated('a '),
  'open tags': repeated('<a'),
  'open brackets': repeated('['),
  slashes: between('a', '/', 'a'),
  dots: repeated('.'),
  'dots and slashes': repeated('../'),
  hyphens: between('0', '-', 'a'),
  'numbers with hyphens': repeated('010-1234-'),
  'free numbers': repeated('080-123-'),
  'signs before a number': between('+', '+', '82'),
  'percent signs': repeated('%25'),
  backslashes: repeated('\\'),
  colons: repeated(':'),
  'a receipt without an end': repeated(' id :'),
  'a mark of advertisements': between('(', ' ', '광고'),
  'zero bytes': repeated('\0'),
};

/** For requests, which have many fields: one text of each sort. */
export const FEW_HOSTILE_TEXTS = [
  'letters',
  'signs in a word',
  'combining marks out of order',
  'open placeholders',
  'blanks in a text',
  'a family of emoji',
];
