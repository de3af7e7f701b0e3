/** What the commands of long runs share: their options, a line now and then, and the table at the end. */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Progress, RunOrder } from './long-run.ts';
import { countedRows, type RunResult, violationsOf } from './verdict.ts';

export type Rows = readonly (readonly [string, number | string])[];

interface TroubledResult extends RunResult {
  readonly troubles: ReadonlyMap<string, number>;
}

const LINES_EVERY_S = 10;
/** Longer than any rest that ends; a run that hangs has failed. */
const MOST_REST_S = 600;
const MOST_VIOLATIONS = 30;

export const randomSeed = (): number => Math.floor(Math.random() * 100_000);

/** A run of so many seconds of trouble. Never returns: the process ends with 1 if a rule is broken. */
export async function runForSeconds<Result extends TroubledResult>(deps: {
  readonly minutes: number;
  readonly rate: number;
  /** What `rate` counts. */
  readonly unit: 'messages' | 'requests';
  /** Further options without a value. */
  readonly flags?: readonly string[];
  readonly run: (
    order: RunOrder,
    tell: (progress: Progress) => void,
    flags: ReadonlySet<string>,
  ) => Promise<Result>;
  readonly rows: (found: Result) => Rows;
}): Promise<never> {
  const flags = deps.flags ?? [];
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: String(deps.minutes) },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string', default: String(deps.rate) },
      keep: { type: 'boolean', default: false },
      ...Object.fromEntries(flags.map(name => [name, { type: 'boolean', default: false }] as const)),
    },
  });
  const seed = Number(values.seed ?? randomSeed());
  const seconds = Number(values.seconds ?? 60 * Number(values.minutes));
  const rate = Number(values.rate);
  const startedAt = performance.now();
  const secondsSoFar = () => Math.round((performance.now() - startedAt) / 1000);
  let told = 0;
  const tell = ({ phase, accepted, left, troubles }: Progress) => {
    const rest = left === undefined ? '' : `, ${left} left`;
    const line = `${secondsSoFar()} s ${phase}: ${troubles} troubles, ${accepted} accepted${rest}`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K`);
    else if (told++ % LINES_EVERY_S === 0) console.log(line);
  };
  console.log(`seed ${seed}, ${seconds} s of trouble, ${rate} ${deps.unit} a second`);
  const overdue = () => {
    console.log('the run did not come to its end');
    process.exit(1);
  };
  setTimeout(overdue, 1000 * (seconds + MOST_REST_S)).unref();
  const order = { seed, seconds, rate };
  const given = new Set(flags.filter(name => Object(values)[name] === true));
  const found = await deps.run(order, tell, given);
  if (process.stdout.isTTY) process.stdout.write('\n');
  const violations = show(found, [
    ...deps.rows(found),
    ...[...found.codes].sort().map(([code, count]) => [`reported ${code}`, count] as const),
    ...[...found.troubles].sort(),
  ]);
  console.log(`seed ${seed}, ${seconds} s of trouble, ${secondsSoFar()} s in all`);
  const isWell = violations === 0 && found.accepted > 0;
  discard(found, isWell && !values.keep);
  // Explicitly, although something may still be open.
  process.exit(isWell ? 0 : 1);
}

/** Prints the table and the first broken rules, and returns how many there are. */
export function show(found: RunResult, rows: Rows): number {
  for (const [name, count] of [...countedRows(found), ...rows]) {
    console.log(`${name.padEnd(34)}${String(count).padStart(8)}`);
  }
  const violations = violationsOf(found);
  for (const violation of violations.slice(0, MOST_VIOLATIONS)) console.log(violation);
  return violations.length;
}

/** Removes logs and evidence, or says where they are. */
export function discard({ directory }: RunResult, isRemoved: boolean): void {
  if (isRemoved) rmSync(directory, { recursive: true, force: true });
  else console.log(`logs and key sets: ${directory}`);
}
