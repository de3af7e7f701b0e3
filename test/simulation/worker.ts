/** Runs its share of the seeds, one after the other, and tells what they broke; of some failures also the fewest steps. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SeedOrder, WorkerMessage } from './command.ts';
import { ruleOf } from './ledger.ts';
import { Simulation } from './run.ts';
import { shrink } from './shrink.ts';

/** Where a rule breaks in many seeds, a few that are small are enough. */
const MOST_SHRUNK = 3;

// Written by command.ts.
const { from, to, stride, steps, until } = workerData as SeedOrder;
const simulation = new Simulation();
let shrunk = 0;
for (let seed = from; seed <= to && Date.now() < until; seed += stride) {
  const result = await simulation.run(seed, steps);
  tell({ kind: 'ran', result });
  const [first] = result.violations;
  if (first === undefined) continue;
  const breaksTheSame = async (some: readonly number[]) => {
    const { violations } = await simulation.run(seed, some);
    return violations.some(violation => ruleOf(violation) === ruleOf(first));
  };
  tell({ kind: 'failed', result, only: shrunk++ < MOST_SHRUNK ? await shrink(steps, breaksTheSame) : steps });
}
simulation.close();

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
