/**
 * Who made the loop turn for so long. The meter tells of a long turn, not of its cause: whatever was under way at that moment
 * is tried again, three times. Only what takes too long each time is a finding; a pause of the garbage collector or a machine
 * that is busy with something else does not come back three times.
 */
import type { GatewayProcess, Turn } from './gateway-process.ts';
import type { Input, PreparedTarget } from './target.ts';

export const LONGEST_TURN_MS = 200;
const TIMES = 3;
const MOST_TURNS = 5;
const REMEMBERED = 3000;
/** The clocks of two processes. */
const SLACK_MS = 20;

interface Life {
  readonly input: Input;
  readonly from: number;
  until: number;
}

export class LongTurns {
  readonly #lives: Life[] = [];

  /** Remembers that the input is under way, until the returned function is called. */
  begin(input: Input): () => void {
    const life = { input, from: now(), until: Number.POSITIVE_INFINITY };
    this.#lives.push(life);
    if (this.#lives.length > REMEMBERED) this.#lives.splice(0, REMEMBERED / 2);
    return () => {
      life.until = now();
    };
  }

  /** The inputs that were under way in a turn. */
  suspectsOf({ from, until }: Turn): Input[] {
    const lives = this.#lives.filter(life => life.from < until + SLACK_MS && life.until > from - SLACK_MS);
    return lives.map(({ input }) => input);
  }
}

export interface Conviction {
  readonly inputs: readonly Input[];
  readonly cpuMs: number;
}

/** What takes too long each time: one input, or several together. */
export async function convict(
  gateway: Pick<GatewayProcess, 'longestTurn'>,
  target: PreparedTarget,
  /** As many inputs as it takes at a time: before and after a turn there were more. */
  concurrency: number,
  groups: readonly (readonly Input[])[],
): Promise<Conviction[]> {
  const found: Conviction[] = [];
  for (const group of groups.slice(0, MOST_TURNS)) {
    const together = await leastOf(gateway, target, concurrency, group);
    if (together <= LONGEST_TURN_MS) continue;
    const alone: Conviction[] = [];
    for (const input of group.length > 1 ? group : []) {
      const cpuMs = await leastOf(gateway, target, concurrency, [input]);
      if (cpuMs > LONGEST_TURN_MS) alone.push({ inputs: [input], cpuMs });
    }
    found.push(...(alone.length > 0 ? alone : [{ inputs: group, cpuMs: together }]));
  }
  return found;
}

/** The longest turn of the best of several runs. */
async function leastOf(
  gateway: Pick<GatewayProcess, 'longestTurn'>,
  target: PreparedTarget,
  concurrency: number,
  inputs: readonly Input[],
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TIMES && least > LONGEST_TURN_MS; time++) {
    await gateway.longestTurn();
    const left = inputs.values();
    const work = async () => {
      for (const input of left) await target.run(input);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    least = Math.min(least, (await gateway.longestTurn()).cpuMs);
  }
  return least;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
