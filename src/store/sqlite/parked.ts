/** Receipts that are parked: those whose reference is known by now, and those for a recipient. */
import { parseAttemptId } from '../../domain/ids.ts';
import { LONGEST_LOOK_MS, SHORTEST_LOOK_MS } from '../parked.ts';
import type { QueueStore } from '../port/queue-store.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export function parkedReaderOf(
  db: Database,
  { parkedReceiptOf, tails: storedTails, unreadable }: Records,
): Pick<QueueStore, 'matchedParked' | 'parkedFor'> {
  const hasTurn = db.prepare('SELECT EXISTS (SELECT 1 FROM parked_receipt WHERE look_at <= ?) AS found');
  const selectTurn = db.prepare('SELECT * FROM parked_receipt WHERE look_at <= ? ORDER BY look_at LIMIT ?');
  const lookLater = db.prepare('UPDATE parked_receipt SET look_at = ? WHERE id = ?');
  const isKnown = db.prepare('SELECT 1 FROM carrier_ref WHERE carrier = ? AND ref = ? LIMIT 1');
  const selectFor = db.prepare(
    'SELECT * FROM parked_receipt WHERE carrier = ? AND recipient_tail = ? AND received_at < ? ORDER BY id',
  );
  return {
    async matchedParked(now, limit, receiptsOf) {
      if ((hasTurn.get(now) as Row).found !== 1) return [];
      const rows = await db.write(() => {
        const turn = selectTurn.all(now, limit) as Row[];
        for (const { id, ref, received_at } of turn) {
          const delayMs = Math.round((now - Number(received_at)) / 2);
          const lookAt = now + Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, delayMs));
          lookLater.run(isOurs(ref) ? now : lookAt, id ?? null);
        }
        return turn.filter(({ carrier, ref }) => {
          if (isOurs(ref)) return true;
          const others = receiptsOf?.get(String(carrier)) ?? [];
          return [String(carrier), ...others].some(name => isKnown.get(name, ref ?? null) !== undefined);
        });
      });
      const sorted = rows.toSorted((a, b) => Number(a.id) - Number(b.id));
      return unreadable.each('parked_receipt', sorted, parkedReceiptOf);
    },
    async parkedFor(carrier, tails, before) {
      const rows = storedTails(tails).flatMap(tail => selectFor.all(carrier, tail, before) as Row[]);
      return unreadable.each('parked_receipt', rows, parkedReceiptOf);
    },
  };
}

/** Whether a receipt names our own attempt. It waits for a message that could not be read, and is always due. */
function isOurs(ref: unknown): boolean {
  return parseAttemptId(String(ref)) !== undefined;
}
