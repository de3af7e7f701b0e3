/** Commands that work on the store directly, whether a server is running or not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperatorTools } from '../composition/operator-tools.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';

type Work<T> = (operator: OperatorTools, config: Config) => Promise<T>;

/** Opens the store of this configuration, lets `work` use it, and closes it whatever happens. There must be one. */
export function withOperator<T>(env: NodeJS.ProcessEnv, work: Work<T>): Promise<T> {
  return withStore(env, true, work);
}

/** The same, and the store is made if there is none: for what may be the first command of an installation. */
export function withNewStore<T>(env: NodeJS.ProcessEnv, work: Work<T>): Promise<T> {
  return withStore(env, false, work);
}

/** For what is in bongsu.yaml: without a database an empty one stands in, and is gone afterwards. */
export async function withConfigured<T>(env: NodeJS.ProcessEnv, work: Work<T>): Promise<T> {
  try {
    return await withOperator(env, work);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'NO_DATABASE') throw error;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-'));
  try {
    return await withNewStore({ ...env, BONGSU_DATABASE_URL: '', BONGSU_DATA_DIR: dataDir }, work);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function withStore<T>(env: NodeJS.ProcessEnv, mustExist: boolean, work: Work<T>): Promise<T> {
  const config = loadConfig(env, CHANNELS);
  const { openOperator } = await import('../composition/operator-tools.ts');
  const operator = await openOperator(config, mustExist);
  try {
    return await work(operator, config);
  } finally {
    await operator.close();
  }
}

/** Names the store, so that an empty answer says where was looked. */
export function describeStore(config: Config): string {
  return config.secrets.databaseUrl ? 'the PostgreSQL database' : config.dataDir;
}
