import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { GENERATED, renderPage } from './generated-docs.ts';

for (const path of Object.keys(GENERATED)) {
  test(`${path} says what the code says`, () => {
    const page = readFileSync(path, 'utf8');
    assert.equal(page, renderPage(path, page), 'run "npm run docs"');
  });
}
