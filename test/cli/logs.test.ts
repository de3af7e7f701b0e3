import assert from 'node:assert/strict';
import test from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

test('logs contain events, and no text, number or secret', async t => {
  const secret = 'a-password-nobody-logs';
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: `demo:${secret}`, BONGSU_LOG: 'debug' });
  const headers = { 'X-SVC-Client-Id': 'demo', 'X-SVC-Client-Passwd': secret };
  const issued = await fetch(`${server.url}/v1/auth/token`, { method: 'POST', headers });
  const { token } = ((await issued.json()) as { data: { token: string } }).data;
  await fetch(`${server.url}/v1/send/sms`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify({ from: '0212345678', to: '01098765432', text: 'words for one reader' }),
  });
  await until('the end is logged', () => server.stderr().includes('"event":"ended"'));
  const log = server.stderr();
  assert.match(log, /"to":"010\*\*\*\*5432"/);
  for (const hidden of ['01098765432', 'words for one reader', secret, token]) {
    assert.ok(!log.includes(hidden), hidden);
  }
});
