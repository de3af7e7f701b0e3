/**
 * Node's own helper threads hash passwords, and read and write files. Whoever guesses passwords keeps them busy; on a machine
 * with few processors the threads that answer requests would wait for theirs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** As the system names them. */
const HELPER = 'libuv-worker';
const THREADS = '/proc/self/task';
/** A tenth of the share of others that have work. */
const NICE = 10;

/** They give way to the other threads of this process; resolves to how many do. On Linux, where threads have priorities of their own. */
export async function lowerHelperThreads(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  // They start with the first work that is given to one.
  await stat('.');
  const helpers = readdirSync(THREADS).filter(isHelper).map(Number);
  return helpers.filter(isLowered).length;
}

function isLowered(thread: number): boolean {
  try {
    setPriority(thread, NICE);
    return true;
  } catch {
    // A service manager may forbid it: then they stay as they are.
    return false;
  }
}

function isHelper(thread: string): boolean {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === HELPER;
  } catch {
    // It has just ended.
    return false;
  }
}
