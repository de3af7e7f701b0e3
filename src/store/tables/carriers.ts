import { type CarrierStore, LONG_GONE_MS } from '../port/carrier-store.ts';
import { sql, type Tables } from './tables.ts';

const FORGET = 'DELETE FROM carrier_report WHERE node = :node OR told_at < :before';
// On PostgreSQL, a session of this node that was lost may be doing the same still.
const PUBLISH = `
  INSERT INTO carrier_report (node, carrier, report, told_at)
  SELECT :node, carrier, report, :now FROM unnest(:carriers::text[], :reports::text[]) AS given (carrier, report)
   WHERE true
  ON CONFLICT (node, carrier) DO UPDATE SET report = excluded.report, told_at = excluded.told_at`;
const REPORTS = 'SELECT * FROM carrier_report WHERE told_at >= :since ORDER BY carrier, node';
const PAUSE = `
  INSERT INTO carrier_pause (carrier, paused_at) VALUES (:carrier, :now) ON CONFLICT DO NOTHING`;
const RESUME = 'DELETE FROM carrier_pause WHERE carrier = :carrier';
const PAUSED = 'SELECT carrier FROM carrier_pause ORDER BY carrier';
const RECONNECT = `
  INSERT INTO carrier_reconnect (carrier, asked) VALUES (:carrier, 1)
  ON CONFLICT (carrier) DO UPDATE SET asked = carrier_reconnect.asked + 1`;
const RECONNECTS = 'SELECT carrier, asked FROM carrier_reconnect';

const turnOf = (carrier: string): string => `carrier ${carrier}`;

/** `published` is called in the transaction in which a node publishes. */
export function carrierTable(tables: Tables, published: (node: string) => void = () => {}): CarrierStore {
  return {
    publish: (node, given, now) =>
      tables.write(
        undefined,
        undefined,
        function* () {
          yield* sql(FORGET, { node, before: now - LONG_GONE_MS });
          const carriers = given.map(({ carrier }) => carrier);
          const reports = given.map(({ report }) => report);
          yield* sql(PUBLISH, { node, now, carriers, reports });
          published(node);
        },
        given.length,
      ),
    async reports(since) {
      return (await tables.read(undefined, REPORTS, { since })).map(row => ({
        node: String(row.node),
        carrier: String(row.carrier),
        report: String(row.report),
        publishedAt: Number(row.told_at),
      }));
    },
    async pause(carrier, now) {
      await tables.write(undefined, turnOf(carrier), () => sql(PAUSE, { carrier, now }));
    },
    async resume(carrier) {
      await tables.write(undefined, turnOf(carrier), () => sql(RESUME, { carrier }));
    },
    async reconnect(carrier) {
      await tables.write(undefined, turnOf(carrier), () => sql(RECONNECT, { carrier }));
    },
    async reconnects() {
      const rows = await tables.read(undefined, RECONNECTS);
      return new Map(rows.map(row => [String(row.carrier), Number(row.asked)]));
    },
    async paused() {
      return (await tables.read(undefined, PAUSED)).map(row => String(row.carrier));
    },
  };
}
