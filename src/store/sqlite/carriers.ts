import { type CarrierStore, LONG_GONE_MS } from '../port/carrier-store.ts';
import type { Database, Row } from './database.ts';

export function sqliteCarriers(db: Database): CarrierStore {
  const forget = db.prepare('DELETE FROM carrier_report WHERE node = ? OR told_at < ?');
  const insert = db.prepare(
    'INSERT INTO carrier_report (node, carrier, report, told_at) VALUES (?, ?, ?, ?)',
  );
  const select = db.prepare('SELECT * FROM carrier_report WHERE told_at >= ? ORDER BY carrier, node');
  const pause = db.prepare(
    'INSERT INTO carrier_pause (carrier, paused_at) VALUES (?, ?) ON CONFLICT (carrier) DO NOTHING',
  );
  const resume = db.prepare('DELETE FROM carrier_pause WHERE carrier = ?');
  const paused = db.prepare('SELECT carrier FROM carrier_pause ORDER BY carrier');

  return {
    publish: (node, reports, now) =>
      db.write(() => {
        forget.run(node, now - LONG_GONE_MS);
        for (const { carrier, report } of reports) insert.run(node, carrier, report, now);
      }),
    async reports(since) {
      return (select.all(since) as Row[]).map(row => ({
        node: String(row.node),
        carrier: String(row.carrier),
        report: String(row.report),
        publishedAt: Number(row.told_at),
      }));
    },
    pause: (carrier, now) => db.write(() => void pause.run(carrier, now)),
    resume: carrier => db.write(() => void resume.run(carrier)),
    async paused() {
      return (paused.all() as Row[]).map(row => String(row.carrier));
    },
  };
}
