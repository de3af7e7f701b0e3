/**
 * How long an operation holds the event loop: the processor time of this thread between two turns of the loop.
 *
 * Processor time, not time on the clock: a busy machine makes a turn take longer, but not more work. Whatever else comes in
 * between (the compiler, the garbage collector) does not come every time, so of several runs the shortest counts. What holds
 * the loop holds it in every run.
 */
const RUNS = 5;
const SHORT_REST_MS = 0.01;

/** Milliseconds of work in the longest turn while `act` runs; of several runs, the least. */
export async function longestTurnMs(act: () => Promise<unknown>, runs = RUNS): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) least = Math.min(least, await measureOnce(act));
  return least;
}

async function measureOnce(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = workedMs();
  const turn = () => {
    const now = workedMs();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    await act();
  } finally {
    clearImmediate(next);
  }
  // The turn that is not over.
  return Math.max(longest, workedMs() - last);
}

/** The system counts the work of a thread when it is put to rest, and else only every few milliseconds. */
const rest = new Int32Array(new SharedArrayBuffer(4));

function workedMs(): number {
  Atomics.wait(rest, 0, 0, SHORT_REST_MS);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
