/** Memory that the start of a thread has used and needs no more. */
import v8 from 'node:v8';
import vm from 'node:vm';

/** By then the first callers have been served. */
const AFTER_MS = 3_000;

/**
 * Collects it once, some seconds from now: a third of the heap, which V8 keeps where nothing is asked of the gateway. It takes
 * about 30 ms.
 */
export function collectGarbageOfStart(): void {
  setTimeout(collect, AFTER_MS).unref();
}

export function collect(): void {
  // Contexts made from now on have it; that of the program does not. Never taken back: flags belong to all threads, and another
  // one may be about to use it.
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as () => void;
  gc();
}
