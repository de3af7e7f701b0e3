/**
 * npm run mutants -- [--area NAME] [--only TEXT] [--seconds N] [--seed N] [--list]
 *
 * Without an area all of them; with seconds a sample of those that may not survive, in an order that the seed gives; what has
 * not ended by then does not count. `--only`: a part of a mutant's name, or its FILE:LINE. 1 where a mutant survived that may not.
 */
import { parseArgs } from 'node:util';
import { AREAS, EXPECTED_SURVIVORS } from './areas.ts';
import { Copy, type Verdict } from './copy.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    list: { type: 'boolean', default: false },
  },
});
const areas = values.area === undefined ? Object.keys(AREAS) : values.area.split(',');
const all = areas
  .flatMap(mutantsOf)
  .filter(mutant => mutant.name.includes(values.only) || placeOf(mutant) === values.only);

if (values.list) for (const mutant of all) console.log(`${mutant.area}  ${placeOf(mutant)}  ${mutant.name}`);
else process.exitCode = await tryThem();

async function tryThem(): Promise<number> {
  const until = values.seconds === undefined ? Infinity : performance.now() + Number(values.seconds) * 1000;
  const order = values.seconds === undefined ? all : shuffled(all.filter(mayNotSurvive), Number(values.seed));
  const copy = await Copy.make();
  process.once('exit', () => copy.removeFiles());
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void copy.remove().then(() => process.exit(130)));
  const sums = new Map(areas.map(area => [area, { tried: 0, killed: 0, expected: 0, survived: 0 }]));
  if (values.seconds !== undefined)
    console.log(`${all.length} mutants, of which a sample: --seed ${values.seed}`);
  for (const mutant of order) {
    if (performance.now() >= until) break;
    const startedAt = performance.now();
    const verdict = await copy.try(mutant, until);
    if (verdict.kind === 'unfinished') {
      console.log(`not found when the time was over: ${repeating(mutant)}`);
      break;
    }
    const sum = sums.get(mutant.area);
    const outcome = outcomeOf(mutant, verdict);
    if (sum) {
      sum.tried++;
      sum[outcome]++;
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${outcome} ${mutant.area} ${placeOf(mutant)} ${mutant.name} (${seconds} s)${byWhom(verdict)}`,
    );
    if (outcome === 'survived') console.log(`  ${repeating(mutant)}`);
  }
  await copy.remove();
  console.table(Object.fromEntries(sums));
  return [...sums.values()].some(({ survived }) => survived > 0) ? 1 : 0;
}

function placeOf({ file, line }: Mutant): string {
  return `${file}:${line}`;
}

/** The command that tries it again. */
function repeating(mutant: Mutant): string {
  return `npm run mutants -- --area ${mutant.area} --only ${placeOf(mutant)}`;
}

function mayNotSurvive({ name }: Mutant): boolean {
  return !EXPECTED_SURVIVORS.has(name);
}

function outcomeOf(mutant: Mutant, { kind }: Verdict): 'killed' | 'expected' | 'survived' {
  if (kind === 'killed') return 'killed';
  return kind === 'survived' && !mayNotSurvive(mutant) ? 'expected' : 'survived';
}

function byWhom(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'killed':
      return `: ${verdict.by}`;
    case 'survived':
    case 'unfinished':
      return '';
    case 'failed':
      return `: ${verdict.why}`;
  }
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const rank = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return items
    .map(item => ({ item, at: rank() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
