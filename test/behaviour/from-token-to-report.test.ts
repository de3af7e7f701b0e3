import assert from 'node:assert/strict';
import test from 'node:test';
import { testAccount } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

test('a message goes from token to report and the batch is acknowledged', async t => {
  const { client } = await testAccount(t);

  const sent = await client.sms({ ref: 'order-1' });
  assert.equal(sent.status, 200);
  assert.deepEqual(Object.keys(sent.body), ['code', 'result', 'msgKey', 'ref']);
  assert.match(sent.body.msgKey ?? '', /^[0-9A-Z]{32}$/);
  await client.reportsOf(sent.body.msgKey);

  const batch = await until('the batch is there', async () => {
    const answer = await client.poll();
    return answer.body.data.report && answer;
  });
  assert.deepEqual(batch.body.data.report, [
    {
      msgKey: sent.body.msgKey,
      serviceType: 'SMS',
      msgType: 'SM',
      sendTime: '2026-01-05T12:00:00+09:00',
      reportTime: '2026-01-05T12:00:00+09:00',
      reportType: '0',
      reportCode: '10000',
      reportText: 'Delivered',
      carrier: '10001',
      ref: 'order-1',
    },
  ]);

  const { reportId } = batch.body.data;
  const acknowledged = await client.call('DELETE', `/v1/report/polling/${reportId}`);
  assert.deepEqual(acknowledged.body, { code: 'A000', result: 'Success' });
  const empty = await client.poll();
  assert.deepEqual(empty.body.data, { reportId: '', report: null });
});
