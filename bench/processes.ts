/** Child processes of a benchmark: servers that print their address, and the load generator. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LoadOrder, LoadResult } from './load-client.ts';

/** As `npm start` has them; also for what the gateway is compared with. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--v8-pool-size=1'];

/** Of /proc, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Server {
  readonly port: number;
  readonly pid: number;
  /** Resident memory in MB, now and at most since the start. */
  rssMb(): number;
  peakMb(): number;
  /** How long its main thread was ready to run and had no processor; 0 where the system does not tell. */
  waitedMs(): number;
  /** Time on a processor since it started, in seconds: on a busy machine more telling than the time of the clock. */
  cpuSeconds(): number;
  /** Asks a server that counts for its count. */
  count(): Promise<number>;
  /** Asks a server that reads lines, and returns the line it answers with. */
  ask(line: string): Promise<string>;
  /** At once, or as it is asked to. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export async function startServer(
  script: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Server> {
  const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = linesOf(child);
  const port = await portOf(lines);
  const ask = async (line: string) => {
    child.stdin?.write(`${line}\n`);
    return String((await lines.next()).value);
  };
  const memoryMb = (name: string) => {
    const line = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
    return Number(line?.[1]) / 1024;
  };
  return {
    port,
    pid: child.pid ?? 0,
    rssMb: () => memoryMb('VmRSS'),
    peakMb: () => memoryMb('VmHWM'),
    waitedMs() {
      try {
        const [, waitedNs] = readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8').split(
          ' ',
        );
        return Number(waitedNs) / 1e6;
      } catch {
        return 0;
      }
    },
    cpuSeconds() {
      // After the name of the program, which may hold anything: the 12th and 13th are user and system time.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    async count() {
      return Number(await ask('count'));
    },
    ask,
    async kill(signal = 'SIGKILL') {
      const exited = new Promise(resolve => child.once('exit', resolve));
      child.kill(signal);
      await exited;
    },
  };
}

export async function load(order: LoadOrder): Promise<LoadResult> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'bench/load-client.ts', JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as LoadResult;
  throw new Error('the load generator ended without a result');
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (!child.stdout) throw new Error('no standard output');
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

async function portOf(lines: AsyncIterator<string>): Promise<number> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server ended before it listened');
    const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(value);
    if (match) return Number(match[1]);
  }
}
