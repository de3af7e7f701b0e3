/**
 * `npm run fuzz`: inputs without end for every door of the gateway, on both engines.
 *
 *   --minutes N       how long (10 where nothing is said)
 *   --seconds N       the same, for short runs
 *   --seed N          decides the inputs and their order (any where nothing is said)
 *   --target NAME     one of them only
 *   --engine NAME     sqlite, postgres, or both (where nothing is said)
 *   --save            adds inputs that led to something new to the corpus
 *   --replay FILE     runs the inputs of a finding again, three times
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { extendCorpus } from './corpus.ts';
import { replay } from './replay.ts';
import { ENGINES } from './room.ts';
import { type Finding, type FuzzResult, runFuzz } from './run.ts';
import { TARGETS } from './targets.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    target: { type: 'string' },
    engine: { type: 'string', default: 'both' },
    save: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
});
const LINES_EVERY_MS = 10_000;
/** Longer than anything that ends after the last input; a run that hangs has failed. */
const MOST_REST_S = 300;

const seed = Number(values.seed ?? Math.floor(Math.random() * 100_000));
const seconds = Number(values.seconds ?? 60 * Number(values.minutes));
const engines = ENGINES.filter(engine => values.engine === 'both' || values.engine === engine);
const targets = TARGETS.filter(({ name }) => values.target === undefined || values.target === name);
const startedAt = performance.now();
let toldAt = startedAt;

// Explicitly: the embedded PostgreSQL has a hook that ends the process with 0.
process.exit(await main());

async function main(): Promise<number> {
  if (engines.length === 0 || targets.length === 0) {
    console.log(
      `--engine is sqlite, postgres or both; --target is one of ${TARGETS.map(({ name }) => name).join(', ')}`,
    );
    return 1;
  }
  if (values.replay !== undefined) {
    const finding: Finding = JSON.parse(readFileSync(values.replay, 'utf8'));
    return (await replay(finding, line => console.log(line))) ? 1 : 0;
  }
  setTimeout(
    () => {
      console.log('the run did not come to its end');
      process.exit(1);
    },
    1000 * (seconds + MOST_REST_S),
  ).unref();
  console.log(`seed ${seed}, ${seconds} s on ${engines.join(' and ')}`);
  return show(await runFuzz({ seed, seconds, targets, engines }, showProgress));
}

function showProgress({ inputs, findings, at }: { inputs: number; findings: number; at: string }): void {
  const now = performance.now();
  if (now - toldAt < (process.stdout.isTTY ? 500 : LINES_EVERY_MS)) return;
  toldAt = now;
  const line = `${Math.round((now - startedAt) / 1000)} s ${at}: ${inputs} inputs, ${findings} findings`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K`);
  else console.log(line);
}

function show({ rows, findings }: FuzzResult): number {
  if (process.stdout.isTTY) process.stdout.write('\n');
  const table = [
    ['target', 'engine', 'inputs', 'outcomes', 'longest turn', 'memory'],
    ...rows.map(({ target, engine, inputs, labels, longestTurnMs, rssMb }) => [
      ...[target, engine, String(inputs), String(labels.size)],
      ...[`${Math.round(longestTurnMs)} ms`, `${rssMb} MB`],
    ]),
  ];
  for (const row of table) console.log(row.map((cell, index) => cell.padEnd(index === 0 ? 12 : 14)).join(''));
  const inputs = rows.reduce((sum, row) => sum + row.inputs, 0);
  const took = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${inputs} inputs, ${findings.length} findings; seed ${seed}, ${took} s in all`);
  if (values.save) save(rows);
  if (findings.length > 0) writeFindings(findings);
  const isEveryTargetReached = rows.length > 0 && rows.every(row => row.inputs > 0);
  if (!isEveryTargetReached) console.log('a target got no input at all');
  return findings.length === 0 && isEveryTargetReached ? 0 : 1;
}

function save(rows: FuzzResult['rows']): void {
  for (const { target, labels } of rows) {
    const added = extendCorpus(
      target,
      [...labels].map(([label, input]) => ({ label, input })),
    );
    if (added > 0) console.log(`${added} inputs added to the corpus of ${target}`);
  }
}

function writeFindings(findings: readonly Finding[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-fuzz-findings-'));
  for (const [index, finding] of findings.entries()) {
    const file = join(directory, `${index + 1}-${finding.target}.json`);
    writeFileSync(file, JSON.stringify(finding, undefined, 1));
    console.log(`${finding.target} on ${finding.engine}: ${finding.what.slice(0, 600)}`);
    const shown = JSON.stringify(finding.inputs);
    if (shown.length <= 1500) console.log(`  ${shown}`);
    console.log(`  npm run fuzz -- --replay ${file}`);
  }
}
