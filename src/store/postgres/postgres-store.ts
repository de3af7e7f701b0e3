/** The engine for many nodes: one PostgreSQL, which every node reaches, and every commit on its disk. */
import type { Store } from '../store.ts';
import { postgresAccounts } from './accounts.ts';
import { postgresCarriers } from './carriers.ts';
import { Database } from './database.ts';
import { postgresFiles } from './files.ts';
import { postgresForms } from './forms.ts';
import { Grouping } from './grouping.ts';
import { postgresMessages } from './messages.ts';
import { migrate } from './migrate.ts';
import { postgresNodes } from './nodes.ts';
import { postgresAudit, postgresSessions, postgresStatistics } from './operator.ts';
import { createPartitions } from './partitions.ts';
import { postgresQueue } from './queue.ts';
import { postgresRegistry } from './registry.ts';
import { postgresReports } from './reports.ts';
import { postgresSearch } from './search.ts';
import { postgresTokens } from './tokens.ts';
import { postgresUpkeep } from './upkeep.ts';
import { postgresWebhooks } from './webhooks.ts';
import { postgresWriteProbe } from './write-probe.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly now: () => number;
  readonly onCommit?: (tasks: number) => void;
}

export async function openPostgresStore({ url, now, onCommit }: PostgresOptions): Promise<Store> {
  const db = new Database(url);
  try {
    await db.assertDurable();
    await migrate(db);
    await createPartitions(db, now());
    const grouping = new Grouping(db, onCommit ?? (() => {}));
    return {
      accounts: await postgresAccounts(db, now),
      tokens: postgresTokens(db, grouping),
      messages: postgresMessages(db, grouping),
      queue: postgresQueue(db, grouping, now),
      reports: postgresReports(db),
      registry: postgresRegistry(db),
      forms: postgresForms(db),
      files: postgresFiles(db),
      carriers: postgresCarriers(db),
      webhooks: postgresWebhooks(db, grouping),
      nodes: postgresNodes(db),
      upkeep: postgresUpkeep(db),
      search: postgresSearch(db),
      sessions: postgresSessions(db),
      audit: postgresAudit(db),
      statistics: postgresStatistics(db),
      async ping() {
        await db.query('SELECT 1');
      },
      probeWrite: postgresWriteProbe(db),
      async close() {
        await grouping.idle();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
