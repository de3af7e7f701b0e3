import type { SetAside } from '../port/queue-store.ts';
import { UNREADABLE } from '../unreadable.ts';
import type { AnyRow } from './columns.ts';
import type { Records } from './records.ts';

export function setAsideOf(row: AnyRow, { setAsideReason, setAsideEvent, unreadable }: Records): SetAside {
  const shown = (read: () => string) => unreadable.value('set_aside', row, read, UNREADABLE);
  return {
    at: Number(row.at),
    reason: shown(() => setAsideReason.read(row.reason, row)),
    event: shown(() => setAsideEvent.read(row.event, row)),
  };
}
