/**
 * How long an operation holds the event loop: the processor time of this thread between two turns of the loop.
 *
 * Processor time, not time on the clock: a busy machine makes a turn take longer, but not more work. Whatever else comes in
 * between (the compiler, the garbage collector) does not come every time, so of several runs the shortest counts. What holds
 * the loop holds it in every run.
 *
 * A machine whose processors are shared with others is several times slower for minutes on end, in processor time, too. So a
 * known piece of work is done before and after each run, and what it took longer than usual is taken off. It is work of the
 * runtime's own parser: a loop of ours takes one, two or three times as long, as the compiler happens to have treated it.
 */
const RUNS = 5;
const SHORT_REST_MS = 0.01;
/** What the known piece takes on a quiet machine of the kind that tests run on. */
const PIECE_MS = 4.5;
const PIECE = JSON.stringify('"'.repeat(600_000));
/** The known piece is done so often before a run, and as often after it. */
const PIECES = 3;
/** A machine that is slower still tells nothing. */
const SLOWEST = 4;

interface Measurement {
  /** A longest turn of so much work is not measured again. */
  readonly enoughMs: number;
  readonly runs?: number;
  /** Before each run, and not measured. */
  readonly before?: (() => void) | undefined;
}

/** Milliseconds of work in the longest turn while `act` runs; of several runs, the first that is short enough, or the least. */
export async function longestTurnMs(
  act: () => Promise<unknown>,
  { enoughMs, runs = RUNS, before }: Measurement,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least > enoughMs; run++) {
    before?.();
    const pieces = piecesMs();
    const longest = await measureOnce(act);
    const slowness = leastCounted([...pieces, ...piecesMs()]) / PIECE_MS;
    least = Math.min(least, longest / Math.min(SLOWEST, Math.max(1, slowness)));
  }
  return least;
}

function piecesMs(): number[] {
  return Array.from({ length: PIECES }, () => {
    const began = workedMs();
    knownPiece();
    return workedMs() - began;
  });
}

/** The least, so that it is the machine that is slow, and not a moment. Now and then the system counts a piece late: then it took no time. */
function leastCounted(pieces: readonly number[]): number {
  const counted = pieces.filter(ms => ms > PIECE_MS / 4);
  return counted.length > 0 ? Math.min(...counted) : PIECE_MS;
}

function knownPiece(): void {
  JSON.parse(PIECE);
}

/** Keeps this thread busy, for so long on a quiet machine. */
export function work(ms: number): void {
  for (let worked = 0; worked < ms; worked += PIECE_MS) knownPiece();
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
