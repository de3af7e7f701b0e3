/**
 * `npm run bench [NAME…]`: without a name, or with names of scenarios, speed and memory (run.ts); with one of the names below, what
 * one part costs.
 */
const PARTS: Readonly<Record<string, () => Promise<unknown>>> = {
  attack: () => import('./attack.ts'),
  commit: () => import('./commit-placement.ts'),
  'data-key': () => import('./data-key.ts'),
  live: () => import('./live.ts'),
  pace: () => import('./pace.ts'),
  'row-security': () => import('./row-security.ts'),
  scale: () => import('./scale.ts'),
  search: () => import('./search.ts'),
  start: () => import('./start.ts'),
  'start-awaiting': () => import('./start-awaiting.ts'),
  statistics: () => import('./statistics.ts'),
};

const part = PARTS[process.argv[2] ?? ''];
if (part) {
  process.argv.splice(2, 1);
  await part();
} else {
  await import('./run.ts');
}
