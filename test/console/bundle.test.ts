import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { gzipSync } from 'node:zlib';

const BUILT = new URL('../../console/dist/', import.meta.url);
const FIRST_LOAD_BYTES = 90 * 1024;

const isBuilt = existsSync(new URL('index.html', BUILT)) ? false : 'the console is not built';

/** These scripts, and what they import at their head. */
function withImports(names: readonly string[]): readonly string[] {
  const waiting = [...names];
  const found = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const source = readFileSync(new URL(`assets/${name}`, BUILT), 'utf8');
    for (const match of source.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
      waiting.push(match[1] ?? '');
    }
  }
  return [...found];
}

/** What the page itself names: the frame of the console, without any page. */
function frameScripts(): readonly string[] {
  const page = readFileSync(new URL('index.html', BUILT), 'utf8');
  return withImports([...page.matchAll(/\/console\/assets\/([\w.-]+\.js)/g)].map(match => match[1] ?? ''));
}

/** The script whose name begins so. */
function scriptOf(name: string): string {
  const script = readdirSync(new URL('assets/', BUILT)).find(each => each.startsWith(`${name}-`));
  assert.ok(script, name);
  return script;
}

for (const [language, start] of [
  ['en', 'today'],
  ['ko', 'today'],
  ['ko', 'live'],
] as const) {
  test(`the first load in ${language}, of ${start}, is at most ${FIRST_LOAD_BYTES} bytes of compressed script`, {
    skip: isBuilt,
  }, () => {
    const scripts = withImports([...frameScripts(), scriptOf(language), scriptOf(start)]);
    const bytes = scripts.map(name => gzipSync(readFileSync(new URL(`assets/${name}`, BUILT))).length);
    const total = bytes.reduce((sum, size) => sum + size, 0);
    assert.ok(total <= FIRST_LOAD_BYTES, `${total} bytes in ${scripts.join(', ')}`);
  });
}

test('pages, languages and charts are not part of the frame', { skip: isBuilt }, () => {
  const frame = frameScripts();
  assert.ok(frame.length > 0);
  for (const name of ['en', 'ko', 'today', 'live', 'compose'])
    assert.equal(frame.includes(scriptOf(name)), false, name);
  const sources = frame.map(name => readFileSync(new URL(`assets/${name}`, BUILT), 'utf8'));
  assert.equal(sources.join('').includes('u-over'), false, 'the charts');
});

test('nothing is asked of anybody but the gateway', { skip: isBuilt }, () => {
  const page = readFileSync(new URL('index.html', BUILT), 'utf8');
  assert.deepEqual([...page.matchAll(/(?:src|href)="(?!\/console\/)([^"]*)"/g)], []);
});
