/** Work on the store itself, beside a running server or without one. */

import type { Carriers, Operator, Registry, Webhooks } from '../composition/operator-tools.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';

/** Opens the store of this configuration, lets `work` use it, and closes it whatever happens. */
export async function withOperator<T>(
  env: NodeJS.ProcessEnv,
  work: (operator: Operator, config: Config, registry: Registry, webhooks: Webhooks) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env, CHANNELS);
  const { openOperator } = await import('../composition/operator-tools.ts');
  const { operator, registry, webhooks, close } = await openOperator(config);
  try {
    return await work(operator, config, registry, webhooks);
  } finally {
    await close();
  }
}

/** The same, for commands about carriers and routes. */
export async function withCarriers<T>(
  env: NodeJS.ProcessEnv,
  work: (carriers: Carriers) => Promise<T>,
): Promise<T> {
  const { openOperator } = await import('../composition/operator-tools.ts');
  const { carriers, close } = await openOperator(loadConfig(env, CHANNELS));
  try {
    return await work(carriers);
  } finally {
    await close();
  }
}

/** Where the answer comes from, for an answer that is empty. */
export function describeStore(config: Config): string {
  return config.secrets.databaseUrl ? 'the PostgreSQL database' : config.dataDir;
}
