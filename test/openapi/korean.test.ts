/** Everything the gateway says has its Korean: read from the source, so that a new sentence cannot be forgotten. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { koreanSentence } from '../../src/domain/korean/korean.ts';
import { apiDocument } from '../../src/http/openapi/document.ts';
import { koreanDescription } from '../../src/http/openapi/korean/korean-document.ts';

const ROOT = new URL('../../', import.meta.url);
const FILES = globSync('src/**/*.ts', { cwd: ROOT }).filter(
  name => !name.endsWith('.test.ts') && !name.endsWith('.openapi.ts'),
);

/** A literal: the text in quotes, or a template with at most one level of templates in it. */
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^`{}]|\{[^}]*\}|`[^`]*`)*\})*)`/;
const PLACES = {
  /** The second argument, where it is written there. */
  problem: new RegExp(String.raw`new Problem\(\s*[^\s,]+,\s*(?:${LITERAL.source})`, 'g'),
  /** Any literal; `ABOUT_FIELD` tells which are sentences. */
  aboutField: new RegExp(LITERAL.source, 'g'),
  mustBe: new RegExp(`mustBe(?::| =)\\s+(?:${LITERAL.source})`, 'g'),
};

const ABOUT_FIELD = /^"[^"]+" (?:of|must|is|has|holds|needs|differs|cannot|names|and|or|belongs)\b/;

/** What stands in for a value: no word of any table. */
const VALUE = '7';

/** Two English words beside each other; single ones are of the contract, such as "sms". */
function isUnfinished(korean: string | undefined): boolean {
  return korean === undefined || /[A-Za-z]{3,} [a-z]{2,}/.test(korean.replaceAll(/"[^"]*"/g, ''));
}

function saidIn(file: string, place: RegExp): string[] {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  return [...source.matchAll(place)].map(([, quoted, template]) =>
    (quoted ?? template ?? '')
      .replaceAll(/\$\{(?:[^`{}]|\{[^}]*\}|`[^`]*`)*\}/g, VALUE)
      .replaceAll('\\\\', '\\'),
  );
}

/** Made of a part that is a sentence's end; the table has each of these with its ends. */
const COMPOSED = new Set([
  VALUE,
  `"${VALUE}" ${VALUE}`,
  `"${VALUE}.${VALUE}" ${VALUE}`,
  `${VALUE} must be a JSON object`,
  `"${VALUE}"${VALUE}`,
  `"${VALUE}" is longer than ${VALUE}`,
  `"${VALUE}" is longer than ${VALUE} bytes${VALUE} (was ${VALUE})`,
  `"${VALUE}" is longer than ${VALUE} bytes${VALUE} (was at least ${VALUE})`,
  `"${VALUE}" is longer than ${VALUE} characters${VALUE} (was ${VALUE})`,
  `"${VALUE}" has texts longer than ${VALUE} characters in total${VALUE} (was ${VALUE})`,
  `The upload exceeds the limit of ${VALUE} for this account: files are deleted when they expire`,
  `The file is not CSV: ${VALUE}`,
  `${VALUE}, or null for none`,
  `${VALUE}, or null for BONGSU_TOKENS_PER_ACCOUNT`,
]);

test('every refusal has its Korean', () => {
  const said = FILES.flatMap(file => saidIn(file, PLACES.problem));
  assert.ok(said.length > 120, `${said.length} sentences are found`);
  const unfinished = said.filter(text => !COMPOSED.has(text) && isUnfinished(koreanSentence(text)));
  assert.deepEqual([...new Set(unfinished)], []);
});

test('no sentence about a field leaves English in its Korean, wherever it is written', () => {
  const said = FILES.filter(name => /^src\/(domain|accept)\//.test(name) && !name.includes('korean'))
    .flatMap(file => saidIn(file, PLACES.aboutField))
    .filter(text => ABOUT_FIELD.test(text) && !COMPOSED.has(text));
  assert.ok(said.length > 100, `${said.length} sentences are found`);
  const unfinished = said.filter(text => isUnfinished(koreanSentence(text)));
  assert.deepEqual([...new Set(unfinished)], []);
});

test('every rule that completes a sentence has its Korean', () => {
  const said = FILES.flatMap(file => saidIn(file, PLACES.mustBe));
  assert.ok(said.length > 30, `${said.length} rules are found`);
  const missing = said.filter(rule => {
    const sentence = koreanSentence(`"x" must be ${rule}`);
    // A list of words of the contract has nothing to translate.
    return !COMPOSED.has(rule) && (isUnfinished(sentence) || sentence?.endsWith(`: ${rule}`));
  });
  assert.deepEqual([...new Set(missing)], []);
});

test('every description of the API document has its Korean', () => {
  const missing = descriptionsIn(apiDocument()).filter(text => koreanDescription(text) === undefined);
  assert.deepEqual([...new Set(missing)], []);
});

test('the Korean document differs in its words only', () => {
  const english = JSON.stringify(apiDocument(), (name, value) => (isSpoken(name, value) ? '' : value));
  const korean = JSON.stringify(apiDocument('SVC', 'ko'), (name, value) =>
    isSpoken(name, value) ? '' : value,
  );
  assert.equal(korean, english);
  assert.equal(apiDocument('SVC', 'ko').paths['/v1/send/sms']?.post?.summary, 'SMS 발송');
});

function isSpoken(name: string, value: unknown): boolean {
  return ['description', 'summary', 'title'].includes(name) && typeof value === 'string';
}

/** Of everything but the examples, whose values are data. */
function descriptionsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, member]: [string, unknown]) => {
    if (name === 'value' || name === 'example') return [];
    return isSpoken(name, member) ? [String(member)] : descriptionsIn(member);
  });
}
