import assert from 'node:assert/strict';
import test from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { LoadAccount } from '../harness/load.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const KILLS = 2;
const CALLS = 2;

for (const engine of ENGINES) {
  test(`kill -9 around the due moment: each reserved message is sent once, on ${engine}`, async t => {
    const env = {
      ...(await freshStore(t, engine)),
      ...LoadAccount.ENV,
      BONGSU_RESERVATION_LEAD: '10ms',
      BONGSU_SIMULATOR_LATENCY: '1-5ms',
      BONGSU_LOG: 'error',
    };
    let server = await startServer(t, env);
    const account = await LoadAccount.signIn(server.url);
    const call = async (method: string, path: string, body?: object) => {
      const headers = { ...bearer(account.token), 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      // biome-ignore lint/suspicious/noExplicitAny: the contract tests pin the shapes.
      return (await (await fetch(`${server.url}${path}`, init)).json()) as any;
    };
    const destinations = Array.from({ length: 1000 }, (_, index) => ({ to: `0101234${5000 + index}` }));
    const later = (ms: number) => new Date(Date.now() + ms).toISOString();
    const made = await call('POST', '/v1/reservation', {
      resvSendTime: later(60_000),
      messageFlow: [{ sms: { from: '0212345678', text: 'hello' } }],
      destinations: [],
    });
    const one = `/v1/reservation/resvKey/${made.data.resvKey}`;
    const keys: string[] = [];
    for (let more = 0; more < CALLS; more++) {
      const added = await call('POST', `${one}/destinations`, { destinations });
      keys.push(...added.data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey));
    }
    assert.equal((await call('PUT', one, { resvSendTime: later(1000) })).code, 'A000');
    let sent = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      await until('more of it is sent', async () => {
        const { data } = await call('GET', one);
        const isMore = data.sentCnt > sent || data.status === 'COMPLETED';
        sent = data.sentCnt;
        return isMore;
      });
      await server.kill();
      server = await startServer(t, env);
    }
    await until('all is sent', async () => (await call('GET', one)).data.status === 'COMPLETED');
    const last = account.at(server.url);
    await last.queueIsEmpty();
    const records = await last.collectReports();
    assert.deepEqual([...records.keys()].toSorted(), keys.toSorted(), 'every recipient, and nobody else');
    const repeated = [...records].filter(([, count]) => count !== 1);
    assert.deepEqual(repeated, [], 'nothing is sent twice');
    t.diagnostic(`killed when ${sent} of ${keys.length} had been sent`);
    await server.kill();
  });
}
