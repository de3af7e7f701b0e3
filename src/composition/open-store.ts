/** The store that the configuration names: the embedded one, or PostgreSQL. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Vault } from '../platform/vault.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { assertDataKeys, claimDataKey, vaultOf } from './data-keys.ts';

/** `exclusive`: for the server, of which there may be one for a data directory. */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<Store> {
  const vault = vaultOf(config);
  const store = await openEngine(config, vault, options);
  try {
    await assertDataKeys(store);
    if (!options.isOnlyRead) await claimDataKey(store, options.clock.now());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface OpenStoreOptions {
  readonly clock: Clock;
  readonly exclusive: boolean;
  /** Nothing is sealed, so the key need not be known as one that is in use. */
  readonly isOnlyRead?: boolean;
  readonly onCommit?: (tasks: number) => void;
  readonly onProgress?: (text: string) => void;
  readonly onNoRowSecurity?: (reason: string) => void;
}

async function openEngine(
  config: Config,
  vault: Vault | undefined,
  { clock, exclusive, onCommit, onProgress, onNoRowSecurity }: OpenStoreOptions,
): Promise<Store> {
  const { databaseUrl } = config.secrets;
  if (databaseUrl !== undefined) {
    // Loaded when it is used: the embedded engine needs no driver.
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    return openPostgresStore({
      url: databaseUrl.reveal(),
      timeoutMs: config.storeTimeoutMs,
      rowSecurity: config.rowSecurity,
      vault,
      now: () => clock.now(),
      ...(onCommit && { onCommit }),
      ...(onProgress && { onProgress }),
      ...(onNoRowSecurity && { onNoRowSecurity }),
    });
  }
  return openSqliteStore({
    dataDir: config.dataDir,
    exclusive,
    vault,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    ...(onCommit && { onCommit }),
  });
}
