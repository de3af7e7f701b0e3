/** The store that the configuration names: the embedded one, or PostgreSQL. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';

/** `exclusive`: for the server, of which there may be one for a data directory. */
export async function openStore(
  config: Config,
  options: {
    readonly clock: Clock;
    readonly exclusive: boolean;
    readonly onCommit?: (tasks: number) => void;
    readonly onProgress?: (text: string) => void;
    readonly onNoRowSecurity?: (reason: string) => void;
  },
): Promise<Store> {
  const { clock, exclusive, onCommit, onProgress, onNoRowSecurity } = options;
  const { databaseUrl } = config.secrets;
  if (databaseUrl !== undefined) {
    // Loaded when it is used: the embedded engine needs no driver.
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    return openPostgresStore({
      url: databaseUrl.reveal(),
      timeoutMs: config.storeTimeoutMs,
      rowSecurity: config.rowSecurity,
      now: () => clock.now(),
      ...(onCommit && { onCommit }),
      ...(onProgress && { onProgress }),
      ...(onNoRowSecurity && { onNoRowSecurity }),
    });
  }
  return openSqliteStore({
    dataDir: config.dataDir,
    exclusive,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    ...(onCommit && { onCommit }),
  });
}
