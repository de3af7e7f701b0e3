import { type CarrierStore, LONG_GONE_MS } from '../port/carrier-store.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';

const rowOf = (carrier: string): string => `carrier ${carrier}`;

export function postgresCarriers(db: Database): CarrierStore {
  return {
    async publish(node, reports, now) {
      await db.transaction(async tx => {
        await tx.query('DELETE FROM carrier_report WHERE node = $1 OR told_at < $2', [
          node,
          now - LONG_GONE_MS,
        ]);
        // A session of this node that was lost may be doing the same still.
        await tx.query(
          `INSERT INTO carrier_report (node, carrier, report, told_at)
           SELECT :node, *, :now FROM unnest(:carriers::text[], :reports::text[])
           ON CONFLICT (node, carrier) DO UPDATE SET report = excluded.report, told_at = excluded.told_at`,
          {
            node,
            carriers: reports.map(({ carrier }) => carrier),
            reports: reports.map(({ report }) => report),
            now,
          },
        );
      });
    },
    async reports(since) {
      const rows = await db.query('SELECT * FROM carrier_report WHERE told_at >= $1 ORDER BY carrier, node', [
        since,
      ]);
      return rows.map(row => ({
        node: String(row.node),
        carrier: String(row.carrier),
        report: String(row.report),
        publishedAt: Number(row.told_at),
      }));
    },
    async pause(carrier, now) {
      await lockingBriefly(db, db, rowOf(carrier), tx =>
        tx.query('INSERT INTO carrier_pause (carrier, paused_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          carrier,
          now,
        ]),
      );
    },
    async resume(carrier) {
      await lockingBriefly(db, db, rowOf(carrier), tx =>
        tx.query('DELETE FROM carrier_pause WHERE carrier = $1', [carrier]),
      );
    },
    async reconnect(carrier) {
      await lockingBriefly(db, db, rowOf(carrier), tx =>
        tx.query(
          `INSERT INTO carrier_reconnect (carrier, asked) VALUES ($1, 1)
         ON CONFLICT (carrier) DO UPDATE SET asked = carrier_reconnect.asked + 1`,
          [carrier],
        ),
      );
    },
    async reconnects() {
      const rows = await db.query('SELECT carrier, asked FROM carrier_reconnect');
      return new Map(rows.map(row => [String(row.carrier), Number(row.asked)]));
    },
    async paused() {
      return (await db.query('SELECT carrier FROM carrier_pause ORDER BY carrier')).map(row =>
        String(row.carrier),
      );
    },
  };
}
