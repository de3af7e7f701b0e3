/**
 * `bongsu watch`: live messages and figures of a gateway. With the admin token it watches any gateway. Without one it watches the
 * gateway of this data directory: it opens a session in the store, and sends it through the socket that this gateway has there.
 * Only who may write into the directory can listen on that; any user of the machine can listen on a port.
 */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { GatewayUnreachable } from '../../client/bongsu-client.ts';
import { ConfigProblems, loadConfig, readSetting } from '../config/config.ts';
import { CLI_SETTINGS, SETTINGS } from '../config/settings.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { request } from '../platform/node-http.ts';
import { parseUrl, warnInClear } from './credentials.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { Failure } from './failure.ts';
import { type Figures, type LiveRow, rowLine, screen } from './live-table.ts';
import { greet } from './operator-call.ts';
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
  else if (options.url !== undefined || env[CLI_SETTINGS.url.env]) {
    throw new Failure(
      `not authorized: set ${SETTINGS.adminToken.env}. Without a token and without --url, only the gateway of this data directory can be watched`,
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
    const path = `/admin/v1/events${query}`;
    const show = new Show(options);
    const showStream = (open: Open) => showEvents(open(path, ending.signal), show, ending.signal);
    while (!ending.signal.aborted) {
      const isDone = await (token === undefined
        ? withSession(env, showStream)
        : showStream(throughAddress(url, token)));
      if (isDone) return;
      // The gateway ends a stream after 15 minutes; connect again.
      await sleep(systemClock, RECONNECT_MS);
    }
  } finally {
    for (const name of ENDINGS) process.off(name, end);
  }
  if (signal !== undefined && signal !== 'SIGPIPE') process.kill(process.pid, signal);
}

interface Answer {
  readonly status: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

type Open = (path: string, signal: AbortSignal) => Promise<Answer>;

function throughAddress(url: string, token: string): Open {
  return async (path, signal) => {
    const headers = { authorization: `Bearer ${token}` };
    await greet(url);
    try {
      // The token is not for whatever it redirects to.
      const { status, body } = await fetch(`${url}${path}`, { headers, signal, redirect: 'error' });
      return { status, body: body ?? Readable.from([]) };
    } catch (error) {
      throw new GatewayUnreachable(`no gateway answers at ${new URL(url).origin}`, { cause: error });
    }
  };
}

function throughSocket(socketPath: string, sessionId: string): Open {
  return async (path, signal) => {
    // On this socket the address of the caller is what the header says.
    const headers = { cookie: `bongsu_session=${sessionId}`, 'x-forwarded-for': '127.0.0.1' };
    try {
      const [answer] = await once(request({ socketPath, path, headers, signal }).end(), 'response');
      return { status: answer.statusCode, body: answer };
    } catch (error) {
      throw new GatewayUnreachable(
        `no gateway answers at ${socketPath}: to watch one by its address, set ${SETTINGS.adminToken.env}`,
        { cause: error },
      );
    }
  };
}

/** Without a token: a session in the store of this machine, closed when the stream has ended. */
async function withSession<T>(env: NodeJS.ProcessEnv, work: (open: Open) => Promise<T>): Promise<T> {
  const config = loadConfig(env, CHANNELS, { mayLackSecrets: true });
  const notAuthorized = `not authorized: set ${SETTINGS.adminToken.env}`;
  if (config.secrets.databaseUrl) throw new Failure(notAuthorized);
  const { engineSocketIn } = await import('../composition/engine-socket.ts');
  const { openOperator } = await import('../composition/operator-tools.ts');
  const operator = await openOperator(config, true);
  try {
    const session = await operator.openSession();
    if (!session) throw new Failure(notAuthorized);
    try {
      return await work(throughSocket(engineSocketIn(config.dataDir), session.id));
    } finally {
      await operator.closeSession(session);
    }
  } finally {
    await operator.close();
  }
}

/** Resolves to true when as many rows as asked for have been shown, or nobody wants more. */
async function showEvents(opening: Promise<Answer>, show: Show, signal: AbortSignal): Promise<boolean> {
  try {
    const { status, body } = await opening;
    if (status !== 200) throw new Failure(`refused: ${(await startOf(body)).slice(0, 200)}`);
    for await (const event of readEvents(body)) {
      if (show.take(event)) return true;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return false;
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of body) return new TextDecoder().decode(chunk);
  return '';
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
