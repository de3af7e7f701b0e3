/** One chaos run: two nodes, three SMSCs, a PostgreSQL; load and trouble; rest; what is left. */
import { Client } from 'pg';
import { startPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { inScope, loadUnderTrouble, type Progress, type RunOrder } from '../long-runs/long-run.ts';
import { openScene, type SceneResult } from '../long-runs/smscs/scene.ts';
import { carrierTrack, databaseTrack, nodeTrack } from './tracks.ts';

export interface ChaosResult extends SceneResult {
  readonly troubles: ReadonlyMap<string, number>;
  readonly throttled: number;
  readonly failedStarts: number;
}

export function runChaos(order: RunOrder, tell: (progress: Progress) => void): Promise<ChaosResult> {
  return inScope('chaos', async scope => {
    const postgres = await startPostgres({ fsync: true });
    scope.after(() => postgres.stop());
    const databaseUrl = await postgres.createDatabase();
    const [one, two] = [await TcpProxy.before(scope, databaseUrl), await TcpProxy.before(scope, databaseUrl)];
    const scene = await openScene(scope, order.seed, { one: one.url, two: two.url });
    const { nodes, smscs, files, senders, pollers } = scene;
    const places = nodes.map((node, index) => ({ node, proxy: index === 0 ? one.proxy : two.proxy }));
    const tracks = [
      nodeTrack(places, files),
      databaseTrack(places, postgres.process, () => terminateSessions(databaseUrl)),
      carrierTrack(smscs),
    ];
    const deps = { senders, pollers, polled: nodes, tracks, tell };
    const { troublemaker, tellLeft } = await loadUnderTrouble(scope, order, deps);
    const more = () => ({
      troubles: troublemaker.counts,
      throttled: smscs.reduce((sum, smsc) => sum + smsc.throttled, 0),
      failedStarts: nodes.reduce((sum, node) => sum + node.failedStarts, 0),
    });
    return scene.end(databaseUrl, more, { tellLeft });
  });
}

async function terminateSessions(databaseUrl: string): Promise<void> {
  const client = new Client(databaseUrl);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  } finally {
    await client.end();
  }
}
