/** A chain of real processes: an edge on SQLite, a proxy, a core on PostgreSQL with the simulated network behind it. */
import { join } from 'node:path';
import { Client } from 'pg';
import { GatewayNode } from '../chaos/gateway-node.ts';
import { ADMIN_TOKEN, CREDENTIALS, DEMO_ACCOUNT } from '../harness/load.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { edgeFile, PASSWORD_VARIABLE } from './edge-file.ts';

export interface Chain {
  readonly edge: GatewayNode;
  readonly core: GatewayNode;
  readonly link: TcpProxy;
  readonly postgres: TestPostgres;
  /** The edge's SQLite file. */
  readonly edgeStore: string;
  /** A session of our own in the core's database, for when trouble is over. */
  openCoreStore(): Promise<Client>;
}

/** How long the edge waits for an answer of the core. */
export const ANSWER_TIMEOUT_MS = 5_000;
/** Messages that the edge has without an answer, at most. */
export const WINDOW = 50;
/** Shorter: while its database is away, the core says so in time. */
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
      BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
      BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
      BONGSU_STORE_TIMEOUT: CORE_STORE_TIMEOUT,
      BONGSU_SIMULATOR_LATENCY: '10-300ms',
      BONGSU_LOG: 'info',
    },
    // Started again, it listens elsewhere.
    url => link?.aim(url),
  );
  core.configure('');
  t.after(() => core.abandon());
  core.start();
  const { proxy, url } = await TcpProxy.before(t, await core.isUp());
  link = proxy;
  const edge = new GatewayNode('edge', directory, {
    BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_PUBLIC_URL: 'http://edge.test',
    BONGSU_LOG: 'info',
    [PASSWORD_VARIABLE]: CREDENTIALS.password,
  });
  edge.configure(
    edgeFile({ url, account: CREDENTIALS.id, timeoutMs: ANSWER_TIMEOUT_MS, window: WINDOW, isRepeatable }),
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
