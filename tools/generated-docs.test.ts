import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { GENERATED_PATHS, render } from './generated-docs.ts';

for (const path of GENERATED_PATHS) {
  test(`${path} says what the code says`, () => {
    const page = readFileSync(path, 'utf8');
    assert.equal(page, render(path, page), 'run "npm run docs"');
  });
}
