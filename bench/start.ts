/**
 * `npm run bench start`: milliseconds from the command to the line with the address. The program as it was built and as sources, with and
 * without HTTP threads, and a bare HTTP server of Node, in turn, so that all have the same minutes of the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryOf } from '../bin/runtime.js';
import { startServer } from './processes.ts';

const STARTS = Number(process.env.BENCH_STARTS ?? 12);

interface Start {
  readonly name: string;
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
}

const built: Start[] = entryOf('main').endsWith('.js')
  ? [
      { name: 'built', script: 'bin/start.js' },
      { name: 'built, no HTTP thread', script: 'bin/start.js', env: { BONGSU_HTTP_THREADS: '0' } },
    ]
  : [];
if (built.length === 0) process.stderr.write('not built, or sources changed since: npm run build\n');
const starts: readonly Start[] = [
  { name: 'a bare server of node:http', script: 'bench/bare-server.ts' },
  ...built,
  { name: 'sources', script: 'src/main.ts' },
];

const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-start-'));
const cache = { NODE_COMPILE_CACHE: join(directory, 'compiled') };
const measured = starts.map(start => ({ ...start, first: 0, later: [] as number[] }));
try {
  // The first starts fill the cache of compiled code; the second find a new data directory; then come those that count.
  for (let round = -2; round < STARTS; round++) {
    for (const [index, start] of measured.entries()) {
      const name = `data-${index}-${Math.min(round, -1)}`;
      const ms = await startOnce(start, join(directory, name));
      if (round === -1) start.first = ms;
      if (round >= 0) start.later.push(ms);
    }
    process.stderr.write('.');
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const columns = (...cells: readonly (string | number)[]) =>
  process.stdout.write(
    `${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(28) : String(cell).padStart(12))).join('')}\n`,
  );
process.stdout.write(`\n${cpus().length} processors, ${STARTS} starts each, milliseconds\n`);
columns('', 'new data', 'least', 'median', 'most');
for (const { name, first, later } of measured) {
  const sorted = later.toSorted((one, other) => one - other);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  columns(name, Math.round(first), at(0), at(0.5), at(1));
}

async function startOnce({ script, env }: Start, dataDir: string): Promise<number> {
  const from = performance.now();
  const server = await startServer(script, {
    BONGSU_PORT: '0',
    BONGSU_DATA_DIR: dataDir,
    BONGSU_LOG: 'warn',
    ...cache,
    ...env,
  });
  const ms = performance.now() - from;
  // It then keeps the code that it compiled.
  await server.kill('SIGTERM');
  return ms;
}
