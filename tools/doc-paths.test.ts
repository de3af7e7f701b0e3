import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';

// Not the pages in docs/history/: they are records, and name the files of their day.
const PAGES = [
  'README.md',
  'README.ko.md',
  'CONTRIBUTING.md',
  'client/README.md',
  'test/README.md',
  ...globSync(['docs/*.md', 'deploy/*.md', 'deploy/*/*.md']),
];
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

/** As GitHub makes anchors of headings. */
function anchorsOf(page: string): string[] {
  const headings = [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

for (const page of PAGES) {
  test(`every heading that ${page} links to exists`, () => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]*\.md)?#([^)]+)\)/g)];
    const missing = links.filter(([, path, anchor = '']) => {
      const target = path === undefined ? page : join(dirname(page), path);
      return !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
    });
    assert.deepEqual(
      missing.map(([link]) => link),
      [],
    );
  });
}

const PROOF = /([\w./-]+\.ts): ((?:“[^”]+”(?:, )?)+)/g;

for (const page of ['docs/security.md', 'docs/reliability.md']) {
  test(`every test that ${page} gives as proof exists`, () => {
    const proofs = [...readFileSync(page, 'utf8').matchAll(PROOF)];
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
}
