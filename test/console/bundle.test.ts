import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { gzipSync } from 'node:zlib';

const BUILT = new URL('../../console/dist/', import.meta.url);
const FIRST_LOAD_BYTES = 90 * 1024;

const isBuilt = existsSync(new URL('index.html', BUILT)) ? false : 'the console is not built';

/** The scripts that the page needs before it shows anything: the one it names, and what that imports at its head. */
function firstScripts(): Set<string> {
  const page = readFileSync(new URL('index.html', BUILT), 'utf8');
  const waiting = [...page.matchAll(/\/console\/assets\/([\w.-]+\.js)/g)].map(match => match[1] ?? '');
  const found = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const source = readFileSync(new URL(`assets/${name}`, BUILT), 'utf8');
    for (const match of source.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
      waiting.push(match[1] ?? '');
    }
  }
  return found;
}

test(`the first load is at most ${FIRST_LOAD_BYTES} bytes of compressed script`, { skip: isBuilt }, () => {
  const scripts = [...firstScripts()];
  assert.ok(scripts.length > 0);
  const bytes = scripts.map(name => gzipSync(readFileSync(new URL(`assets/${name}`, BUILT))).length);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= FIRST_LOAD_BYTES, `${total} bytes in ${scripts.join(', ')}`);
});

test('pages that are opened rarely are not part of it', { skip: isBuilt }, () => {
  const later = readdirSync(new URL('assets/', BUILT)).find(name => name.startsWith('compose-'));
  assert.ok(later);
  assert.equal(firstScripts().has(later), false);
});

test('nothing is asked of anybody but the gateway', { skip: isBuilt }, () => {
  const page = readFileSync(new URL('index.html', BUILT), 'utf8');
  assert.deepEqual([...page.matchAll(/(?:src|href)="(?!\/console\/)([^"]*)"/g)], []);
});
