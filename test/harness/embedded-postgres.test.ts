import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

test('a process that has loaded the embedded PostgreSQL still ends with the code that it chose', () => {
  const module = new URL('./embedded-postgres.ts', import.meta.url).href;
  const script = `
    const { loadEmbeddedPostgres } = await import(${JSON.stringify(module)});
    await loadEmbeddedPostgres();
    process.exitCode = 3;`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
  const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' });
  assert.equal(status, 3, stderr);
});
