import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';

// docs/decisions.md is a dated record: its entries name the files of their day.
const PAGES = ['README.md', 'CONTRIBUTING.md', 'client/README.md', ...globSync('docs/*.md')].filter(
  page => page !== join('docs', 'decisions.md'),
);
const CODE_PATH = /`((?:src|test|tools|console|client|bench|docs)\/[\w./-]+)`/g;
/** Stands for a name to choose, in the recipes of CONTRIBUTING.md. */
const PLACEHOLDER = /NAME|KIND/;
const LINK = /\]\((?!https?:|#)([^)#]+)/g;

for (const page of PAGES) {
  test(`every file that ${page} names exists`, () => {
    const text = readFileSync(page, 'utf8');
    const named = [...text.matchAll(CODE_PATH)].map(([, path = '']) => path);
    const linked = [...text.matchAll(LINK)].map(([, path = '']) => join(dirname(page), path));
    assert.deepEqual(
      [...named, ...linked].filter(path => !PLACEHOLDER.test(path) && !existsSync(path)),
      [],
    );
  });
}

const PROOF = /([\w./-]+\.test\.ts): ((?:“[^”]+”(?:, )?)+)/g;

test('every test that docs/security.md gives as proof exists', () => {
  const proofs = [...readFileSync('docs/security.md', 'utf8').matchAll(PROOF)];
  const missing = proofs.flatMap(([, file = '', titles = '']) => {
    const path = file.includes('/') ? file : join('test/behaviour', file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return [...titles.matchAll(/“([^”]+)”/g)]
      .map(([, title = '']) => title)
      .filter(title => !text.includes(title))
      .map(title => `${path}: ${title}`);
  });
  assert.ok(proofs.length > 0);
  assert.deepEqual(missing, []);
});
