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
