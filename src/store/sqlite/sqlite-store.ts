/** The embedded engine: one file in the data directory, nothing to install, every commit on disk. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, makePrivateFile } from '../../platform/private-files.ts';
import type { Vault } from '../../platform/vault.ts';
import type { LiveNode } from '../port/node-store.ts';
import { recordsIn } from '../records/records.ts';
import type { Store } from '../store.ts';
import { auditTable } from '../tables/audit.ts';
import { carrierTable } from '../tables/carriers.ts';
import { fileTable } from '../tables/files.ts';
import { formTable } from '../tables/forms.ts';
import { inboundTable } from '../tables/inbound.ts';
import { operatorTokenTable } from '../tables/operator-tokens.ts';
import { optOutTable } from '../tables/opt-outs.ts';
import { recentSendTable } from '../tables/recent-sends.ts';
import { registryTable, templateTable } from '../tables/registry.ts';
import { resendTable } from '../tables/resends.ts';
import { reservationTable } from '../tables/reservations.ts';
import { sessionTable } from '../tables/sessions.ts';
import { statisticTable } from '../tables/statistics.ts';
import { type UnreadableRow, UnreadableRows } from '../unreadable.ts';
import { sqliteAccounts } from './accounts.ts';
import { ageWalk } from './age-walk.ts';
import { Checkpointer } from './checkpointer.ts';
import { sqliteCluster } from './cluster.ts';
import { sqliteDataKeys } from './data-keys.ts';
import { Database } from './database.ts';
import { JobCounts } from './job-counts.ts';
import { liveStepsInHand } from './live-steps.ts';
import { Living } from './living.ts';
import { isLocked, lockDataDirectory } from './lock.ts';
import { sqliteMessages } from './messages.ts';
import { sqliteNodes } from './nodes.ts';
import { sqlitePrivacy } from './privacy.ts';
import { sqliteQueue } from './queue.ts';
import { sqliteReports } from './reports.ts';
import { sqliteReleases } from './reservation-releases.ts';
import { sqliteRollups } from './rollups.ts';
import { sqliteSearch } from './search.ts';
import { ServedNode } from './served-node.ts';
import { sqliteSettle } from './settle.ts';
import { sqliteTables } from './tables.ts';
import { sqliteTokens } from './tokens.ts';
import { sqliteUpkeep } from './upkeep.ts';
import { sqliteWebhooks } from './webhooks.ts';
import { sqliteWriteProbe } from './write-probe.ts';

/** In the data directory. */
export const DATABASE_FILE = 'bongsu.db';
export const LOCK_FILE = 'bongsu.lock';
/** Of one transaction. */
const SWEPT_AUDIT_ENTRIES = 500;
const PROBE = 'write-probe';
const PROBE_BYTES = 256 * 1024;

export interface SqliteOptions {
  readonly dataDir: string;
  /** A server takes the directory for itself; the CLI works beside it. */
  readonly exclusive: boolean;
  readonly now: () => number;
  /** Leases are measured by it. */
  readonly monotonic?: () => number;
  readonly onCommit?: (tasks: number) => void;
  /** Whether another thread has a send for this one; without it there is none. */
  readonly isAskedFor?: () => boolean;
  /** Writes the log back in a thread of its own; told what goes wrong with that. */
  readonly onCheckpointTrouble?: ((error: unknown) => void) | undefined;
  /** Called with what a migration does, for operators who watch a slow start. */
  readonly onProgress?: (text: string) => void;
  /** Seals numbers, texts and variables; without it they are stored as they are. */
  readonly vault?: Vault | undefined;
  /** Told of rows that cannot be read and are set aside. */
  readonly onUnreadable?: (row: UnreadableRow) => void;
}

export function openSqliteStore(options: SqliteOptions): Store {
  const { dataDir, exclusive, now, monotonic = () => performance.now(), onCommit, vault } = options;
  const { onCheckpointTrouble: onTrouble } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const [lockFile, file] = [join(dataDir, LOCK_FILE), join(dataDir, DATABASE_FILE)];
  if (exclusive) makePrivateFile(lockFile);
  const lock = exclusive ? lockDataDirectory(lockFile) : undefined;
  makePrivateFile(file);
  // An older version left these readable; SQLite takes them as it finds them.
  for (const beside of ['-wal', '-shm']) keepPrivate(file + beside);
  const checkpointer = onTrouble && new Checkpointer(file, { onTrouble });
  const db = new Database(file, onCommit ?? (() => {}), { ...options, checkpointer });
  const served = new ServedNode(db);
  const elsewhere = () => (!exclusive && isLocked(lockFile) ? served.read() : []);
  const store = sqliteStoreOn(db, now, monotonic, vault, options.onUnreadable, elsewhere);
  // Where that fails, the node that was here is shown until the next one tells of itself.
  if (exclusive) served.forget().catch(() => {});
  return {
    ...store,
    async close() {
      await checkpointer?.close();
      await store.close();
      lock?.release();
    },
  };
}

/** The store on a database that is open already. */
export function sqliteStoreOn(
  db: Database,
  now: () => number,
  monotonic: () => number,
  vault?: Vault,
  onUnreadable?: (row: UnreadableRow) => void,
  elsewhere?: () => readonly LiveNode[],
): Store {
  const records = recordsIn(vault, new UnreadableRows(onUnreadable));
  const tables = sqliteTables(db);
  const sweepAudit = ageWalk(db, { table: 'audit', id: 'id', at: 'at' });
  const counts = new JobCounts(db);
  const steps = liveStepsInHand(db, records);
  const settle = sqliteSettle(db, records, steps, counts, now);
  const messages = sqliteMessages(db, tables, records, steps, counts);
  const living = new Living(monotonic, elsewhere);
  const others = new ServedNode(db);
  const probe = db.prepare('SELECT 1 FROM account LIMIT 1');
  const keep = db.prepare('INSERT OR REPLACE INTO remembered (name, value) VALUES (?, ?)');
  const drop = db.prepare('DELETE FROM remembered WHERE name = ?');
  return {
    accounts: sqliteAccounts(db, records),
    tokens: sqliteTokens(db),
    messages,
    recentSends: recentSendTable(tables, records),
    queue: sqliteQueue(db, records, steps, counts, settle, now),
    reports: sqliteReports(db),
    inbound: inboundTable(tables, records),
    registry: registryTable(tables, records),
    templates: templateTable(tables, records),
    forms: formTable(tables, records),
    optOuts: optOutTable(tables, records),
    reservations: reservationTable(
      tables,
      records,
      sqliteReleases(db, records, messages.acceptInTransaction),
    ),
    files: fileTable(tables),
    blobs: undefined,
    carriers: carrierTable(tables, node => {
      const self = living.list().find(each => each.node === node);
      if (self) others.tell(self);
    }),
    webhooks: sqliteWebhooks(db, records, tables, living),
    nodes: sqliteNodes(db, steps, counts, living),
    cluster: sqliteCluster(living, monotonic),
    upkeep: sqliteUpkeep(db, tables, records),
    privacy: sqlitePrivacy(db, records),
    search: sqliteSearch(db, tables, records, now),
    resends: resendTable(tables),
    operatorTokens: operatorTokenTable(tables),
    sessions: sessionTable(tables),
    audit: auditTable(tables, records, before => db.write(() => sweepAudit(before, SWEPT_AUDIT_ENTRIES))),
    statistics: statisticTable(tables),
    rollups: sqliteRollups(db, records),
    dataKeys: sqliteDataKeys(db, records, vault),
    async ping() {
      probe.get();
      // After a failed write only a write can show that all is well again, and not a small one: that may still
      // fit where a message does not.
      if (!db.hasTroubleWriting) return;
      await db.write(() => keep.run(PROBE, 'x'.repeat(PROBE_BYTES)));
      await db.write(() => drop.run(PROBE));
    },
    probeWrite: sqliteWriteProbe(db),
    async durability() {
      return { settings: db.durability(), standbys: 0, risks: [] };
    },
    async close() {
      db.close();
    },
  };
}
