/**
 * Node's own helper threads: some hash passwords, and read and write files, and some look for garbage. Whoever guesses passwords, or
 * sends a lot, keeps them busy; on a machine with few processors the threads that answer requests would wait for theirs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** As the system names them. */
const HELPERS: ReadonlySet<string> = new Set(['libuv-worker', 'V8Worker']);
const THREADS = '/proc/self/task';
/** A tenth of the share of others that have work. */
const NICE = 10;

/** They give way to the other threads of this process; resolves to those that do. On Linux, where threads have priorities of their own. */
export async function lowerHelperThreads(): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  // They start with the first work that is given to one.
  await stat('.');
  return helperThreads().filter(isLowered);
}

function helperThreads(): readonly number[] {
  return readdirSync(THREADS).filter(isHelper).map(Number);
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
    return HELPERS.has(readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim());
  } catch {
    // It has just ended.
    return false;
  }
}
