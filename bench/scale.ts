/**
 * `npm run bench scale`: what a cell holds, how many cells a number of messages a second needs, and how they fare behind a
 * router by account (docs/scale.md). Costs of a message are read from bench/scale-costs.json, or from the file that `--costs`
 * names; `--measure` measures them here and writes that file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureCosts } from './measure-costs.ts';
import { ASSUMED, scaleTables } from './scale-tables.ts';

const { values: options } = parseArgs({
  options: {
    costs: { type: 'string', default: 'bench/scale-costs.json' },
    measure: { type: 'boolean', default: false },
  },
});
if (options.measure) {
  const measured = Object.entries(await measureCosts()).map(([name, cost]) => [name, Math.round(cost)]);
  writeFileSync(options.costs, `${JSON.stringify(Object.fromEntries(measured), null, 2)}\n`);
}
const tables = scaleTables(JSON.parse(readFileSync(options.costs, 'utf8')));
process.stdout.write(`${Object.values(tables).join('\n\n')}\n\n${ASSUMED}\n`);
