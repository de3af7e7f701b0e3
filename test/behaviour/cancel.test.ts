import assert from 'node:assert/strict';
import test from 'node:test';
import { rcs, sms } from '../harness/flows.ts';
import { type Client, testGateway } from '../harness/gateway.ts';
import { networked, SKY_AND_SEA } from '../harness/network.ts';
import { addOperator, holdQueue, operatorOf } from '../harness/operator.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const cancel = (client: Client, msgKey: string) => client.call('POST', `/v1/message/${msgKey}/cancel`);

async function sendTo(client: Client, to: readonly string[], more: object = {}): Promise<string[]> {
  const destinations = to.map(number => ({ to: number }));
  const body = { messageFlow: [rcs(), sms()], destinations, ...more };
  const { data } = (await client.call('POST', '/v1/send/omni', body)).body;
  return data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
}

test('a message that waits is cancelled: one report of its own code, nothing is sent, nothing falls back', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const other = await gateway.account('other');
  const call = operatorOf(gateway);
  await holdQueue(gateway);
  const [msgKey = ''] = await sendTo(client, ['01012345678'], { ref: 'order-1', groupKey: 'spring' });

  assert.equal((await cancel(other, msgKey)).status, 404);
  assert.equal((await client.inquire(msgKey)).length, 0);
  for (const _ of ['once', 'and again']) {
    const answer = await cancel(client, msgKey);
    assert.deepEqual([answer.status, answer.body.data], [200, { msgKey, state: 'failed' }]);
  }
  await call('POST', '/carriers/simulator/resume');
  const [later = ''] = await sendTo(client, ['01012345679']);
  await client.reportsOf(later, 1);

  const records = await client.inquire(msgKey);
  assert.deepEqual(
    records.map(({ serviceType, reportCode, ref, groupKey }) => [serviceType, reportCode, ref, groupKey]),
    [['RCS', '90001', 'order-1', 'spring']],
  );
  const message = (await call('GET', `/messages/${msgKey}`)).body.data;
  assert.deepEqual(
    [message.state, ...message.timeline.map(({ event }: { event: string }) => event)],
    ['failed', 'routed', 'cancelled'],
  );
  assert.equal((await cancel(client, '0'.repeat(32))).status, 404);
  assert.equal((await cancel(client, 'no key')).status, 404);
});

test('what is on the wire, or over, is not cancelled, and the answer says why', async t => {
  const sky = new ScriptedCarrier('sky');
  const network = await networked(t, { file: SKY_AND_SEA, carriers: [sky, new ScriptedCarrier('sea')] });
  const { client } = network;
  const msgKey = (await client.sms()).body.msgKey ?? '';
  const submitted = await until('it is submitted', () => sky.submitted[0]);
  const refusal = async () => {
    const { status, body } = await cancel(client, msgKey);
    return [status, body.code, body.result];
  };
  assert.deepEqual(await refusal(), [400, 'A825', 'It is being handed to a carrier']);
  submitted.answer(accept(submitted.submission));
  await until(
    'it is taken',
    async () => (await network.store.messages.find(msgKey as never))?.state === 'submitted',
  );
  assert.deepEqual(await refusal(), [400, 'A825', 'A carrier has taken it']);
  const korean = { 'accept-language': 'ko' };
  const answer = await client.call('POST', `/v1/message/${msgKey}/cancel`, undefined, korean);
  assert.equal(answer.body.result, '중계사가 이미 접수했습니다');
});

test('a whole request is cancelled, each recipient with a result of its own', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop', { recipientLimit: 300 });
  const other = await gateway.account('other');
  const numbers = Array.from({ length: 250 }, (_, n) => `0101234${String(n).padStart(4, '0')}`);
  await holdQueue(gateway);
  const keys = await sendTo(client, numbers);
  const requestId = keys[0]?.slice(0, -3);
  const url = `/v1/message/requestId/${requestId}/cancel`;
  assert.equal((await other.call('POST', url)).status, 404);
  assert.equal((await client.call('POST', '/v1/message/requestId/none/cancel')).status, 404);
  await cancel(client, keys[7] ?? '');
  const { data } = (await client.call('POST', url)).body;
  assert.equal(data.cancelledCnt, 250);
  assert.deepEqual(
    data.messages.map(({ msgKey }: { msgKey: string }) => msgKey),
    keys,
  );
  assert.deepEqual(data.messages[0], { msgKey: keys[0], code: 'A000', result: 'Success', state: 'failed' });
  const { queue } = (await operatorOf(gateway)('GET', '/queue')).body.data;
  assert.equal(queue?.ready ?? 0, 0);
});

test('operators cancel what they selected or filtered, after they have seen the number, and it is recorded', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const other = await gateway.account('other');
  const call = operatorOf(gateway);
  await holdQueue(gateway);
  const keys = await sendTo(client, ['01011110001', '01011110002', '01011110003'], { groupKey: 'spring' });
  const [kept = ''] = await sendTo(other, ['01011110004'], { groupKey: 'spring' });
  const order = async (body: object, headers?: Record<string, string>) => {
    const answer = await call('POST', '/messages/cancel', body, headers);
    return answer.body.data ?? [answer.status, answer.body.result];
  };
  const filters = { account: 'shop', groupKey: 'spring' };
  assert.deepEqual(await order({ filters }), { cancellable: 3, cancelled: 0, tooLate: 0, isMore: false });
  assert.deepEqual(await order({ filters: { groupKey: 'spring' } }), {
    cancellable: 4,
    cancelled: 0,
    tooLate: 0,
    isMore: false,
  });
  assert.deepEqual(await order({ msgKeys: [keys[0]] }), {
    cancellable: 0,
    cancelled: 1,
    tooLate: 0,
    isMore: false,
  });
  const first = await order({ filters, most: 1 });
  assert.deepEqual([first.cancelled, first.isMore], [1, true], 'never more than were seen');
  assert.deepEqual((await order({ filters, most: 2 })).cancelled, 1);
  assert.deepEqual(await order({ filters }), { cancellable: 0, cancelled: 0, tooLate: 0, isMore: false });
  assert.deepEqual(await client.inquire(keys[2]).then(([record]) => record?.reportCode), '90001');
  assert.equal((await other.inquire(kept)).length, 0);

  for (const [body, result] of [
    [{}, 'One of "msgKeys" and "filters" is required'],
    [{ filters: {} }, '"filters" must have at least one filter beside "state"'],
    [
      { filters: { account: 'shop', state: 'submitted' } },
      'Only messages that are queued or retrying can be cancelled',
    ],
    [{ filters, most: 0 }, '"most" must be a whole number from 1 to 10000'],
    [{ msgKeys: ['x'] }, '"msgKeys" must be a list of 1 to 1000 keys of messages'],
  ] as const) {
    assert.deepEqual(await order(body), [400, result]);
  }
  const viewer = await addOperator(gateway, 'vera', 'viewer');
  assert.equal((await call('POST', '/messages/cancel', { msgKeys: [kept] }, viewer.headers)).status, 403);
  const { entries } = (await call('GET', '/audit')).body.data;
  const recorded = entries.filter(({ action }: { action: string }) => action === 'message.cancel');
  assert.deepEqual(
    recorded.map(({ target, details }: { target: string; details: object }) => [target, details]),
    [
      ['shop', { messages: 1, msgKeys: [keys[1]], filters: ['account', 'groupKey'] }],
      ['shop', { messages: 1, msgKeys: [keys[2]], filters: ['account', 'groupKey'] }],
      ['shop', { messages: 1, msgKeys: [keys[0]] }],
    ],
  );
});
