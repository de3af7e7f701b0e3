/**
 * Where a command of an operator works: with `--url` on that gateway, by its operator API; without it on the store of this
 * machine, whether a server is running or not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { OperatorTools } from '../composition/operator-tools.ts';
import { type Config, ConfigProblems, loadConfig, readSetting } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { parseUrl, warnInClear } from './credentials.ts';
import { Failure } from './failure.ts';
import { localTools } from './local-tools.ts';
import { type OperatorClient, operatorClient } from './operator-call.ts';
import { describeCommand, type OutputOptions } from './output.ts';
import { remoteTools } from './remote-tools.ts';
import { readStandardInput } from './standard-input.ts';
import type { CommandTools } from './tools.ts';

export interface PlaceOptions extends OutputOptions {
  readonly url?: string;
  readonly tokenStdin?: boolean;
}

type Work<T> = (tools: CommandTools) => Promise<T>;
type StoreWork<T> = (operator: OperatorTools, config: Config) => Promise<T>;

/** `describeCommand`, for a command that works on either. */
export function operatorCommand(command: Command, summary: string, examples: readonly string[]): Command {
  const { env } = SETTINGS.adminToken;
  return describeCommand(command, summary, examples)
    .option('--url <url>', 'work on this gateway over HTTP, not on the store of this machine', parseUrl)
    .option('--token-stdin', `with --url: read the token of an operator from standard input (or ${env})`);
}

/** Lets `work` use the gateway or the store, and closes it whatever happens. There must be one. */
export function withTools<T>(env: NodeJS.ProcessEnv, options: PlaceOptions, work: Work<T>): Promise<T> {
  return at(env, options, work, local => withOperator(env, local));
}

/** The same, and the store is made if there is none: for what may be the first command of an installation. */
export function withNewTools<T>(env: NodeJS.ProcessEnv, options: PlaceOptions, work: Work<T>): Promise<T> {
  return at(env, options, work, local => withNewStore(env, local));
}

/** For what is in bongsu.yaml: without a database an empty one stands in, and is gone afterwards. */
export function withConfigured<T>(env: NodeJS.ProcessEnv, options: PlaceOptions, work: Work<T>): Promise<T> {
  return at(env, options, work, async local => {
    try {
      return await withOperator(env, local);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'NO_DATABASE') throw error;
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-'));
    try {
      return await withNewStore({ ...env, BONGSU_DATABASE_URL: '', BONGSU_DATA_DIR: dataDir }, local);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}

async function at<T>(
  env: NodeJS.ProcessEnv,
  options: PlaceOptions,
  work: Work<T>,
  onStore: (local: StoreWork<T>) => Promise<T>,
): Promise<T> {
  if (options.url === undefined) {
    assertNoToken(options);
    return onStore((operator, config) => work(localTools(operator, config)));
  }
  return work(remoteTools(await clientAt(options.url, options, env)));
}

/** For work that takes the store for itself: the gateway that `--url` names, or undefined. */
export async function gatewayOf(
  env: NodeJS.ProcessEnv,
  options: PlaceOptions,
): Promise<OperatorClient | undefined> {
  if (options.url !== undefined) return clientAt(options.url, options, env);
  assertNoToken(options);
  return undefined;
}

async function clientAt(
  given: string,
  options: PlaceOptions,
  env: NodeJS.ProcessEnv,
): Promise<OperatorClient> {
  const url = given.replace(/\/+$/, '');
  return operatorClient(url, await tokenFor(url, options, env));
}

function assertNoToken({ tokenStdin }: PlaceOptions): void {
  if (tokenStdin) throw new ConfigProblems(['--token-stdin is for --url: a store needs no token']);
}

async function tokenFor(url: string, options: PlaceOptions, env: NodeJS.ProcessEnv): Promise<string> {
  const problems: string[] = [];
  const token = options.tokenStdin
    ? SETTINGS.adminToken.parse(await readStandardInput())?.reveal()
    : readSetting(SETTINGS.adminToken, env, problems)?.reveal();
  if (token === undefined && problems.length === 0) {
    problems.push(`no token: set ${SETTINGS.adminToken.env}, or use --token-stdin`);
  }
  if (token === undefined) throw new ConfigProblems(problems);
  warnInClear(url);
  return token;
}

/** Opens the store of this configuration, lets `work` use it, and closes it whatever happens. There must be one. */
function withOperator<T>(env: NodeJS.ProcessEnv, work: StoreWork<T>): Promise<T> {
  return withStore(env, true, work);
}

function withNewStore<T>(env: NodeJS.ProcessEnv, work: StoreWork<T>): Promise<T> {
  return withStore(env, false, work);
}

async function withStore<T>(env: NodeJS.ProcessEnv, mustExist: boolean, work: StoreWork<T>): Promise<T> {
  const config = loadConfig(env, CHANNELS, { mayLackSecrets: true });
  const { openOperator, StoreFault } = await import('../composition/operator-tools.ts');
  try {
    const operator = await openOperator(config, mustExist);
    try {
      return await work(operator, config);
    } finally {
      await operator.close();
    }
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    throw new Failure(
      `${error.message}\n  A running gateway says what it knows: bongsu doctor --url, bongsu status --url`,
    );
  }
}
