import assert from 'node:assert/strict';
import test from 'node:test';
import { sms } from '../harness/flows.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { operatorOf } from '../harness/operator.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 24 * 3_600_000;

async function detailOf(gateway: TestGateway, msgKey: string) {
  return (await operatorOf(gateway)('GET', `/messages/${msgKey}`)).body.data;
}

/** Turns the clock until the next run of the sweep has done its work. */
async function textsRemoved(gateway: TestGateway, msgKey: string): Promise<void> {
  await until('the text is removed', async () => {
    gateway.clock.advance(60_000);
    return (await detailOf(gateway, msgKey)).textRemovedAt !== undefined;
  });
}

test('after seven days a message has lost its text, and everything else works as before', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const body = { destinations: [{ to: '01012345678', replaceWords: { name: 'Kim Cheolsu' } }] };
  const flow = { messageFlow: [sms({ text: 'Dear #{name}, the parcel waits.' })], ref: 'order-7' };
  const sent = await client.call('POST', '/v1/send/omni', { ...body, ...flow });
  const { msgKey } = sent.body.data.destinations[0];
  await client.reportsOf(msgKey);
  gateway.clock.advance(6 * DAY_MS);
  const before = await detailOf(gateway, msgKey);
  assert.equal(before.rendered[0].text, 'Dear Kim Cheolsu, the parcel waits.');

  gateway.clock.advance(DAY_MS);
  await textsRemoved(gateway, msgKey);
  const { textRemovedAt, ...after } = await detailOf(gateway, msgKey);
  const { replaceWords, request, response, ...others } = before;
  assert.deepEqual(after, { ...others, flow: [{ channel: 'sms' }], rendered: [] });
  assert.match(textRemovedAt, /^2026-01-12T/);
  assert.doesNotMatch(JSON.stringify(after), /parcel|Cheolsu/);

  const again = new Client(gateway, 'shop', await gateway.token('shop'));
  assert.equal((await again.inquire(msgKey))[0]?.ref, 'order-7');
  const found = (await operatorOf(gateway)('GET', '/messages?to=01012345678&channel=sms')).body.data;
  assert.deepEqual(found.messages[0].channels, ['sms']);
});
