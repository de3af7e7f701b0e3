/** The gateway that is fuzzed: a real process, with a meter in it, whose log and whose end are watched. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../harness/until.ts';
import type { MeterMessage } from './turn-meter.ts';

const SERVER = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const METER = new URL('./turn-meter.ts', import.meta.url).href;
/** What the gateway may hold; beyond it V8 gives up, and that is a crash. */
const HEAP_MB = 512;

export type Turn = Extract<MeterMessage, { readonly kind: 'turn' }>;

export class GatewayProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #isEnding = false;
  /** Turns that were long enough to be told of. */
  readonly turns: Turn[] = [];
  /** What the log says that it should not, and the end that nobody asked for. */
  readonly troubles: string[] = [];
  #waiting: ((longest: { readonly cpuMs: number; readonly rss: number }) => void)[] = [];

  private constructor(child: ChildProcess, closed: Promise<unknown>, url: string) {
    this.#child = child;
    this.#closed = closed;
    this.url = url;
  }

  static async start(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BONGSU_'));
    const options = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MB}`];
    const child = spawn(process.execPath, [...options, '--import', METER, SERVER], {
      cwd: tmpdir(),
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // Whatever ends the run ends the gateway.
    process.once('exit', () => child.kill('SIGKILL'));
    const closed = once(child, 'close');
    let output = '';
    child.stdout?.on('data', chunk => {
      output += String(chunk);
    });
    const early: string[] = [];
    let tell = (line: string): void => {
      early.push(line);
    };
    if (child.stderr) createInterface({ input: child.stderr }).on('line', line => tell(line));
    const url = await until('the gateway listens', () => {
      if (child.exitCode !== null) throw new Error(`the gateway did not start:\n${early.join('\n')}`);
      return /listens on (http:\/\/[\d.:]+\d)/.exec(output)?.[1];
    });
    const gateway = new GatewayProcess(child, closed, url);
    tell = line => gateway.#logged(line);
    child.on('message', message => gateway.#metered(message as MeterMessage));
    child.on('exit', (code, signal) => {
      if (!gateway.#isEnding) gateway.troubles.push(`the gateway ended by itself: ${code ?? signal}`);
      for (const resolve of gateway.#waiting.splice(0)) resolve({ cpuMs: 0, rss: 0 });
    });
    return gateway;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The longest turn since the last question, and the most memory ever. */
  longestTurn(): Promise<{ readonly cpuMs: number; readonly rss: number }> {
    if (!this.isAlive) return Promise.resolve({ cpuMs: 0, rss: 0 });
    const { promise, resolve } = Promise.withResolvers<{ readonly cpuMs: number; readonly rss: number }>();
    this.#waiting.push(resolve);
    this.#child.send('longest');
    return promise;
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    if (this.isAlive) this.#child.kill('SIGTERM');
    const [code] = (await this.#closed) as [number | null];
    if (code !== 0 && this.troubles.length === 0) this.troubles.push(`the gateway stopped with ${code}`);
  }

  #metered(message: MeterMessage): void {
    if (message.kind === 'turn') this.turns.push(message);
    else this.#waiting.shift()?.(message);
  }

  #logged(line: string): void {
    const trouble = troubleIn(line);
    if (trouble === undefined) return;
    const last = this.troubles.length - 1;
    // What Node says at the end of a process has many lines.
    if (!line.startsWith('{') && this.troubles[last]?.startsWith(PAST_THE_LOG))
      this.troubles[last] += `\n${line}`;
    else this.troubles.push(trouble);
  }
}

const ERROR_LEVEL = 50;
const PAST_THE_LOG = 'written past the log: ';

interface LogLine {
  readonly level?: number;
  readonly event?: string;
  readonly notice?: string;
  readonly where?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** An SMSC may say of any submit that it refuses our account, which is an error for the operator. */
const OF_THE_PEER = 'accountRefused';

/** Any other error in the log is our own fault; so is whatever Node or a library writes past the log. */
function troubleIn(line: string): string | undefined {
  if (line === '') return undefined;
  if (!line.startsWith('{')) return PAST_THE_LOG + line;
  const { level, event, notice, where, err } = JSON.parse(line) as LogLine;
  if ((level ?? 0) < ERROR_LEVEL || notice === OF_THE_PEER) return undefined;
  // Without times and ids, so that the same thing is told once.
  const place = err?.stack
    ?.split('\n')
    .find(each => each.includes(' at '))
    ?.trim();
  return err ? `the log: ${event} ${where ?? ''}: ${err.message} ${place ?? ''}` : `the log: ${line}`;
}
