import { type CarrierStore, LONG_GONE_MS } from '../port/carrier-store.ts';
import type { Database, Row } from './database.ts';
import type { Living } from './living.ts';
import type { ServedNode } from './served-node.ts';

export function sqliteCarriers(db: Database, living: Living, served: ServedNode): CarrierStore {
  const forget = db.prepare('DELETE FROM carrier_report WHERE node = ? OR told_at < ?');
  const insert = db.prepare(
    'INSERT INTO carrier_report (node, carrier, report, told_at) VALUES (?, ?, ?, ?)',
  );
  const select = db.prepare('SELECT * FROM carrier_report WHERE told_at >= ? ORDER BY carrier, node');
  const pause = db.prepare(
    'INSERT INTO carrier_pause (carrier, paused_at) VALUES (?, ?) ON CONFLICT (carrier) DO NOTHING',
  );
  const resume = db.prepare('DELETE FROM carrier_pause WHERE carrier = ?');
  const reconnect = db.prepare(
    `INSERT INTO carrier_reconnect (carrier, asked) VALUES (?, 1)
     ON CONFLICT (carrier) DO UPDATE SET asked = asked + 1`,
  );
  const reconnects = db.prepare('SELECT carrier, asked FROM carrier_reconnect');
  const paused = db.prepare('SELECT carrier FROM carrier_pause ORDER BY carrier');

  return {
    publish: (node, reports, now) =>
      db.write(() => {
        forget.run(node, now - LONG_GONE_MS);
        for (const { carrier, report } of reports) insert.run(node, carrier, report, now);
        const self = living.list().find(each => each.node === node);
        if (self) served.tell(self);
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
    reconnect: carrier => db.write(() => void reconnect.run(carrier)),
    async reconnects() {
      const rows = reconnects.all() as Row[];
      return new Map(rows.map(row => [String(row.carrier), Number(row.asked)]));
    },
    async paused() {
      return (paused.all() as Row[]).map(row => String(row.carrier));
    },
  };
}
