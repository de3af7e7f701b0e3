/**
 * `npm run test:failover`: the primary of three PostgreSQL dies under load, again and again; verified by keys.
 *
 *   --replication WORD   synchronous, asynchronous or both (both where nothing is said)
 *   --failovers N        how often the primary dies, in each (6 where nothing is said)
 *   --rate N             messages a second
 *   --seed N             decides the times (any where nothing is said)
 *   --keep               keeps the logs also when all is well
 *
 * Synchronous replication must lose and double nothing. Asynchronous replication may: it is counted.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { countedRows, printRows, violationsOf } from '../chaos/verdict.ts';
import { missingPrograms } from './postgres-cluster.ts';
import type { Replication } from './postgres-member.ts';
import { type FailoverResult, runFailover } from './run.ts';

const { values } = parseArgs({
  options: {
    replication: { type: 'string', default: 'both' },
    failovers: { type: 'string', default: '6' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const missing = missingPrograms();
if (missing.length > 0) {
  console.log(`not installed: ${missing.join(', ')}`);
  console.log('apt-get install patroni etcd-server haproxy postgresql');
  process.exit(1);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 100_000));
const failovers = Number(values.failovers);
const rate = Number(values.rate);
const replications: readonly Replication[] =
  values.replication === 'both'
    ? ['synchronous', 'asynchronous']
    : [values.replication === 'asynchronous' ? 'asynchronous' : 'synchronous'];
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
console.log(`seed ${seed}, ${failovers} failovers, ${rate} messages a second`);
// So that whatever was started is ended too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
let isWell = true;
for (const replication of replications) {
  const result = await runFailover({ replication, seed, failovers, rate }, line =>
    console.log(`${seconds()} s ${line}`),
  );
  const isGood = show(replication, result);
  isWell &&= isGood;
  if (isGood && !values.keep) rmSync(result.directory, { recursive: true, force: true });
  else console.log(`logs and key sets: ${result.directory}`);
}
console.log(`seed ${seed}, ${seconds()} s in all`);
process.exit(isWell ? 0 : 1);

function show(replication: Replication, found: FailoverResult): boolean {
  const outages = found.failovers.map(({ outageMs }) => outageMs / 1000);
  const rows: [string, number | string][] = [
    ...countedRows(found),
    ['failovers', found.failovers.length],
    ['shortest outage, s', Math.min(...outages).toFixed(1)],
    ['longest outage, s', Math.max(...outages).toFixed(1)],
    ['risks that the gateway names', found.risks.length],
  ];
  console.log(`\n${replication}`);
  printRows(rows);
  const violations = violationsOf(found);
  for (const violation of violations.slice(0, 20)) console.log(violation);
  if (found.accepted === 0) return false;
  // What asynchronous replication loses is not the gateway's, but it must have said so.
  return replication === 'synchronous'
    ? violations.length === 0 && found.risks.length === 0
    : found.risks.length > 0;
}
