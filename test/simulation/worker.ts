/** Runs its share of the seeds, one after the other, and tells the results. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SeedOrder } from './command.ts';
import { Simulation } from './run.ts';

// Written by command.ts.
const { from, to, stride, steps } = workerData as SeedOrder;
const simulation = new Simulation();
for (let seed = from; seed <= to; seed += stride) {
  parentPort?.postMessage(await simulation.run(seed, steps));
}
simulation.close();
