/** Files that only the user of this process may read: they hold messages, numbers and the hashes of secrets. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** Permission bits of the group and of everybody else. */
const OTHERS = 0o077;

/** For the whole process: whatever it makes from now on is its user's alone. */
export function keepNewFilesPrivate(): void {
  process.umask(OTHERS);
}

/**
 * Makes the file if there is none, and takes its permissions from others if there is. SQLite then gives the same ones to
 * the files that it keeps beside it. A file that is there is never opened: closing it would free the locks that SQLite
 * holds on it in this process.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    keepPrivate(path);
  }
}

/** Takes the permissions on a file from others, where it is there and ours to change. */
export function keepPrivate(path: string): void {
  try {
    if (isOpen(path)) chmodSync(path, 0o600);
  } catch {
    // Not there, or somebody else's: whoever opens it next says what is wrong.
  }
}

/** The permissions of a directory in octal if others may look into it; undefined if they may not. */
export function permissionsForOthers(directory: string): string | undefined {
  try {
    return isOpen(directory) ? (statSync(directory).mode & 0o777).toString(8).padStart(4, '0') : undefined;
  } catch {
    return undefined;
  }
}

/** Windows has no such bits, and Node makes some up. */
function isOpen(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0;
}
