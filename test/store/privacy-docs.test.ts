import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const root = new URL('../../', import.meta.url);

test('docs/privacy.md says of every table what it holds of a person', () => {
  const document = readFileSync(new URL('docs/privacy.md', root), 'utf8');
  for (const engine of ['sqlite', 'postgres']) {
    const folder = new URL(`src/store/${engine}/migrations/`, root);
    const migrations = readdirSync(folder).map(name => readFileSync(new URL(name, folder), 'utf8'));
    const tables = [
      ...migrations
        .join('\n')
        .matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)(?! PARTITION OF)\s*\(/g),
    ];
    assert.ok(tables.length > 20);
    for (const [, table] of tables) assert.ok(document.includes(`\`${table}\``), `the table "${table}"`);
  }
});
