/**
 * `npm run test:chain`: an edge in front of a core, with trouble of every kind under load, verified by keys.
 *
 *   --minutes N   how long load and trouble last (5 where nothing is said)
 *   --seconds N   the same, for short runs
 *   --seed N      decides the order of the trouble (any where nothing is said)
 *   --rate N      requests a second
 *   --repeatable  the edge relies on the Idempotency-Key of the core
 *   --keep        keeps the logs also when all is well
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { countedRows, printRows, violationsOf } from '../chaos/verdict.ts';
import { type ChainResult, type Progress, runChain } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    rate: { type: 'string', default: '40' },
    repeatable: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 100_000));
const seconds = Number(values.seconds ?? 60 * Number(values.minutes));
const rate = Number(values.rate);
const startedAt = performance.now();
const LINES_EVERY_S = 10;
/** Longer than any rest that ends; a run that hangs has failed. */
const MOST_REST_S = 600;
let told = 0;
console.log(`seed ${seed}, ${seconds} s of trouble, ${rate} requests a second`);
setTimeout(
  () => {
    console.log('the run did not come to its end');
    process.exit(1);
  },
  1000 * (seconds + MOST_REST_S),
).unref();
const result = await runChain({ seed, seconds, rate, isRepeatable: values.repeatable }, showProgress);
// Explicitly, whatever is still open.
process.exit(show(result));

function showProgress({ phase, accepted, left, troubles }: Progress): void {
  const at = Math.round((performance.now() - startedAt) / 1000);
  const rest = left === undefined ? '' : `, ${left} on their way`;
  const line = `${at} s ${phase}: ${troubles} troubles, ${accepted} accepted${rest}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K`);
  else if (told++ % LINES_EVERY_S === 0) console.log(line);
}

function show(found: ChainResult): number {
  if (process.stdout.isTTY) process.stdout.write('\n');
  printRows([
    ...countedRows(found),
    ['files uploaded to the core', found.uploadedFiles],
    ...[...found.codes].sort().map(([code, count]): [string, number] => [`reported ${code}`, count]),
    ...[...found.troubles].sort().map(([kind, count]): [string, number] => [kind, count]),
  ]);
  const took = Math.round((performance.now() - startedAt) / 1000);
  console.log(`seed ${seed}, ${seconds} s of trouble, ${took} s in all`);
  const violations = violationsOf(found);
  for (const violation of violations.slice(0, 30)) console.log(violation);
  const isWell = violations.length === 0 && found.accepted > 0;
  if (isWell && !values.keep) rmSync(found.directory, { recursive: true, force: true });
  else console.log(`logs and key sets: ${found.directory}`);
  return isWell ? 0 : 1;
}
