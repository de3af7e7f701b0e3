/**
 * `npm run suite chain`: an edge in front of a core, with trouble of every kind under load, verified by keys.
 *
 *   --minutes N   how long load and trouble last (default 5)
 *   --seconds N   the same, for short runs
 *   --seed N      decides the order of the trouble (default: random)
 *   --rate N      requests a second (default 40)
 *   --repeatable  the edge relies on the Idempotency-Key of the core
 *   --keep        keeps the logs even if no rule is broken
 */
import { runForSeconds } from '../long-runs/run-command.ts';
import { runChain } from './run.ts';

await runForSeconds({
  minutes: 5,
  rate: 40,
  unit: 'requests',
  flags: ['repeatable'],
  run: (order, tell, flags) => runChain(order, flags.has('repeatable'), tell),
  rows: ({ uploadedFiles }) => [['files uploaded to the core', uploadedFiles]],
});
