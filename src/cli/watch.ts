/**
 * `bongsu watch`: live messages and figures of a gateway. With the admin token it watches any gateway. Without one it opens a
 * session in the store of this machine, since access to the store is proof enough, and shows it to this machine only.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { GatewayUnreachable } from '../../client/bongsu-client.ts';
import { ConfigProblems, loadConfig, readSetting } from '../config/config.ts';
import { CLI_SETTINGS, SETTINGS } from '../config/settings.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { isLoopback, parseUrl, warnInClear } from './credentials.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { Failure } from './failure.ts';
import { type Figures, type LiveRow, rowLine, screen } from './live-table.ts';
import { describeCommand, type OutputOptions } from './output.ts';
import { jsonLine, visible } from './visible.ts';

interface WatchOptions extends OutputOptions {
  readonly url?: string;
  readonly account?: string;
  readonly rows?: number;
}

const RECONNECT_MS = 1000;
const KEPT_ROWS = 200;
const CLEAR_SCREEN = '\x1b[H\x1b[2J';

export function addWatchCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = describeCommand(program.command('watch'), 'watch messages as they are sent and delivered', [
    'watch',
    'watch --account shop --json | head',
  ]);
  command
    .option(
      '--url <url>',
      `gateway (or ${CLI_SETTINGS.url.env}; default ${CLI_SETTINGS.url.fallback})`,
      parseUrl,
    )
    .option('--account <id>', 'messages of this account only')
    .option('--rows <n>', 'stop after this many rows', parseRows)
    .action((options: WatchOptions) => watch(options, env));
}

/** A closed pipe ends it as Ctrl-C does: see main.ts. */
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGPIPE'] as const;

async function watch(options: WatchOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const problems: string[] = [];
  const url = (options.url ?? readSetting(CLI_SETTINGS.url, env, problems) ?? '').replace(/\/+$/, '');
  const token = readSetting(SETTINGS.adminToken, env, problems)?.reveal();
  if (problems.length > 0) throw new ConfigProblems(problems);
  if (token !== undefined) warnInClear(url);
  else if (!isLoopback(url)) {
    throw new Failure(
      `not authorized: set ${SETTINGS.adminToken.env}. A session of this machine's store is not sent to ${url}`,
    );
  }
  const ending = new AbortController();
  let signal: NodeJS.Signals | undefined;
  const end = (received: NodeJS.Signals) => {
    signal = received;
    ending.abort();
  };
  for (const name of ENDINGS) process.on(name, end);
  try {
    const query = options.account === undefined ? '' : `?account=${encodeURIComponent(options.account)}`;
    const address = `${url}/admin/v1/events${query}`;
    const show = new Show(options);
    while (!ending.signal.aborted) {
      const watchStream = (headers: Record<string, string>) =>
        showStream(address, headers, show, ending.signal);
      const isDone =
        token === undefined
          ? await withSession(env, watchStream)
          : await watchStream({ authorization: `Bearer ${token}` });
      if (isDone) return;
      // The gateway ends a stream after 15 minutes; connect again.
      await sleep(systemClock, RECONNECT_MS);
    }
  } finally {
    for (const name of ENDINGS) process.off(name, end);
  }
  if (signal !== undefined && signal !== 'SIGPIPE') process.kill(process.pid, signal);
}

/** Without a token: a session in the store of this machine, closed when the stream has ended. */
async function withSession<T>(
  env: NodeJS.ProcessEnv,
  work: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { openOperator } = await import('../composition/operator-tools.ts');
  const operator = await openOperator(loadConfig(env, CHANNELS), true);
  try {
    const session = await operator.openSession();
    if (!session) {
      throw new Failure(
        `not authorized: set ${SETTINGS.adminToken.env}, or run this where the gateway's data directory is`,
      );
    }
    try {
      return await work({ cookie: `bongsu_session=${session.id}` });
    } finally {
      await operator.closeSession(session);
    }
  } finally {
    await operator.close();
  }
}

/** Resolves to true when as many rows as asked for have been shown, or nobody wants more. */
async function showStream(
  address: string,
  headers: Record<string, string>,
  show: Show,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for await (const event of connect(address, headers, signal)) {
      if (show.take(event)) return true;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return false;
}

async function* connect(
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void> {
  let response: Response;
  try {
    // What opens this gateway is not for whatever it redirects to.
    response = await fetch(address, { headers, signal, redirect: 'error' });
  } catch (error) {
    throw new GatewayUnreachable(`no gateway answers at ${new URL(address).origin}`, { cause: error });
  }
  if (response.status !== 200 || !response.body) {
    throw new Failure(`refused: ${(await response.text()).slice(0, 200)}`);
  }
  yield* readEvents(response.body);
}

/** Prints lines for programs and pipes, and redraws a screen for people. */
class Show {
  readonly #options: WatchOptions;
  readonly #isScreen: boolean;
  #figures: Figures | undefined;
  #rows: LiveRow[] = [];
  #count = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#isScreen = process.stdout.isTTY === true && !options.json;
  }

  /** True when as many rows as asked for have been shown. */
  take({ event, data }: ServerEvent): boolean {
    if (event === 'figures') this.#figures = JSON.parse(data) as Figures;
    const { rows } = event === 'messages' ? (JSON.parse(data) as { rows: LiveRow[] }) : { rows: [] };
    const most = this.#options.rows ?? Number.POSITIVE_INFINITY;
    const taken = rows.slice(0, most - this.#count);
    this.#count += taken.length;
    this.#rows = [...this.#rows, ...taken].slice(-KEPT_ROWS);
    if (this.#isScreen) {
      process.stdout.write(CLEAR_SCREEN + visible(screen(this.#figures, this.#rows, process.stdout.rows)));
    } else {
      for (const row of taken)
        process.stdout.write(`${this.#options.json ? jsonLine(row) : visible(rowLine(row))}\n`);
    }
    return this.#count >= most;
  }
}

function parseRows(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(value);
}
