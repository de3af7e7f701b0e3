import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** An empty directory, gone after the test. */
export function scratchDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A bongsu.yaml with this text, gone after the test; returns its path. */
export function configFile(t: Pick<TestContext, 'after'>, text: string): string {
  const path = join(scratchDirectory(t), 'bongsu.yaml');
  writeFileSync(path, text);
  return path;
}
