/**
 * `npm run simulate`: runs seeds on all cores and tells which break a rule, with the command that replays each.
 *
 *   --seed N          one seed, twice: it must go the same way
 *   --seeds FROM-TO   a range (1-200 where nothing else is said)
 *   --seconds N       as many seeds as go into the time, from seed 1 on
 *   --steps M         how long a seed's trouble lasts
 *   --trace           prints what happens in a seed
 *   --bug NAME        brings an old defect back (bugs/NAME.patch) and succeeds when it is found
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { BUGS, findBug, isBug } from './find-bug.ts';
import { type SeedResult, Simulation } from './run.ts';

const STEPS = 250;

export interface SeedOrder {
  readonly from: number;
  readonly to: number;
  /** Every how many seeds one is this worker's. */
  readonly stride: number;
  readonly steps: number;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1-200' },
    seconds: { type: 'string' },
    steps: { type: 'string', default: String(STEPS) },
    trace: { type: 'boolean', default: false },
    bug: { type: 'string' },
  },
});
const steps = Number(values.steps);
process.exitCode = await main();

async function main(): Promise<number> {
  if (values.bug !== undefined) {
    if (isBug(values.bug)) return findBug(values.bug, values.seeds, steps);
    console.log(`--bug is one of ${Object.keys(BUGS).join(', ')}`);
    return 1;
  }
  if (values.seed !== undefined) return runOne(Number(values.seed));
  const [from = 1, to = from] = values.seeds.split('-').map(Number);
  return values.seconds === undefined
    ? runMany(from, to, undefined)
    : runMany(1, Number.MAX_SAFE_INTEGER, Number(values.seconds) * 1000);
}

async function runOne(seed: number): Promise<number> {
  const simulation = new Simulation();
  const first = await simulation.run(seed, steps, values.trace ? line => console.log(line) : undefined);
  const second = await simulation.run(seed, steps);
  simulation.close();
  for (const violation of first.violations) console.log(violation);
  const isSame = first.hash === second.hash;
  console.log(
    `seed ${seed}: ${first.messages} messages, ${first.violations.length} rules broken, hash ${first.hash}`,
  );
  if (!isSame) console.log(`it went another way the second time: hash ${second.hash}`);
  return isSame && first.violations.length === 0 ? 0 : 1;
}

async function runMany(from: number, to: number, forMs: number | undefined): Promise<number> {
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
    const order: SeedOrder = { from: first, to, stride: workers, steps };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('message', (result: SeedResult) => {
      seeds++;
      messages += result.messages;
      if (result.violations.length > 0) {
        broken++;
        tell(result);
      }
      if (forMs !== undefined && performance.now() - startedAt >= forMs) void worker.terminate();
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve());
    await promise;
  }
}

function tell({ seed, violations }: SeedResult): void {
  const rules = new Set(violations.map(violation => violation.slice(0, violation.indexOf(':'))));
  console.log(`seed ${seed}: ${[...rules].join('; ')}`);
  console.log(`  ${violations[0]}`);
  console.log(`  npm run simulate -- --seed ${seed} --steps ${steps} --trace`);
}
