import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** An empty directory, gone after the test. */
export function scratchDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
