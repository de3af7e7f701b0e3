/** Commands that work on the store directly, whether a server is running or not. */
import type { OperatorTools } from '../composition/operator-tools.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';

/** Opens the store of this configuration, lets `work` use it, and closes it whatever happens. */
export async function withOperator<T>(
  env: NodeJS.ProcessEnv,
  work: (operator: OperatorTools, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env, CHANNELS);
  const { openOperator } = await import('../composition/operator-tools.ts');
  const operator = await openOperator(config);
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
