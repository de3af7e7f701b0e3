/** README.ko.md says the same as README.md: the same blocks in the same order, the same commands, links and numbers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

function blocksOf(name: string): string[] {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  return text
    .split(/(```\w+\n[\s\S]*?```)|\n\n+/)
    .filter(block => block !== undefined && block.trim() !== '');
}

/** What kind of block it is, and how many rows or items it has; lines of prose may break elsewhere. */
function shapeOf(block: string): string {
  const lines = block.trim().split('\n');
  const [first = ''] = lines;
  if (first.startsWith('#')) return first.split(' ', 1)[0] ?? '';
  if (first.startsWith('|')) return `table of ${lines.length}`;
  if (first.startsWith('- ')) return `list of ${lines.filter(line => line.startsWith('- ')).length}`;
  if (first.startsWith('![')) return 'image';
  return first.startsWith('```') ? 'code' : 'prose';
}

const english = blocksOf('README.md');
const korean = blocksOf('README.ko.md');

test('both have the same blocks in the same order', () => {
  assert.deepEqual(korean.map(shapeOf), english.map(shapeOf));
});

test('commands and files are the same, byte by byte', () => {
  const codeOf = (blocks: readonly string[]) => blocks.filter(block => shapeOf(block) === 'code');
  assert.ok(codeOf(english).length > 8);
  assert.deepEqual(codeOf(korean), codeOf(english));
});

test('links and images are the same, block by block; no number is missing, and no word of code is made up', () => {
  for (const [index, block] of english.entries()) {
    const same = korean[index] ?? '';
    const where = `in the block that begins: ${block.slice(0, 60)}`;
    // The first links lead from each language to the other.
    if (block.includes('(README.ko.md)')) continue;
    assert.deepEqual(found(same, LINK), found(block, LINK), where);
    // Each may spell out a number that the other writes in digits, and a name in quotes may be translated.
    assert.deepEqual(missing(found(block, NUMBER), found(same, NUMBER)), [], where);
    assert.deepEqual(missing(found(same, CODE), found(block, CODE)), [], where);
  }
});

const LINK = /\]\(([^)]+)\)/g;
const CODE = /`([^`]+)`/g;
const NUMBER = /(?<![\w.])\d[\d,.]*\d(?![\w])/g;

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([all]) => all.replace(/\s+/g, ' ')).sort();
}

function missing(wanted: readonly string[], given: readonly string[]): string[] {
  return wanted.filter(one => !given.includes(one));
}
