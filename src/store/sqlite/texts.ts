import type { TextOrder } from '../port/upkeep-store.ts';
import type { Records } from '../records/records.ts';
import type { Tables } from '../tables/tables.ts';
import { removeTexts } from '../tables/texts.ts';
import type { Database } from './database.ts';

/** Requests that are looked at together, so that the writer is never held for long. */
const CHUNK = 100;
/** The log holds removed texts until it is written back, which a quiet gateway would do once a month. */
const TRUNCATE_MS = 3_600_000;

export function textRemover(
  db: Database,
  tables: Tables,
  records: Records,
): (order: TextOrder) => Promise<boolean> {
  let isLogClean = true;
  let truncatedAt = 0;
  return async order => {
    const { removed, isMore } = await tables.write(undefined, undefined, () =>
      removeTexts(records, order, CHUNK),
    );
    if (removed > 0) isLogClean = false;
    if (isMore || isLogClean || Math.abs(order.now - truncatedAt) < TRUNCATE_MS) return isMore;
    isLogClean = await db.truncateLog();
    truncatedAt = order.now;
    return false;
  };
}
