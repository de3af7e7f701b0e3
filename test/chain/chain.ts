/** A chain of real processes: an edge on SQLite, a proxy, a core on PostgreSQL with the simulated network behind it. */
import { join } from 'node:path';
import { Client } from 'pg';
import { LoadAccount } from '../harness/load.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { GatewayNode } from '../long-runs/gateway-node.ts';
import { edgeFile, PASSWORD_VARIABLE } from './edge-file.ts';

export interface Chain {
  readonly edge: GatewayNode;
  readonly core: GatewayNode;
  readonly link: TcpProxy;
  readonly postgres: TestPostgres;
  /** The edge's SQLite file. */
  readonly edgeStore: string;
  /** Opens a session in the core's database, after the trouble. */
  openCoreStore(): Promise<Client>;
}

/** How long the edge waits for an answer of the core. */
export const ANSWER_TIMEOUT_MS = 5_000;
/** Limit for messages of the edge without an answer. */
export const WINDOW = 50;
/** Shorter, so that the core answers in time while its database is away. */
const CORE_STORE_TIMEOUT = '3s';

export async function startChain(
  t: { after(close: () => unknown): void },
  directory: string,
  isRepeatable: boolean,
): Promise<Chain> {
  const postgres = await startPostgres({ fsync: true });
  t.after(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  let link: TcpProxy | undefined;
  const core = new GatewayNode(
    'core',
    directory,
    {
      BONGSU_DATABASE_URL: databaseUrl,
      ...LoadAccount.ENV,
      BONGSU_STORE_TIMEOUT: CORE_STORE_TIMEOUT,
      BONGSU_SIMULATOR_LATENCY: '10-300ms',
      BONGSU_LOG: 'info',
    },
    // It listens on another port after each start.
    url => link?.aim(url),
  );
  core.configure('');
  t.after(() => core.abandon());
  core.start();
  const { proxy, url } = await TcpProxy.before(t, await core.isUp());
  link = proxy;
  const edge = new GatewayNode('edge', directory, {
    ...LoadAccount.ENV,
    BONGSU_PUBLIC_URL: 'http://edge.test',
    BONGSU_LOG: 'info',
    [PASSWORD_VARIABLE]: LoadAccount.PASSWORD,
  });
  edge.configure(
    edgeFile({ url, account: LoadAccount.ID, timeoutMs: ANSWER_TIMEOUT_MS, window: WINDOW, isRepeatable }),
  );
  t.after(() => edge.abandon());
  edge.start();
  await edge.isUp();
  return {
    edge,
    core,
    link,
    postgres,
    edgeStore: join(edge.dataDir, 'bongsu.db'),
    async openCoreStore() {
      const client = new Client(databaseUrl);
      await client.connect();
      t.after(() => client.end());
      return client;
    },
  };
}
