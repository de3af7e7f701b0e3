import { execFileSync } from 'node:child_process';
import { MUST_HAVE_PEERS } from '../harness/debian.ts';
import { scratchDirectory } from '../harness/scratch.ts';

/** A directory on a disk of its own; undefined where we may not mount one, if that is no failure. Gone when the process ends. */
export function smallDisk(megabytes: number): string | undefined {
  const directory = scratchDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch (error) {
    if (MUST_HAVE_PEERS) throw error;
    return undefined;
  }
  // Before the directory is removed.
  process.prependOnceListener('exit', () => execFileSync('umount', ['-l', directory]));
  return directory;
}
