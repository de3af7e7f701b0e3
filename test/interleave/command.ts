/**
 * `npm run suite interleave`: statements of two nodes at one PostgreSQL, one at a time, in the order that a seed draws.
 *
 *   --seeds FROM-TO   these (1-50)
 *   --seconds N       as many of them as fit into the time; CONTROLS are tried all the same
 *   --seed N          one, twice: it must take the same course
 *   --trace           prints its statements
 *   --without NAME    takes a lock away and succeeds when its rule is found broken
 *
 * After the seeds every lock of CONTROLS is taken away once: rules that nothing can break prove nothing.
 */
import { parseArgs } from 'node:util';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import type { Rule } from './rules.ts';
import type { Change } from './statement-gate.ts';
import { type Course, World } from './world.ts';

const LOCK = 'FOR UPDATE SKIP LOCKED';

/** The statement whose lock is taken away, and the rules of which one is then broken. A claim is one statement: its lock shows rarely. */
const CONTROLS: Readonly<Record<string, { readonly statement: string; readonly rules: readonly Rule[] }>> = {
  settle: { statement: 'SELECT * FROM job WHERE msg_key = ANY', rules: ['report', 'works'] },
  takeover: { statement: 'claimed_at, repeat_until, owner FROM job', rules: ['claim', 'twice'] },
  sums: { statement: 'SELECT msg_key FROM rollup_position FOR UPDATE', rules: ['sums'] },
};
const MOST_CONTROL_SEEDS = 100;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-50' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    without: { type: 'string' },
  },
});

const postgres = await startPostgres();
try {
  process.exitCode = await main(postgres);
} finally {
  await postgres.stop();
}

async function main(server: TestPostgres): Promise<number> {
  if (values.without !== undefined) return (await isFound(server, values.without)) ? 0 : 1;
  if (values.seed !== undefined) return runTwice(server, Number(values.seed));
  const [from = 1, to = from] = values.seeds.split('-').map(Number);
  const until = values.seconds === undefined ? Infinity : performance.now() + Number(values.seconds) * 1000;
  const startedAt = performance.now();
  let [seeds, statements, messages, broken] = [0, 0, 0, 0];
  for (let seed = from; seed <= to && performance.now() < until; seed++) {
    const course = await run(server, seed);
    seeds++;
    statements += course.statements;
    messages += course.ledger.messages.length;
    if (course.ledger.broken.length === 0) continue;
    broken++;
    console.log(`seed ${seed}: ${course.ledger.broken[0]?.what}`);
    console.log(`  npm run suite interleave -- --seed ${seed} --trace`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${seeds} seeds, ${messages} messages, ${statements} statements, ${broken} broken; ${seconds} s`,
  );
  let missed = 0;
  for (const name of Object.keys(CONTROLS)) if (!(await isFound(server, name))) missed++;
  return broken + missed > 0 || seeds === 0 ? 1 : 0;
}

async function run(
  server: TestPostgres,
  seed: number,
  change: Change = text => text,
  trace = (_: string) => {},
): Promise<Course> {
  const ends: (() => unknown)[] = [];
  const url = await server.databaseFor({ after: end => void ends.push(end as () => unknown) });
  const course = await World.run(url, seed, change, trace);
  for (const end of ends) await end();
  return course;
}

async function runTwice(server: TestPostgres, seed: number): Promise<number> {
  const first = await run(server, seed, undefined, values.trace ? console.log : undefined);
  const second = await run(server, seed);
  for (const { what } of first.ledger.broken) console.log(what);
  const isSame = first.hash === second.hash;
  console.log(
    `seed ${seed}: ${first.statements} statements, ${first.ledger.broken.length} rules broken, ${
      isSame ? 'the same course twice' : 'another course the second time'
    }`,
  );
  return isSame && first.ledger.broken.length === 0 ? 0 : 1;
}

async function isFound(server: TestPostgres, name: string): Promise<boolean> {
  const control = CONTROLS[name];
  if (!control) throw new Error(`--without is one of ${Object.keys(CONTROLS).join(', ')}`);
  const change: Change = text =>
    text.includes(control.statement) ? text.replaceAll(LOCK, ' '.repeat(LOCK.length)) : text;
  for (let seed = 1; seed <= MOST_CONTROL_SEEDS; seed++) {
    const { broken } = (await run(server, seed, change)).ledger;
    const found = broken.find(({ rule }) => control.rules.includes(rule));
    if (!found) continue;
    console.log(`without the lock of ${name}: found by seed ${seed}: ${found.what}`);
    return true;
  }
  console.log(`without the lock of ${name}: not found by ${MOST_CONTROL_SEEDS} seeds`);
  return false;
}
