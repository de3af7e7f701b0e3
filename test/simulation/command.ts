/**
 * `npm run simulate`: runs seeds on all cores and tells which break a rule. For each it prints a command that repeats it in as few
 * steps as a search finds.
 *
 *   --seconds N       as many fresh seeds as fit into the time (60 where nothing else is said)
 *   --from N          where they begin; otherwise a random number, which is printed
 *   --seeds FROM-TO   these
 *   --seed N          one, twice: it must take the same course
 *   --only 3,7,12     of one seed only these steps
 *   --steps M         how long a seed's trouble lasts
 *   --trace           prints what happens in a seed
 *   --bug NAME        brings an old defect back (bugs/NAME.patch) and succeeds when it is found
 *   --bugs            the same for as many defects as fit into the time, in random order
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { BUGS, FRESH_SEEDS_BELOW, findBug, findSome, isBug } from './find-bug.ts';
import { ruleOf } from './ledger.ts';
import { type SeedResult, Simulation } from './run.ts';

const STEPS = 250;

export interface SeedOrder {
  readonly from: number;
  readonly to: number;
  /** Every how many seeds one is this worker's. */
  readonly stride: number;
  readonly steps: readonly number[];
  /** No seed begins after this; by `Date.now`. */
  readonly until: number;
}

export type WorkerMessage =
  | { readonly kind: 'ran'; readonly result: SeedResult }
  /** `only`: the fewest steps that break the rule. */
  | { readonly kind: 'failed'; readonly result: SeedResult; readonly only: readonly number[] };

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    from: { type: 'string' },
    only: { type: 'string' },
    steps: { type: 'string', default: String(STEPS) },
    trace: { type: 'boolean', default: false },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
  },
});
const steps = Array.from({ length: Number(values.steps) }, (_, step) => step);
process.exitCode = await main();

async function main(): Promise<number> {
  if (values.bugs) return findSome(steps.length, Number(values.seconds));
  if (values.bug !== undefined) {
    if (isBug(values.bug)) return findBug(values.bug, values.seeds ?? '1-500', steps.length);
    console.log(`--bug is one of ${Object.keys(BUGS).join(', ')}`);
    return 1;
  }
  if (values.seed !== undefined) return runOne(Number(values.seed));
  if (values.seeds !== undefined) {
    const [from = 1, to = from] = values.seeds.split('-').map(Number);
    return runMany(from, to, Number.MAX_SAFE_INTEGER);
  }
  const from = values.from === undefined ? randomInt(FRESH_SEEDS_BELOW) : Number(values.from);
  console.log(`seeds from ${from} on`);
  return runMany(from, Number.MAX_SAFE_INTEGER, Date.now() + Number(values.seconds) * 1000);
}

async function runOne(seed: number): Promise<number> {
  const only = values.only?.split(',').map(Number) ?? steps;
  const simulation = new Simulation();
  const first = await simulation.run(seed, only, values.trace ? { print: line => console.log(line) } : {});
  const second = await simulation.run(seed, only);
  simulation.close();
  for (const violation of first.violations) console.log(violation);
  const isSame = first.hash === second.hash;
  console.log(
    `seed ${seed}: ${first.messages} messages, ${first.violations.length} rules broken, hash ${first.hash}`,
  );
  if (!isSame) console.log(`it took another course the second time: hash ${second.hash}`);
  return isSame && first.violations.length === 0 ? 0 : 1;
}

async function runMany(from: number, to: number, until: number): Promise<number> {
  const startedAt = performance.now();
  const workers = availableParallelism();
  let seeds = 0;
  let messages = 0;
  let broken = 0;
  await Promise.all(Array.from({ length: workers }, (_, index) => run(from + index)));
  const seconds = (performance.now() - startedAt) / 1000;
  // Of all threads, with all that it takes to start.
  const { user, system } = process.cpuUsage();
  console.log(
    `${seeds} seeds, ${messages} messages, ${broken} seeds with a broken rule; ${seconds.toFixed(1)} s, ` +
      `${(seeds / seconds).toFixed(1)} seeds a second, ` +
      `${((user + system) / 1000 / seeds).toFixed(1)} ms of processor time a seed`,
  );
  return broken === 0 && seeds > 0 ? 0 : 1;

  async function run(first: number): Promise<void> {
    const order: SeedOrder = { from: first, to, stride: workers, steps, until };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'failed') {
        tellHowToRepeat(message.result, message.only);
        return;
      }
      seeds++;
      messages += message.result.messages;
      if (message.result.violations.length === 0) return;
      broken++;
      tell(message.result);
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve());
    await promise;
  }
}

function tell({ seed, violations }: SeedResult): void {
  const rules = new Set(violations.map(ruleOf));
  console.log(`seed ${seed}: ${[...rules].join('; ')}`);
  console.log(`  ${violations[0]}`);
}

function tellHowToRepeat({ seed }: SeedResult, only: readonly number[]): void {
  const how = only.length < steps.length ? `--only ${only.join()}` : `--steps ${steps.length}`;
  console.log(`  npm run simulate -- --seed ${seed} ${how} --trace`);
}
