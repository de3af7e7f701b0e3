import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory on a disk of its own; undefined where we may not mount one. Gone when the test ends. */
export function smallDisk(t: TestContext, megabytes: number): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true });
  });
  return directory;
}
