/**
 * `npm run audit`: known vulnerabilities of what we use. Fails on those that are high or critical and run in production.
 * A mirror without audits is no failure. A call that failed is one with BONGSU_TEST_REQUIRE_PEERS=1.
 */
import { spawnSync } from 'node:child_process';
import { readAudit } from './audit-findings.ts';
import { readLock } from './production-tree.ts';
import { consolePackages, productionPackages } from './supply-chain.ts';

const MOST_MS = 60_000;
const { stdout } = spawnSync('npm', ['audit', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  timeout: MOST_MS,
});
const lock = readLock();
const production = [...productionPackages(lock), ...consolePackages(lock)].map(({ name }) => name);
const audited = readAudit(stdout ?? '', production);
if (audited.isAvailable) {
  for (const finding of audited.others) process.stdout.write(`npm audit: ${finding}\n`);
  for (const finding of audited.severe) process.stderr.write(`npm audit: in production: ${finding}\n`);
  process.stdout.write(
    `npm audit: ${audited.severe.length} severe in production, ${audited.others.length} others\n`,
  );
  if (audited.severe.length > 0) process.exitCode = 1;
} else {
  process.stdout.write(`npm audit: not available (${audited.why})\n`);
  if (audited.isOffered && process.env.BONGSU_TEST_REQUIRE_PEERS === '1') process.exitCode = 1;
}
