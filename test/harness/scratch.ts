import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories: string[] = [];

/**
 * An empty directory, gone when the process ends. Not after the test: `after` runs in the order of registration, so a
 * directory would go before the gateway that writes into it is closed.
 */
export function scratchDirectory(): string {
  if (directories.length === 0) process.once('exit', removeAll);
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-test-'));
  directories.push(directory);
  return directory;
}

/** A bongsu.yaml with this text, in a directory of its own; returns its path. */
export function configFile(text: string): string {
  const path = join(scratchDirectory(), 'bongsu.yaml');
  writeFileSync(path, text);
  return path;
}

function removeAll(): void {
  // A process that was told to end may still write.
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
