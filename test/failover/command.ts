/**
 * `npm run suite failover`: the primary of three PostgreSQL dies under load, again and again; verified by keys.
 *
 *   --replication WORD   synchronous, asynchronous or both (default both)
 *   --failovers N        how often the primary dies, in each (default 6)
 *   --rate N             messages a second (default 100)
 *   --seed N             decides the times (default: random)
 *   --keep               keeps the logs even if no rule is broken
 *
 * Synchronous replication must lose and double nothing. Asynchronous replication may; the losses are counted.
 */
import { parseArgs } from 'node:util';
import { discard, randomSeed, show } from '../long-runs/run-command.ts';
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
const seed = Number(values.seed ?? randomSeed());
const failovers = Number(values.failovers);
const rate = Number(values.rate);
const replications: readonly Replication[] =
  values.replication === 'both'
    ? ['synchronous', 'asynchronous']
    : [values.replication === 'asynchronous' ? 'asynchronous' : 'synchronous'];
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
console.log(`seed ${seed}, ${failovers} failovers, ${rate} messages a second`);
// An exit also ends the processes that were started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
let isWell = true;
for (const replication of replications) {
  const result = await runFailover({ replication, seed, failovers, rate }, line =>
    console.log(`${seconds()} s ${line}`),
  );
  const isGood = isExpected(replication, result);
  isWell &&= isGood;
  discard(result, isGood && !values.keep);
}
console.log(`seed ${seed}, ${seconds()} s in all`);
process.exit(isWell ? 0 : 1);

function isExpected(replication: Replication, found: FailoverResult): boolean {
  const outages = found.failovers.map(({ outageMs }) => outageMs / 1000);
  console.log(`\n${replication}`);
  const violations = show(found, [
    ['failovers', found.failovers.length],
    ['shortest outage, s', Math.min(...outages).toFixed(1)],
    ['longest outage, s', Math.max(...outages).toFixed(1)],
    ['risks that the gateway names', found.risks.length],
  ]);
  if (found.accepted === 0) return false;
  // Losses of asynchronous replication are not the gateway's, but it must have named the risk.
  return replication === 'synchronous'
    ? violations === 0 && found.risks.length === 0
    : found.risks.length > 0;
}
