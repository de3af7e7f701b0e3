/** Applies one deliberate bug at a time to a copy of the program, and runs the tests that should notice it. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, escapeIdentifier } from 'pg';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { AREAS } from './areas.ts';
import { type Mutant, ROOT, trackedFiles } from './mutants.ts';

/** A bug may keep a test from ending. */
const LONGEST_TEST_MS = 120_000;
const NODE = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=tap'];
const TEST = ['--import=./test/harness/ends.ts', `--test-timeout=${LONGEST_TEST_MS}`];
/** Starting a process for each file would take longer than the tests beside the code. */
const UNIT_TEST = ['--test-isolation=none', `--test-timeout=${LONGEST_TEST_MS}`];
/** Files that found a bug of an area are likely to find the next one. */
const MOST_FINDERS = 4;

export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  /** The time was over before. */
  | { readonly kind: 'unfinished' }
  /** No test ran through. */
  | { readonly kind: 'failed'; readonly why: string };

/** A copy of what git knows, in which one mutant after another is tried, and what all tests of the run share. */
export class Copy {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bongsu-mutants-'));
  /** What tests write; those that are ended early leave it behind. */
  readonly #scratch = scratchDirectory();
  readonly #postgres: TestPostgres;
  /** The run of tests that is under way. */
  #running: number | undefined;
  /** For each area, the last to find a bug first. */
  readonly #finders = new Map<string, readonly string[]>();

  static async make(): Promise<Copy> {
    const postgres = await startPostgres();
    await postgres.share();
    return new Copy(postgres);
  }

  private constructor(postgres: TestPostgres) {
    this.#postgres = postgres;
    // PostgreSQL of a test may run as another user.
    chmodSync(this.#scratch, 0o755);
    for (const file of trackedFiles()) cpSync(join(ROOT, file), join(this.#directory, file));
    symlinkSync(join(ROOT, 'node_modules'), join(this.#directory, 'node_modules'));
    if (existsSync(join(ROOT, 'console/dist'))) {
      cpSync(join(ROOT, 'console/dist'), join(this.#directory, 'console/dist'), { recursive: true });
    }
  }

  /** `endsAt`: by `performance.now`. */
  async try(mutant: Mutant, endsAt: number): Promise<Verdict> {
    const place = join(this.#directory, mutant.file);
    const before = readFileSync(place);
    writeFileSync(place, mutant.text);
    try {
      return await this.#runAll(mutant, endsAt);
    } finally {
      writeFileSync(place, before);
      await this.#tidy();
    }
  }

  async remove(): Promise<void> {
    this.removeFiles();
    await this.#postgres.stop();
  }

  removeFiles(): void {
    endWithChildren(this.#running);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #runAll(mutant: Mutant, endsAt: number): Promise<Verdict> {
    let last: Verdict = { kind: 'failed', why: 'there is no test' };
    for (const tests of this.#groupsOf(mutant)) {
      last = await this.#run(mutant.area, tests, endsAt);
      if (last.kind !== 'survived') return last;
    }
    return last;
  }

  /** Those beside the file first: they are the fastest. Then those that found another bug of the area. */
  #groupsOf({ area, file }: Mutant): string[][] {
    const cwd = this.#directory;
    const groups = [
      globSync(`${dirname(file)}/*.test.ts`, { cwd }),
      this.#finders.get(area) ?? [],
      ...(AREAS[area]?.tests ?? []).map(pattern => globSync(pattern, { cwd })),
    ];
    const seen = new Set<string>();
    return groups
      .map(tests => {
        const fresh = tests.filter(test => !seen.has(test));
        for (const test of fresh) seen.add(test);
        return fresh;
      })
      .filter(tests => tests.length > 0);
  }

  /** Ends with the first test that fails. */
  async #run(area: string, tests: readonly string[], endsAt: number): Promise<Verdict> {
    const isUnit = tests.every(test => test.startsWith('src/'));
    const child = spawn(process.execPath, [...NODE, ...(isUnit ? UNIT_TEST : TEST), ...tests], {
      cwd: this.#directory,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, BONGSU_TEST_SCRATCH: this.#scratch },
      detached: true,
    });
    this.#running = child.pid;
    const ended = new Promise<number | null>(resolve => child.once('close', resolve));
    let isLate = false;
    const late = () => {
      isLate = true;
      endWithChildren(child.pid);
    };
    const timer = Number.isFinite(endsAt) ? setTimeout(late, endsAt - performance.now()) : undefined;
    let passed = 0;
    let by: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      if (/^\s*ok \d/.test(line)) passed++;
      by ??= /^\s*not ok \d+ - ([^#]*)/.exec(line)?.[1]?.trim();
      const [, place] = /^\s*location: '(.+?):\d/.exec(line) ?? [];
      if (by === undefined || place === undefined) continue;
      this.#found(area, relative(this.#directory, place));
      break;
    }
    clearTimeout(timer);
    if (by !== undefined) endWithChildren(child.pid);
    const code = await ended;
    this.#running = undefined;
    if (by !== undefined) return { kind: 'killed', by };
    if (isLate) return { kind: 'unfinished' };
    if (passed === 0) return { kind: 'failed', why: 'no test ran' };
    return code === 0
      ? { kind: 'survived' }
      : { kind: 'killed', by: `the process, which ended with ${code}` };
  }

  #found(area: string, file: string): void {
    if (!file.endsWith('.test.ts')) return;
    const others = (this.#finders.get(area) ?? []).filter(other => other !== file);
    this.#finders.set(area, [file, ...others].slice(0, MOST_FINDERS));
  }

  /** What tests had no time to remove. */
  async #tidy(): Promise<void> {
    for (const name of readdirSync(this.#scratch))
      rmSync(join(this.#scratch, name), { recursive: true, force: true, maxRetries: 5 });
    const { pathname } = new URL((await this.#postgres.template()).url);
    const client = new Client(this.#postgres.url);
    await client.connect();
    const { rows } = await client.query<{ datname: string }>(
      "SELECT datname FROM pg_database WHERE datname LIKE 'bongsu_test_%' AND datname <> $1",
      [pathname.slice(1)],
    );
    for (const { datname } of rows)
      await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(datname)} WITH (FORCE)`);
    await client.end();
  }
}

function endWithChildren(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
