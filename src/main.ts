/** The process: read the configuration, open the gateway, listen, drain on SIGTERM. Run by `npm start`. */

import { DataDirectoryInUse } from './composition/data-directory.ts';
import type { FirstStart, Gateway } from './composition/gateway.ts';
import { Life } from './composition/life.ts';
import { spawnHttpThreads } from './composition/spawned-http-thread.ts';
import { type Config, ConfigProblems, loadConfig } from './config/config.ts';
import { CHANNELS } from './domain/channels/channel.ts';
import { collectGarbageOfStart } from './platform/garbage.ts';
import { lowerHelperThreads } from './platform/helper-threads.ts';
import { keepNewFilesPrivate } from './platform/private-files.ts';
import { createServiceManager, type ServiceManager } from './platform/service-manager.ts';

const EXIT_FAILURE = 1;
const EXIT_CONFIGURATION = 2;
/** Ctrl-C reaches this process from the terminal, and again from npm or the launcher, which pass it on. */
const SAME_KEYSTROKE_MS = 500;
const OPEN_CONNECTIONS_MS = 1_000;

/** What to write to standard output once the server listens. */
export type Announce = (config: Config, address: string, prepared: FirstStart | undefined) => string;

/** Starts the server. Resolves when it listens, or could not start; the process then lives until SIGTERM or SIGINT. */
export async function serve(env: NodeJS.ProcessEnv, announce: Announce = banner): Promise<void> {
  let config: Config;
  let gateway: Gateway | undefined;
  let serviceManager: ServiceManager | undefined;
  keepNewFilesPrivate();
  const life = new Life({
    async opening() {
      config = loadConfig(env, CHANNELS);
      // Two threads load their programs side by side.
      const httpThreads = spawnHttpThreads(config);
      const { openGateway } = await import('./composition/gateway.ts');
      gateway = await openGateway(config, { httpThreads, readConfig: () => loadConfig(env, CHANNELS) });
    },
    async starting() {
      if (!gateway) return;
      // Not before: while it opens, SIGTERM ends the process even if a migration keeps the event loop busy.
      stopOnSignal(life, gateway);
      stopOnCrash(life, gateway);
      serviceManager = createServiceManager(env, gateway.log);
      const prepared = config.mode === 'sandbox' ? await gateway.prepareSandbox() : undefined;
      await lowerHelperThreads();
      await gateway.start();
      const address = await gateway.listen({ host: hostToListenOn(config), port: config.port });
      serviceManager.ready();
      process.stdout.write(announce(config, address, prepared));
      collectGarbageOfStart();
    },
    async reloading() {
      gateway?.log.info({ event: 'reloading' });
      await gateway?.reload(loadConfig(env, CHANNELS));
    },
    async stopping() {
      serviceManager?.stopping();
      await gateway?.close();
      gateway?.log.info({ event: 'stopped' });
      endSoon();
    },
    failed(state, error) {
      const isProblem = error instanceof ConfigProblems;
      const reason = isProblem ? { problems: error.problems } : { err: error };
      if (state === 'reloading') {
        const text = isProblem
          ? 'The previous configuration stays in force'
          : 'Carriers may have changed in part';
        gateway?.log.error({ event: isProblem ? 'reloadRefused' : 'reloadFailed', ...reason, text });
      }
      if (state !== 'opening' && state !== 'starting') return;
      explain(error);
      process.exitCode = isProblem ? EXIT_CONFIGURATION : EXIT_FAILURE;
    },
    refused: (_event, state) => gateway?.log.warn({ event: 'reloadRefused', reason: state }),
    end: () => process.exit(EXIT_FAILURE),
  });
  // Before anything else: by default it ends the process.
  process.on('SIGHUP', () => life.take('reload'));
  await life.begin();
}

/**
 * For `localhost`, the framework would open a second listener on ::1, without our limits of connections and our answers to
 * broken requests.
 */
function hostToListenOn({ host }: Config): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** The first signal drains; a later one, from an operator who will not wait, ends the process. */
function stopOnSignal(life: Life, { log }: Gateway): void {
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const isAgain = askedAt !== undefined;
    if (askedAt !== undefined && performance.now() - askedAt <= SAME_KEYSTROKE_MS) return;
    askedAt ??= performance.now();
    if (!isAgain) log.info({ event: 'draining', signal });
    life.take(isAgain ? 'stopAgain' : 'stop');
  };
  // Never removed: without a listener, a second signal would end the process before it has drained.
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

/** An open connection, such as to a carrier that never answered, must not keep the process alive. */
function endSoon(): void {
  setTimeout(() => process.exit(), OPEN_CONNECTIONS_MS).unref();
}

/**
 * An error that nobody caught, or a promise that nobody handled, stops the process as SIGTERM does, but with a failure. A second
 * one ends it at once: the stop itself may be what fails. Without a listener Node would write every member of the error.
 */
function stopOnCrash(life: Life, { log }: Gateway): void {
  let isStopping = false;
  process.on('uncaughtException', (error: unknown, origin) => {
    log.fatal({ event: 'crashed', origin, err: error });
    process.exitCode = EXIT_FAILURE;
    life.take(isStopping ? 'stopAgain' : 'stop');
    isStopping = true;
  });
}

function explain(error: unknown): void {
  if (error instanceof ConfigProblems) {
    process.stderr.write(
      `bongsu: ${error.message}\n${error.problems.map(problem => `  ${problem}\n`).join('')}`,
    );
    return;
  }
  if (error instanceof DataDirectoryInUse) {
    process.stderr.write(`bongsu: ${error.message}\n  Stop the other one, or set BONGSU_DATA_DIR.\n`);
    return;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const hint = code === 'EADDRINUSE' ? '\n  Stop whatever listens there, or set BONGSU_PORT.' : '';
  process.stderr.write(`bongsu: cannot start: ${message}${hint}\n`);
}

function banner(config: Config, address: string, prepared: FirstStart | undefined): string {
  const store = config.secrets.databaseUrl ? 'PostgreSQL' : `SQLite in ${config.dataDir}`;
  const lines = [`Bongsu listens on ${address} (${config.mode}, ${store})`];
  if (prepared) {
    const { demoId, demoPassword, adminToken } = prepared;
    const prefix = config.headerPrefixes[0] ?? 'SVC';
    if (demoPassword) {
      lines.push('', `  demo account   ${demoId}`, `  password       ${demoPassword}    (shown only once)`);
    } else {
      lines.push(
        '',
        `  demo account   ${demoId}    (new password: npx bongsu account set-password ${demoId})`,
      );
    }
    const ends = prepared.consoleCodeExpiresAt.slice(11, 16);
    lines.push(`  console        ${address}/console/#code=${prepared.consoleCode}    (once, until ${ends})`);
    if (adminToken) lines.push(`  admin token    ${adminToken}    (shown only once)`);
    lines.push(
      '',
      'Get a token:',
      `  curl -X POST ${address}/v1/auth/token -H 'X-${prefix}-Client-Id: ${demoId}' -H 'X-${prefix}-Client-Passwd: ${demoPassword ?? '<password>'}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

if (import.meta.main) await serve(process.env);
