import type { UpkeepStore } from '../port/upkeep-store.ts';
import type { Database, Row } from './database.ts';

/** Findings that are told of a damaged file; there may be millions. */
const MOST_DAMAGES = 20;

/** The file has pages without checksums: damage is found by reading all of it. */
export function sqliteExamination(db: Database): UpkeepStore['examine'] {
  const size = db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
  return async depth => {
    const rows = depth === 'thorough' ? db.prepare(`PRAGMA quick_check(${MOST_DAMAGES})`).all() : [];
    const damages = (rows as Row[]).map(row => String(row.quick_check)).filter(text => text !== 'ok');
    const { bytes } = size.get() as Row;
    return { damages, hasChecksums: undefined, bytes: Number(bytes) };
  };
}
