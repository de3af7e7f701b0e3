/** The store that the configuration names: the embedded one, or PostgreSQL. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { Vault } from '../platform/vault.ts';
import { DATABASE_FILE, openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Durability, Store } from '../store/store.ts';
import type { UnreadableRow } from '../store/unreadable.ts';
import { assertDataKeys, claimDataKey, vaultOf } from './data-keys.ts';

/** Whoever only looks must not make an empty database where there is none, and find nothing in it. */
class NoDatabase extends Error {
  override name = 'NoDatabase';
  readonly code = 'NO_DATABASE';

  constructor(where: string) {
    super(
      `there is no database ${where}\n  "bongsu serve" and "bongsu account create" create one; set BONGSU_DATA_DIR or BONGSU_DATABASE_URL to use another.`,
    );
  }
}

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
  /** PostgreSQL, before anything goes by the clock: gives it the time of the server. */
  readonly synchronize?: ClusterClock['synchronize'];
  readonly exclusive: boolean;
  /** Fails with `NoDatabase` where there is none. */
  readonly mustExist?: boolean;
  /** Nothing is encrypted, so the key need not be known as one that is in use. */
  readonly isOnlyRead?: boolean;
  readonly onCommit?: (tasks: number) => void;
  /** Whether another thread has a send for this one. */
  readonly isAskedFor?: () => boolean;
  /** SQLite, with a thread that writes its log back: that one could not. */
  readonly onCheckpointTrouble?: ((error: unknown) => void) | undefined;
  readonly onProgress?: (text: string) => void;
  /** For tests: what the clock of PostgreSQL says. */
  readonly databaseTime?: (() => number) | undefined;
  readonly onUnreadable?: (row: UnreadableRow) => void;
  readonly onNoRowSecurity?: (reason: string) => void;
  /** PostgreSQL, before anything is written there; may throw. */
  readonly onDurability?: (found: Durability) => void;
}

async function openEngine(
  config: Config,
  vault: Vault | undefined,
  options: OpenStoreOptions,
): Promise<Store> {
  const {
    clock,
    exclusive,
    mustExist = false,
    onCommit,
    onProgress,
    onNoRowSecurity,
    isAskedFor,
    onUnreadable,
  } = options;
  const onDurability =
    options.onDurability ?? (config.databaseDurability === 'relaxed' ? () => {} : undefined);
  const { databaseUrl } = config.secrets;
  if (databaseUrl !== undefined) {
    // Loaded when it is used: the embedded engine needs no driver.
    const { openPostgresStore, isPostgresStore } = await import('../store/postgres/postgres-store.ts');
    if (mustExist && !(await isPostgresStore(databaseUrl.reveal(), config.storeTimeoutMs))) {
      throw new NoDatabase('of Bongsu at BONGSU_DATABASE_URL: its tables are not there');
    }
    return openPostgresStore({
      url: databaseUrl.reveal(),
      timeoutMs: config.storeTimeoutMs,
      rowSecurity: config.rowSecurity,
      vault,
      now: () => clock.now(),
      ...(options.synchronize && { synchronize: options.synchronize }),
      serverTime: options.databaseTime,
      ...(onCommit && { onCommit }),
      ...(onProgress && { onProgress }),
      ...(onUnreadable && { onUnreadable }),
      ...(onNoRowSecurity && { onNoRowSecurity }),
      ...(onDurability && { onDurability }),
    });
  }
  const file = resolve(join(config.dataDir, DATABASE_FILE));
  if (mustExist && !existsSync(file)) throw new NoDatabase(`at ${file}`);
  return openSqliteStore({
    dataDir: config.dataDir,
    exclusive,
    vault,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    ...(isAskedFor && { isAskedFor }),
    onCheckpointTrouble: options.onCheckpointTrouble,
    ...(onUnreadable && { onUnreadable }),
    ...(onCommit && { onCommit }),
    ...(onProgress && { onProgress }),
  });
}
