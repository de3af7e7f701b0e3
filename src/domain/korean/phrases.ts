/**
 * Puts the gateway's own sentences into Korean. They are written in English where they arise, with names and numbers in
 * them; a table has each as a pattern, with `{}` for what varies, and its Korean, with `{1}` for the first of these as it is
 * and `{1~}` for the first of these in Korean.
 *
 * What varies may come from a client. A pattern is therefore matched by looking for its fixed parts from left to right,
 * without going back: the time is linear in the text, whatever it holds.
 */
import { PARTICLES, particleAfter } from './particles.ts';

export type Phrase = readonly [english: string, korean: string];

/** Undefined where the table does not have the text. */
export type Translate = (text: string) => string | undefined;

/** A value in the Korean of a pattern, and the particle that depends on it. */
const VALUE = new RegExp(`\\{(\\d)(~?)\\}("?)(${PARTICLES.source})?`, 'g');

interface Pattern {
  /** What stands before, between and after what varies. */
  readonly fixed: readonly string[];
  readonly korean: string;
}

/** No sentence of ours is longer; what is longer stays as it is. */
const LONGEST = 4_000;
/** A part of a sentence may have parts itself. */
const DEPTH = 3;
/** Sentences that stand side by side: several problems, or the clauses of a reason. */
const BETWEEN = '; ';
/** More sentences than ours ever have; each is compared with every pattern. */
const MOST_CLAUSES = 16;

/** `sentences` are whole texts; `parts` are found only inside of them. */
export function createTranslation(sentences: readonly Phrase[], parts: readonly Phrase[] = []): Translate {
  let whole: Table | undefined;
  let inner: Table | undefined;

  return text => {
    if (text.length > LONGEST) return undefined;
    return each(text) ?? findWhole(text);
  };

  /** The tables are made when somebody asks for Korean. */
  function findWhole(text: string): string | undefined {
    whole ??= tableOf(sentences);
    return find(whole, text, DEPTH);
  }

  function findPart(text: string, depth: number): string | undefined {
    inner ??= tableOf([...sentences, ...parts]);
    return find(inner, text, depth);
  }

  function find(table: Table, text: string, depth: number): string | undefined {
    const exact = table.exact.get(text);
    if (exact !== undefined) return exact;
    for (const { fixed, korean } of table.patterns) {
      const found = valuesOf(fixed, text);
      if (!found) continue;
      return korean.replaceAll(VALUE, (...[, number, isKorean, quote, particle]: string[]) => {
        const given = found[Number(number) - 1] ?? '';
        const value = isKorean && depth > 0 ? (findPart(given, depth - 1) ?? given) : given;
        return value + (quote ?? '') + (particle ? particleAfter(value, particle) : '');
      });
    }
    return undefined;
  }

  function each(text: string): string | undefined {
    if (!text.includes(BETWEEN)) return undefined;
    const clauses = text.split(BETWEEN, MOST_CLAUSES + 1);
    if (clauses.length > MOST_CLAUSES) return undefined;
    const said: string[] = [];
    for (const clause of clauses) {
      const korean = findWhole(clause);
      if (korean === undefined) return undefined;
      said.push(korean);
    }
    return said.join(BETWEEN);
  }
}

interface Table {
  readonly exact: ReadonlyMap<string, string>;
  readonly patterns: readonly Pattern[];
}

/** The pattern that says most comes first. */
function tableOf(phrases: readonly Phrase[]): Table {
  const patterns = phrases
    .filter(([english]) => english.includes('{}'))
    .map(([english, korean]) => ({ fixed: english.split('{}'), korean }));
  const weight = ({ fixed }: Pattern) => fixed.join('').length;
  return {
    exact: new Map(phrases.filter(([english]) => !english.includes('{}'))),
    patterns: patterns.sort((one, other) => weight(other) - weight(one)),
  };
}

/** What stands between the fixed parts; undefined where the text is not of this pattern. */
function valuesOf(fixed: readonly string[], text: string): string[] | undefined {
  const [head = '', ...rest] = fixed;
  if (!text.startsWith(head)) return undefined;
  const values: string[] = [];
  let from = head.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const at = isLast ? text.length - part.length : text.indexOf(part, from);
    if (at <= from || !text.startsWith(part, at)) return undefined;
    values.push(text.slice(from, at));
    from = at + part.length;
  }
  return values;
}
