/** Every answer that is not A000 is counted, and so is every failure that is only logged. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sms } from '../harness/flows.ts';
import { type TestGateway, testAccount } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** The samples of one metric, `labels value`. */
async function samples(gateway: TestGateway, metric: string): Promise<string[]> {
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  const lines = body.split('\n').filter(line => line.startsWith(`${metric}{`));
  return lines.map(line => line.slice(metric.length)).sort();
}

const REFUSED = 'bongsu_requests_refused_total';

test('refusals are counted by route and code, successes are not', async t => {
  const { gateway, client } = await testAccount(t);
  await client.sms();
  await client.poll();
  assert.deepEqual(await samples(gateway, REFUSED), []);
  await client.sms({ text: 'x'.repeat(91) });
  await client.sms({ text: 'x'.repeat(91) });
  await client.call('POST', '/v1/send/sms', 'no JSON');
  await client.call('DELETE', '/v1/report/polling/nonsense');
  await gateway.request('GET', '/v1/report/polling');
  await gateway.request('GET', '/nowhere');
  await client.call('POST', '/v1/file/MMS', 'no file');
  await gateway.request('GET', '/admin/v1/queue');
  assert.deepEqual(await samples(gateway, REFUSED), [
    '{route="/admin/v1/queue",code="A002"} 1',
    '{route="/v1/file/:serviceType",code="A213"} 1',
    '{route="/v1/report/polling",code="A002"} 1',
    '{route="/v1/report/polling/:id",code="A805"} 1',
    '{route="/v1/send/sms",code="A010"} 1',
    '{route="/v1/send/sms",code="A328"} 2',
    '{route="none",code="A300"} 1',
  ]);
});

test('our own faults are counted where they are answered and where they happened', async t => {
  const { gateway, client } = await testAccount(t);
  t.mock.method(gateway.gateway.store.reports, 'poll', async () => {
    throw new Error('disk on fire');
  });
  assert.equal((await client.poll()).body.code, 'A999');
  assert.deepEqual(await samples(gateway, REFUSED), ['{route="/v1/report/polling",code="A999"} 1']);
  assert.deepEqual(await samples(gateway, 'bongsu_failures_total'), ['{where="http"} 1']);
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /^bongsu_internal_errors_total 1$/m);
  const measured = await samples(gateway, 'bongsu_http_request_seconds_count');
  assert.ok(measured.includes('{route="/v1/report/polling",status="500"} 1'), measured.join('\n'));
});

test('a recipient that is refused while others are accepted is counted by code', async t => {
  const { gateway, client } = await testAccount(t);
  const destinations = [{ to: '01012345678' }, { to: '999' }, { to: '998' }];
  const answer = await client.call('POST', '/v1/send/omni', { messageFlow: [sms()], destinations });
  const [, refused] = answer.body.data.destinations;
  assert.equal(answer.body.code, 'A000');
  assert.deepEqual(await samples(gateway, 'bongsu_recipients_refused_total'), [`{code="${refused.code}"} 2`]);
});

test('back-pressure is counted', async t => {
  const { gateway, client } = await testAccount(t, { env: { BONGSU_QUEUE_LIMIT: '1' } });
  await gateway.holdQueue();
  await until('the queue is full', async () => {
    gateway.clock.advance(1000);
    return (await client.sms()).body.code === 'A020';
  });
  const [refused] = await samples(gateway, REFUSED);
  assert.match(refused ?? '', /^\{route="\/v1\/send\/sms",code="A020"\} /);
});
