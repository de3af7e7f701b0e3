/** Fails on a package that is not accounted for: its licence, its install script, its reason. */
import { readLock } from './production-tree.ts';
import { consolePackages, productionPackages, supplyChainProblems } from './supply-chain.ts';

const lock = readLock();
const problems = supplyChainProblems(lock);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nsee tools/supply-chain.ts\n`);
  process.exitCode = 1;
} else {
  const [production, console] = [productionPackages(lock).length, consolePackages(lock).length];
  process.stdout.write(`supply chain: ${production} packages in production, ${console} in the console\n`);
}
