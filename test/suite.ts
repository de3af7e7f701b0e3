/**
 * `npm run suite NAME -- OPTIONS`: every set of tests and every measurement, of which `npm test` is one. A set of test files
 * takes the options of `node --test`, as `--name=value`, and files that are run instead; a program names its own at its beginning.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface TestSuite {
  readonly what: string;
  readonly files: readonly string[];
  /** Files at a time. */
  readonly atOnce: number;
  readonly env?: Readonly<Record<string, string>>;
  /** No database and no browser is started for its files. */
  readonly isAlone?: boolean;
  readonly needsConsole?: boolean;
}

interface Command {
  readonly what: string;
  readonly program: string;
}

/** node:sqlite is known to be experimental. */
const NO_WARNINGS = '--disable-warning=ExperimentalWarning';

/** On both engines. */
const BEHAVIOUR = ['test/behaviour/**/*.test.ts', 'test/carriers/smpp/gateway*.test.ts'];
const DATABASE_FAULTS = ['test/faults/database.test.ts', 'test/faults/gateway-database.test.ts'];

const SUITES: Readonly<Record<string, TestSuite | Command>> = {
  test: {
    what: 'npm test: everything but the console in a browser and what is named below',
    files: [
      'test/together/{units,behaviour-?}.ts',
      'test/behaviour/loop-delay.test.ts',
      'src/store/postgres/*.test.ts',
      'tools/**/*.test.ts',
      'test/!(behaviour|console)/**/*.test.ts',
      'test/console/*.test.ts',
    ],
    atOnce: 3,
    needsConsole: true,
  },
  unit: {
    what: 'npm run test:unit: the tests beside the code, without a database and a browser',
    files: ['test/together/units.ts'],
    atOnce: 1,
    isAlone: true,
  },
  console: {
    what: 'the console in a real Chromium',
    files: ['test/console/browser/*.test.ts'],
    atOnce: 2,
    needsConsole: true,
  },
  postgres: {
    what: 'the behaviour tests with every gateway on PostgreSQL',
    files: BEHAVIOUR,
    atOnce: 3,
    env: { BONGSU_TEST_ENGINE: 'postgres' },
  },
  pooler: {
    what: 'faults of PostgreSQL with PgBouncer between',
    files: [
      ...DATABASE_FAULTS,
      'test/faults/pooler.test.ts',
      'test/store/postgres.test.ts',
      'test/store/migrate.test.ts',
      'test/cluster/two-nodes.test.ts',
    ],
    atOnce: 1,
    env: { BONGSU_TEST_POOLER: '1' },
    isAlone: true,
  },
  'database-faults': {
    what: '200 faults of PostgreSQL in a row',
    files: DATABASE_FAULTS,
    atOnce: 1,
    env: { BONGSU_FAULTS: '200' },
    isAlone: true,
  },
  peers: {
    what: '1,000 texts to each SMSC of others, also while its answers are spoiled',
    files: ['test/carriers/smpp/many-messages.test.ts'],
    atOnce: 1,
    env: { BONGSU_PEER_MESSAGES: '1000' },
    isAlone: true,
  },
  package: {
    what: 'what npm pack makes, and by npx in an empty folder',
    files: ['test/package/package.ts', 'test/package/npx.ts'],
    atOnce: 1,
    isAlone: true,
  },
  deploy: {
    what: 'the steps of the image, without Docker',
    files: ['test/deploy/image.ts'],
    atOnce: 1,
    isAlone: true,
  },
  upgrade: {
    what: 'a rolling upgrade from the version before, under load',
    files: ['test/cluster/upgrade.ts'],
    atOnce: 1,
    isAlone: true,
  },
  simulate: {
    what: 'npm run simulate: the gateway in a simulated world, seed by seed',
    program: 'test/simulation/command.ts',
  },
  chaos: {
    what: 'npm run chaos: two nodes, killed, frozen and cut off under load',
    program: 'test/chaos/command.ts',
  },
  fuzz: {
    what: 'npm run fuzz: inputs that nobody should send, to every interface',
    program: 'test/fuzz/command.ts',
  },
  mutants: {
    what: 'npm run mutants: deliberate bugs, one at a time, that a test should notice',
    program: 'test/mutants/command.ts',
  },
  bench: {
    what: 'npm run bench: speed and memory; with a name, what one part costs',
    program: 'bench/command.ts',
  },
  interleave: {
    what: 'statements of two nodes at one PostgreSQL, one at a time, in an order that a seed draws',
    program: 'test/interleave/command.ts',
  },
  chain: {
    what: 'two gateways, one in front of the other, with trouble under load',
    program: 'test/chain/command.ts',
  },
  failover: {
    what: 'the primary of three PostgreSQL dies under load',
    program: 'test/failover/command.ts',
  },
  scale: {
    what: 'a large day on PostgreSQL, a campaign, and a reader that stays for long',
    program: 'test/scale/command.ts',
  },
};

const [name = '', ...options] = process.argv.slice(2);
const suite = SUITES[name];
if (!suite) {
  const lines = Object.entries(SUITES).map(([each, { what }]) => `  ${each.padEnd(16)}${what}`);
  console.log(`npm run suite NAME -- OPTIONS\n\n${lines.join('\n')}`);
  process.exit(2);
}
if ('needsConsole' in suite && suite.needsConsole) await import('../tools/build-console.ts');
const order = 'program' in suite ? [suite.program, ...options] : testsOf(suite);
const child = spawn(process.execPath, [NO_WARNINGS, ...order], {
  stdio: 'inherit',
  env: { ...process.env, ...('env' in suite && suite.env) },
});
// It ends what it has started; a terminal tells it by itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
process.exit(code ?? 1);

function testsOf({ files, atOnce, isAlone = false }: TestSuite): string[] {
  const named = options.filter(option => !option.startsWith('-'));
  return [
    '--test',
    '--test-timeout=600000',
    '--import=./test/harness/ends.ts',
    ...(isAlone ? [] : ['--test-global-setup=./test/harness/shared.ts']),
    `--test-concurrency=${atOnce}`,
    ...options.filter(option => option.startsWith('-')),
    ...(named.length > 0 ? named : files),
  ];
}
