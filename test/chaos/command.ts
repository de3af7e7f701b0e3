/**
 * `npm run chaos`: real nodes on a real PostgreSQL, with trouble of every kind under load, verified by keys.
 *
 *   --minutes N   how long load and trouble last (default 10)
 *   --seconds N   the same, for short runs
 *   --seed N      decides the order of the trouble (default: random)
 *   --rate N      messages a second (default 100)
 *   --keep        keeps the logs even if no rule is broken
 */
import { runForSeconds } from '../long-runs/run-command.ts';
import { runChaos } from './run.ts';

await runForSeconds({
  minutes: 10,
  rate: 100,
  unit: 'messages',
  run: runChaos,
  rows: ({ throttled, failedStarts }) => [
    ['throttled submits', throttled],
    ['starts that failed', failedStarts],
  ],
});
