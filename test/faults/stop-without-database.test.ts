/** A node that is told to stop while its database is away stops all the same: the others notice by its lease. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedPostgres } from '../harness/postgres.ts';
import { startServer } from '../harness/process.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';

test('SIGTERM while the database is away ends the process with 0 and without a stack trace', async t => {
  const postgres = await sharedPostgres();
  t.after(() => postgres.stop());
  const { proxy, url } = await TcpProxy.before(t, await postgres.createDatabase('migrated'));
  const server = await startServer(t, {
    BONGSU_DATABASE_URL: url,
    BONGSU_STORE_TIMEOUT: '3s',
    BONGSU_SHUTDOWN_TIMEOUT: '1s',
  });
  proxy.refuse();
  proxy.cut();
  const { code, signal } = await server.stop();
  const foreign = server
    .stderr()
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('{'));
  assert.deepEqual({ code, signal, foreign }, { code: 0, signal: null, foreign: [] });
  assert.match(server.stderr(), /"event":"stopped"/);
});
