import { execFileSync } from 'node:child_process';
import { scratchDirectory } from './scratch.ts';

/** A directory on a disk of its own; undefined where we may not mount one. Gone when the process ends. */
export function smallDisk(megabytes: number): string | undefined {
  const directory = scratchDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  // Before the directory is removed.
  process.prependOnceListener('exit', () => execFileSync('umount', ['-l', directory]));
  return directory;
}
