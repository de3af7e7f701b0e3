import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { LoadAccount } from '../harness/load.ts';
import { bongsu, startServer } from '../harness/process.ts';

test('reservations are listed, changed and cancelled, of a running gateway and of a store', async t => {
  const server = await startServer(t, LoadAccount.ENV);
  const headers = {
    ...bearer((await LoadAccount.signIn(server.url)).token),
    'content-type': 'application/json',
  };
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString();
  const body = JSON.stringify({
    from: '0212345678',
    to: '01012345678',
    text: 'hello',
    resvSendTime: inDays(1),
  });
  const sent = await fetch(`${server.url}/v1/send/sms`, { method: 'POST', headers, body });
  const { resvKey } = (await sent.json()) as { resvKey: string };
  const remote = { BONGSU_URL: server.url, BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
  const place = ['--url', server.url];
  const listed = await bongsu(['reservation', 'list', '--status', 'PENDING', '--json', ...place], remote);
  assert.equal(JSON.parse(listed.stdout)[0]?.resvKey, resvKey, listed.stderr);
  const changed = await bongsu(
    ['reservation', 'change', resvKey, '--name', 'spring', '--json', ...place],
    remote,
  );
  assert.equal(JSON.parse(changed.stdout).resvName, 'spring', changed.stderr);
  assert.equal((await bongsu(['reservation', 'stop', resvKey, ...place], remote)).code, 1);

  const local = { BONGSU_DATA_DIR: server.dataDir };
  assert.match((await bongsu(['reservation', 'show', resvKey], local)).stdout, /status +PENDING/);
  const cancelled = await bongsu(['reservation', 'cancel', resvKey], local);
  assert.match(cancelled.stdout, /status +CANCELLED/, cancelled.stderr);
  assert.match((await bongsu(['reservation', 'list'], local)).stdout, /CANCELLED/);
});
