/**
 * `npm run bench [-- scenario…]`: speed and memory, as ratios within one run.
 *
 * Rounds of every scenario alternate, so that a slow moment of the machine hits all of them, and the yardstick is measured again
 * before whatever is compared with it; medians are shown. Each scenario verifies what it measured by the keys of its messages.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ENGINES, type Engine, type EngineName, openEngine } from './gateway-under-test.ts';
import { machine, plotOf, Results, tableOf } from './results.ts';
import { BARE, SCENARIOS, type Scenario } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '40000' },
    stored: { type: 'string', default: '1000000' },
    json: { type: 'string' },
    svg: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const known = SCENARIOS.map(({ name }) => name);
const unknown = [
  ...positionals.filter(name => !known.includes(name)),
  ...values.engine.filter(name => !ENGINES.includes(name as EngineName)),
];
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`no such scenario or engine: ${unknown.join(', ')}\n\n`);
  process.stdout.write(help());
  process.exit(unknown.length > 0 ? 2 : 0);
}

const rounds = Number(values.rounds);
const requests = Number(values.requests);
const wanted =
  positionals.length > 0 ? positionals : SCENARIOS.filter(({ isLong }) => !isLong).map(({ name }) => name);
const results = new Results();
const engines: Engine[] = [];
for (const name of values.engine) engines.push(await openEngine(name as EngineName));
try {
  for (let round = 1; round <= rounds; round++) {
    for (const scenario of SCENARIOS.filter(({ name }) => wanted.includes(name))) {
      for (const engine of enginesFor(scenario)) {
        if (scenario.isComparedWithBare && wanted.includes(BARE.name)) await measure(BARE, engine, round);
        await measure(scenario, engine, round);
      }
    }
  }
} finally {
  await Promise.all(engines.map(engine => engine.stop()));
}

const about = `Machine: ${machine()}. ${rounds} rounds of ${requests} requests, 64 connections; medians.`;
process.stdout.write(`${about}\n\n${tableOf(results)}\n`);
if (values.svg) writeFileSync(values.svg, plotOf(results));
if (values.json) {
  const json = {
    machine: machine(),
    at: new Date().toISOString(),
    rounds,
    requests,
    memory: results.memory(),
    rows: results.rows(),
  };
  writeFileSync(values.json, `${JSON.stringify(json, undefined, 2)}\n`);
}

async function measure({ name, only, run }: Scenario, engine: Engine, round: number): Promise<void> {
  process.stderr.write(`round ${round} of ${rounds}: ${name}${only ? '' : `, ${engine.name}`} … `);
  const startedAt = performance.now();
  await run({
    engine,
    requests,
    stored: Number(values.stored),
    sample: (row, sample) => results.add(row, sample),
  });
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
}

/** Those that a scenario runs on; where it does not matter, once. */
function enginesFor({ only }: Scenario): readonly Engine[] {
  return only === 'none'
    ? engines.slice(0, 1)
    : engines.filter(engine => only === undefined || engine.name === only);
}

function help(): string {
  const scenarios = SCENARIOS.map(
    ({ name, about, only, isLong }) =>
      `  ${name.padEnd(10)}${about}${only === undefined || only === 'none' ? '' : ` (${only})`}${isLong ? '; only if named' : ''}`,
  );
  return `npm run bench [-- scenario… ] [--engine sqlite] [--rounds 3] [--requests 40000] [--stored 1000000] [--json FILE] [--svg FILE]

${scenarios.join('\n')}
`;
}
