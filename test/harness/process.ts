/** Processes for tests: the server, and the command line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryOf } from '../../bin/runtime.js';
import { CommandHost } from './command-host.ts';
import { scratchDirectory } from './scratch.ts';
import { until } from './until.ts';

export type Env = Readonly<Record<string, string>>;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Finished extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerProcess {
  readonly url: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Asks it to drain (SIGTERM) and waits for its end. */
  stop(): Promise<Exit>;
  /** Ends it as a crash would (SIGKILL). */
  kill(): Promise<Exit>;
}

/** A test, or with `after` of node:test the file: what is made for it goes with it. */
interface Owner {
  after(end: () => unknown): void;
}

const NO_WARNINGS = '--disable-warning=ExperimentalWarning';
/** The server without a launcher in between, so that a kill hits the server itself. Built code starts in half the time. */
const SERVER = [NO_WARNINGS, entryOf('main')];
/** The command line without a launcher, which would start the same Node a second time. */
const COMMAND = [NO_WARNINGS, entryOf('cli/main')];

/**
 * Starts a server on a free port and waits until it listens. Whatever is left of it ends with the test; with `{ after }`
 * of node:test in place of a test, with the file, whose tests then share it. `under` is a command that runs it, such as strace.
 */
export async function startServer(
  t: Owner,
  env: Env = {},
  command: readonly string[] = SERVER,
  under: readonly string[] = [],
): Promise<ServerProcess> {
  let running: Running | undefined;
  t.after(async () => {
    if (running?.isAlive()) await running.end(command === SERVER ? 'SIGKILL' : 'SIGTERM');
  });
  const dataDir = env.BONGSU_DATA_DIR ?? scratchDirectory();
  const [program = '', ...args] = [...under, process.execPath, ...command];
  const started = run(program, args, {
    BONGSU_PORT: '0',
    BONGSU_SIMULATOR_LATENCY: '0',
    ...env,
    BONGSU_DATA_DIR: dataDir,
  });
  running = started;
  started.child.stdin?.end();
  const url = await until('the server listens', () => {
    if (!started.isAlive()) throw new Error(`the server ended before it listened:\n${started.stderr()}`);
    return /^[^\n]*(https?:\/\/[\d.:]+\d)[^\n]*\n/.exec(started.stdout())?.[1];
  });
  return {
    url,
    dataDir,
    process: started.child,
    stdout: started.stdout,
    stderr: started.stderr,
    stop: () => started.end('SIGTERM'),
    kill: () => started.end('SIGKILL'),
  };
}

interface CommandOptions {
  readonly input?: string;
  /** In a process of its own, which shows that it ends by itself. */
  readonly process?: true;
  /** By this launcher, in processes of their own. */
  readonly launcher?: string;
  /** What starts the launcher. */
  readonly node?: string;
}

/** They live until somebody ends them. */
const LONG_RUNNING: readonly (string | undefined)[] = [undefined, 'serve', 'watch'];

let host: CommandHost | undefined;

/** Runs `bongsu …` to its end: one after another in the command host of this test file, if no option says otherwise. */
export async function bongsu(
  args: readonly string[],
  env: Env = {},
  options: CommandOptions = {},
): Promise<Finished> {
  const { input = '', node = process.execPath, launcher } = options;
  if (!options.process && launcher === undefined && !LONG_RUNNING.includes(args[0])) {
    host ??= new CommandHost(inheritedEnv(), [NO_WARNINGS]);
    return { ...(await host.run({ args, env, input })), signal: null };
  }
  const running = run(node, [...(launcher === undefined ? COMMAND : [launcher]), ...args], env);
  // A command that does not read its input may end before all of it is written.
  running.child.stdin?.on('error', () => {}).end(input);
  return { ...(await running.exit), stdout: running.stdout(), stderr: running.stderr() };
}

/** Starts `bongsu …` in a process of its own, to be ended by a signal. */
export function startCommand(t: Owner, args: readonly string[], env: Env) {
  const running = run(process.execPath, [...COMMAND, ...args], env);
  t.after(() => running.isAlive() && running.end('SIGKILL'));
  return running;
}

/** Makes an account at a server that tests share; resolves to the settings with which commands are its client. */
export async function newClient(server: ServerProcess, id: string) {
  const password = `password-of-${id}`;
  const create = ['account', 'create', id, '--password-stdin'];
  const { code, stderr } = await bongsu(create, { BONGSU_DATA_DIR: server.dataDir }, { input: password });
  if (code !== 0) throw new Error(stderr);
  return { BONGSU_URL: server.url, BONGSU_CLIENT_ID: id, BONGSU_CLIENT_PASSWORD: password };
}

interface Running {
  readonly child: ChildProcess;
  readonly exit: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  isAlive(): boolean;
  end(signal: NodeJS.Signals): Promise<Exit>;
}

/** Where Node keeps compiled code by its own default; a command starts in two thirds of the time. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

/** Without the settings of this process. */
function inheritedEnv(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BONGSU_'));
  return { ...COMPILE_CACHE, ...Object.fromEntries(inherited) };
}

/** A process that sees only the settings it is given, in a directory without a bongsu.yaml. */
function run(node: string, args: readonly string[], env: Env): Running {
  const child = spawn(node, args, { cwd: tmpdir(), env: { ...inheritedEnv(), ...env } });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', chunk => out.push(chunk));
  child.stderr.on('data', chunk => err.push(chunk));
  const exit = once(child, 'close').then(([code, signal]): Exit => ({ code, signal }));
  return {
    child,
    exit,
    stdout: () => Buffer.concat(out).toString(),
    stderr: () => Buffer.concat(err).toString(),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    end(signal) {
      child.kill(signal);
      return exit;
    },
  };
}
