/**
 * One node of the gateway as a process that is started again whenever it ends, as a service manager would. Its log goes to a
 * file; its configuration is a file that may change.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_AGAIN_MS = 500;

export class GatewayNode {
  readonly name: string;
  readonly logFile: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #configFile: string;
  #child: ChildProcess | undefined;
  #url: string | undefined;
  /** We sent a signal that ends it. */
  #isEndExpected = false;
  #isOver = false;
  #life: Promise<void> = Promise.resolve();
  /** Ends without a signal from us after it had listened, and exit codes other than 0. */
  readonly crashes: string[] = [];
  failedStarts = 0;
  readonly #hasListened: (url: string) => void;

  constructor(
    name: string,
    directory: string,
    env: Readonly<Record<string, string>>,
    hasListened: (url: string) => void = () => {},
  ) {
    this.name = name;
    this.#hasListened = hasListened;
    this.logFile = join(directory, `${name}.log`);
    this.#configFile = join(directory, `${name}.yaml`);
    const dataDir = join(directory, name);
    mkdirSync(dataDir);
    this.#env = { ...env, BONGSU_CONFIG: this.#configFile, BONGSU_DATA_DIR: dataDir, BONGSU_PORT: '0' };
  }

  get dataDir(): string {
    return this.#env.BONGSU_DATA_DIR ?? '';
  }

  /** Where it listens; undefined while it does not. */
  get url(): string | undefined {
    return this.#url;
  }

  start(): void {
    // The end of the run ends its nodes, a frozen one too.
    process.once('exit', () => this.abandon());
    this.#life = this.#live();
  }

  async isUp(): Promise<string> {
    while (this.#url === undefined) await pause(20);
    return this.#url;
  }

  configure(yaml: string): void {
    writeFileSync(this.#configFile, yaml);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends it and resolves when it listens again. */
  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.isUp();
    const child = this.#child;
    if (!child) return;
    this.#isEndExpected = true;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    this.#url = undefined;
    await this.isUp();
  }

  /** Resolves to its exit code. */
  async stop(): Promise<number | null> {
    this.#isOver = true;
    this.#isEndExpected = true;
    const child = this.#child;
    child?.kill('SIGTERM');
    await this.#life;
    return child?.exitCode ?? null;
  }

  abandon(): void {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      const log = openSync(this.logFile, 'a');
      const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BONGSU_'));
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], {
        cwd: tmpdir(),
        env: { ...Object.fromEntries(inherited), ...this.#env },
        stdio: ['ignore', 'pipe', log],
      });
      this.#child = child;
      const ended = once(child, 'exit');
      let hasListened = false;
      if (!child.stdout) throw new Error('no standard output');
      createInterface({ input: child.stdout }).on('line', line => {
        const address = /listens on (http:\/\/[\d.:]+\d)/.exec(line)?.[1];
        if (address === undefined) return;
        hasListened = true;
        this.#hasListened(address);
        this.#url = address;
      });
      const [code, signal] = await ended;
      this.#url = undefined;
      if (!hasListened) this.failedStarts++;
      else if (!this.#isEndExpected) this.crashes.push(`${this.name} ended by itself: ${code ?? signal}`);
      else if (code !== 0 && signal !== 'SIGKILL') this.crashes.push(`${this.name} stopped with ${code}`);
      this.#isEndExpected = false;
      if (!hasListened && !this.#isOver) await pause(START_AGAIN_MS);
    }
  }
}
