/** The engine for many nodes: one PostgreSQL, which every node reaches, and every commit on its disk. */
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/vault.ts';
import { recordsIn } from '../records/records.ts';
import type { Durability, Store } from '../store.ts';
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
import { postgresAccounts } from './accounts.ts';
import { ageWalk } from './age-walk.ts';
import { postgresBlobs } from './blobs.ts';
import { postgresCluster } from './cluster.ts';
import { postgresDataKeys } from './data-keys.ts';
import { Database } from './database.ts';
import { postgresDurability } from './durability.ts';
import { Grouping } from './grouping.ts';
import { Contents } from './live-steps.ts';
import { postgresMessages } from './messages.ts';
import { migrate } from './migrate.ts';
import { postgresNodes } from './nodes.ts';
import { createPartitions } from './partitions.ts';
import { postgresPrivacy } from './privacy.ts';
import { postgresQueue } from './queue.ts';
import { QueueHeads } from './queue-heads.ts';
import { postgresReports } from './reports.ts';
import { postgresReleases } from './reservation-releases.ts';
import { postgresRollups } from './rollups.ts';
import { type RowSecurity, raiseWall } from './row-security.ts';
import { postgresSearch } from './search.ts';
import { postgresTables } from './tables.ts';
import { postgresTokens } from './tokens.ts';
import { postgresUpkeep } from './upkeep.ts';
import { postgresWebhooks } from './webhooks.ts';
import { postgresWriteProbe } from './write-probe.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly now: () => number;
  /** How long a request may wait for the store; a call of the store takes less. */
  readonly timeoutMs?: number;
  /** What that is measured by. */
  readonly clock?: Clock;
  readonly onCommit?: (tasks: number) => void;
  /** Called before anything goes by `now`, with what reads the clock of the server. */
  readonly synchronize?: (time: () => Promise<number>) => Promise<void>;
  /** For tests: what the clock of the server says. */
  readonly serverTime?: (() => number) | undefined;
  /** Called with what a migration does, for operators who watch a slow start. */
  readonly onProgress?: (text: string) => void;
  /** Called before anything is written; it throws to refuse such a server. */
  readonly onDurability?: (found: Durability) => void;
  /** The second wall between accounts; `auto` uses it where the login may. */
  readonly rowSecurity?: RowSecurity;
  /** Called with the reason when `auto` goes without. */
  readonly onNoRowSecurity?: (reason: string) => void;
  /** Seals numbers, texts and variables; without it they are stored as they are. */
  readonly vault?: Vault | undefined;
  /** Told of rows that cannot be read and are set aside. */
  readonly onUnreadable?: (row: UnreadableRow) => void;
}

/** Of one statement. */
const SWEPT_AUDIT_ENTRIES = 1000;
const DEFAULT_TIMEOUT_MS = 10_000;
/** Of the time that a request has for the store. The rest is for finding out what became of a call in doubt. */
const CALL_SHARE = 0.65;

/** Whether this database was used before. */
export async function isPostgresStore(url: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<boolean> {
  const db = new Database({ url, timeoutMs: timeoutMs * CALL_SHARE, clock: systemClock });
  try {
    const [row] = await db.query("SELECT to_regclass('schema_version') IS NOT NULL AS is_there");
    return row?.is_there === true;
  } finally {
    await db.close();
  }
}

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const {
    url,
    now,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    clock = systemClock,
    onCommit,
    rowSecurity = 'auto',
  } = options;
  const db = new Database({ url, timeoutMs: timeoutMs * CALL_SHARE, clock });
  try {
    (options.onDurability ?? assertCommits)(await postgresDurability(db));
    const time = async () => {
      const [row] = await db.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time');
      return options.serverTime?.() ?? Number(row?.time);
    };
    await options.synchronize?.(time);
    await migrate({ db, clock, onProgress: options.onProgress ?? (() => {}) });
    await createPartitions(db, now());
    const whyNoWall = rowSecurity === 'off' ? undefined : await raiseWall(db);
    if (whyNoWall !== undefined) {
      if (rowSecurity === 'on') throw new Error(`no row security: ${whyNoWall}`);
      options.onNoRowSecurity?.(whyNoWall);
    }
    const records = recordsIn(options.vault, new UnreadableRows(options.onUnreadable));
    const tables = postgresTables(db);
    const sweepAudit = ageWalk(db, { table: 'audit', id: 'id', at: 'at' });
    const grouping = new Grouping(db, onCommit ?? (() => {}));
    const contents = new Contents();
    const queueHeads = new QueueHeads(db.clock);
    return {
      accounts: await postgresAccounts(db, records),
      tokens: postgresTokens(db, grouping),
      messages: postgresMessages(db, tables, records, grouping, contents),
      recentSends: recentSendTable(tables, records),
      queue: postgresQueue(db, records, grouping, contents, queueHeads, now),
      reports: postgresReports(db),
      inbound: inboundTable(tables, records),
      registry: registryTable(tables, records),
      templates: templateTable(tables, records),
      forms: formTable(tables, records),
      optOuts: optOutTable(tables, records),
      reservations: reservationTable(tables, records, postgresReleases(db, records, grouping)),
      files: fileTable(tables),
      blobs: postgresBlobs(db),
      carriers: carrierTable(tables),
      webhooks: postgresWebhooks(db, records, tables, grouping),
      nodes: postgresNodes(db, time, queueHeads),
      cluster: postgresCluster(db, options.vault),
      upkeep: postgresUpkeep(db, tables, records),
      privacy: postgresPrivacy(db, records),
      search: postgresSearch(db, tables, records, now),
      resends: resendTable(tables),
      operatorTokens: operatorTokenTable(tables),
      sessions: sessionTable(tables),
      audit: auditTable(tables, records, before => sweepAudit(before, SWEPT_AUDIT_ENTRIES)),
      statistics: statisticTable(tables),
      rollups: postgresRollups(db, records),
      dataKeys: postgresDataKeys(db, records, options.vault),
      async ping() {
        await db.query('SELECT 1');
        // Nodes write a heartbeat every second, so it is soon known that writing works again.
        if (db.writeTrouble) throw db.writeTrouble;
      },
      probeWrite: postgresWriteProbe(db),
      durability: () => postgresDurability(db),
      async close() {
        // While the database is away look-ups would wait for it, and closing would wait for them.
        db.stopLookingForLostSessions();
        await grouping.idle();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** For whoever did not ask: a server that tells of a commit before it is on disk is used by nobody. */
function assertCommits({ settings }: Durability): void {
  if (settings.synchronous_commit === 'off')
    throw new Error('synchronous_commit is off: an accepted message could be lost');
}
