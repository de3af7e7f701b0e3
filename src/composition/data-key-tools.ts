/** What the commands about data keys need of the gateway. */
import type { Config } from '../config/config.ts';
import { createAudit } from '../operate/audit.ts';
import { createDataKeys, type DataKeyStatus, type DataKeys } from '../operate/data-keys.ts';
import { systemClock } from '../platform/clock.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { openStore } from './open-store.ts';
import { commandAuthor } from './system-user.ts';

export { DataDirectoryInUse } from './data-directory.ts';
export type { DataKeyStatus, DataKeys };

export interface DataKeyTools {
  readonly dataKeys: DataKeys;
  close(): Promise<void>;
}

/** For `reseal` SQLite is rewritten, so no gateway may serve the data directory. PostgreSQL has no such rule. */
export async function openDataKeys(
  config: Config,
  access: 'read' | 'relax' | 'reseal',
  author = commandAuthor(),
): Promise<DataKeyTools> {
  const isReseal = access === 'reseal';
  const how = { exclusive: isReseal, isOnlyRead: !isReseal, mustExist: true };
  const store = await openStore(config, { clock: systemClock, ...how });
  const formatTime = zonedTimeFormatter(config.timeZone);
  const record = createAudit({ store, clock: systemClock, formatTime }).recordBy(author);
  return { dataKeys: createDataKeys({ store, clock: systemClock, record }), close: () => store.close() };
}
