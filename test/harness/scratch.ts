import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test, or with `after` of node:test the file: what is made for it goes with it. */
export interface Owner {
  after(end: () => unknown): void;
}

/** An empty directory, gone after the test. */
export function scratchDirectory(t: Owner): string {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A bongsu.yaml with this text, gone after the test; returns its path. */
export function configFile(t: Owner, text: string): string {
  const path = join(scratchDirectory(t), 'bongsu.yaml');
  writeFileSync(path, text);
  return path;
}
