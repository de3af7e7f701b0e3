import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MsgKey } from '../../src/domain/ids.ts';
import type { Decide } from '../../src/store/port/queue-store.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';
import { rcs, sms } from '../harness/flows.ts';
import { type Client, testAccount } from '../harness/gateway.ts';
import { Network } from '../harness/network.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const cancel = (client: Client, msgKey: string) => client.call('POST', `/v1/message/${msgKey}/cancel`);

async function sendTo(client: Client, to: readonly string[], more: object = {}): Promise<string[]> {
  const destinations = to.map(number => ({ to: number }));
  const body = { messageFlow: [rcs(), sms()], destinations, ...more };
  const { data } = (await client.call('POST', '/v1/send/omni', body)).body;
  return data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
}

test('a pending message is cancelled with one report and its own code; nothing is sent, no fallback follows', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  await gateway.holdQueue();
  const [msgKey = ''] = await sendTo(client, ['01012345678'], { ref: 'order-1', groupKey: 'spring' });

  assert.equal((await cancel(other, msgKey)).status, 404);
  assert.equal((await client.inquire(msgKey)).length, 0);
  for (const _ of ['once', 'and again']) {
    const answer = await cancel(client, msgKey);
    assert.deepEqual([answer.status, answer.body.data], [200, { msgKey, state: 'failed' }]);
  }
  await gateway.releaseQueue();
  const [later = ''] = await sendTo(client, ['01012345679']);
  await client.reportsOf(later, 1);

  const records = await client.inquire(msgKey);
  assert.deepEqual(
    records.map(({ serviceType, reportCode, ref, groupKey }) => [serviceType, reportCode, ref, groupKey]),
    [['RCS', '90001', 'order-1', 'spring']],
  );
  const message = await gateway.message(msgKey);
  assert.deepEqual(
    [message.state, ...message.timeline.map(({ event }: { event: string }) => event)],
    ['failed', 'routed', 'cancelled'],
  );
  assert.equal((await cancel(client, '0'.repeat(32))).status, 404);
  assert.equal((await cancel(client, 'no key')).status, 404);
});

test('submitted and finished messages are not cancelled, and the answer says why', async t => {
  const sky = new ScriptedCarrier('sky');
  const network = await Network.open(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  const { client } = network;
  const msgKey = (await client.sms()).body.msgKey ?? '';
  const submitted = await until('it is submitted', () => sky.submitted[0]);
  const refusal = async () => (await cancel(client, msgKey)).refusal;
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
  const { gateway, client } = await testAccount(t, { settings: { recipientLimit: 300 } });
  const other = await gateway.account('other');
  const numbers = Array.from({ length: 250 }, (_, n) => `0101234${String(n).padStart(4, '0')}`);
  await gateway.holdQueue();
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
  const { queue } = (await gateway.operator('GET', '/queue')).body.data;
  assert.equal(queue?.ready ?? 0, 0);
});

test('operators cancel what they selected or filtered, after they have seen the number, and it is recorded', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const call = gateway.operator;
  await gateway.holdQueue();
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
  const viewer = await gateway.addOperator('vera', 'viewer');
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

test('what an order cancelled before it failed is in the audit log', async t => {
  const { gateway, client } = await testAccount(t);
  const call = gateway.operator;
  await gateway.holdQueue();
  const recipients = Array.from({ length: 60 }, (_, index) => `010${11110000 + index}`);
  for (let start = 0; start < recipients.length; start += 10)
    await sendTo(client, recipients.slice(start, start + 10), { groupKey: 'spring' });
  const { queue } = gateway.gateway.store as { queue: Store['queue'] };
  const { settle } = queue;
  let calls = 0;
  queue.settle = (events, decide) => {
    const isCancel = events.some(({ event }) => event.name === 'cancelled');
    if (isCancel && ++calls > 1) return Promise.reject(new StoreFault('didNotHappen', 'the disk is full'));
    return settle.call(queue, events, decide);
  };
  const answer = await call('POST', '/messages/cancel', { filters: { groupKey: 'spring' }, most: 60 });
  assert.equal(answer.body.code, 'A920');
  const { entries } = (await call('GET', '/audit')).body.data;
  const recorded = entries.filter(({ action }: { action: string }) => action === 'message.cancel');
  assert.deepEqual(
    recorded.map(({ target, details }: { target: string; details: { messages: number } }) => [
      target,
      details.messages,
    ]),
    [['shop', 50]],
  );
});

const LIST = 'sky has sent a list';

/** Messages of shop by sky: two that are unknown, one that sky took, one that waits for its answer. */
async function inDoubt(t: TestContext) {
  const sky = new ScriptedCarrier('sky');
  const network = await Network.open(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  const keys: string[] = [];
  for (const state of ['unknown', 'unknown', 'submitted', 'submitting']) {
    const msgKey = (await network.client.sms({ ref: `order-${keys.length}` })).body.msgKey ?? '';
    const submitted = await until('it is submitted', () => sky.submitted[keys.length]);
    if (state === 'unknown') submitted.answer({ kind: 'unknown' });
    if (state === 'submitted') submitted.answer(accept(submitted.submission));
    await until(`it is ${state}`, async () => (await network.message(msgKey)).state === state);
    keys.push(msgKey);
    // Keys of one moment have no order.
    network.gateway.clock.advance(1);
  }
  const call = network.gateway.operator;
  const settle = async (body: object) => {
    const answer = await call('POST', '/messages/settle', body);
    return answer.body.data ?? [answer.status, answer.body.result];
  };
  const states = () => Promise.all(keys.map(async key => (await network.message(key)).state));
  return { network, sky, keys, call, settle, states };
}

const counts = (settleable: number, settled: number, tooLate: number, isMore = false) => ({
  ...{ settleable, settled, tooLate, isMore },
});

test('operators settle unknown messages after they have seen the number, with a reason, recorded before and after', async t => {
  const { network, keys, call, settle, states } = await inDoubt(t);
  const filters = { account: 'shop', carrier: 'sky' };
  const failed = { outcome: 'failed', code: '23014', reason: LIST };
  assert.deepEqual(await settle({ filters }), counts(2, 0, 0), 'only the unknown');
  assert.deepEqual(await settle({ filters: { ...filters, state: 'unknown,submitted' } }), counts(3, 0, 0));
  assert.deepEqual(await settle({ filters: { carrier: 'sea' } }), counts(0, 0, 0));
  assert.deepEqual(
    await settle({ filters, most: 1, ...failed }),
    counts(0, 1, 0, true),
    'no more than were seen',
  );
  assert.deepEqual(await states(), ['unknown', 'failed', 'submitted', 'submitting']);
  assert.deepEqual(
    await settle({ msgKeys: [...keys, '0'.repeat(32)], outcome: 'delivered', reason: LIST }),
    counts(0, 2, 3),
    'one had ended, one is on the wire, one is not there',
  );
  assert.deepEqual(await states(), ['delivered', 'failed', 'delivered', 'submitting']);
  const records = await network.client.inquire(keys[1]);
  assert.deepEqual(
    records.map(({ reportCode, ref }) => [reportCode, ref]),
    [['23014', 'order-1']],
  );
  const { timeline } = await network.message(keys[1]);
  assert.deepEqual(
    [timeline.at(-1)?.event, timeline.at(-1)?.carrier, timeline.at(-1)?.code, timeline.at(-1)?.why],
    ['toldFailed', 'sky', '23014', LIST],
  );

  const { entries } = (await call('GET', '/audit')).body.data;
  const recorded = entries.filter(({ action }: { action: string }) => action === 'message.settle').reverse();
  assert.deepEqual(
    recorded.map(({ target, details }: { target: string; details: object }) => [target, details]),
    [
      [
        'shop',
        { stage: 'ordered', messages: 1, code: '23014', reason: LIST, filters: ['account', 'carrier'] },
      ],
      [
        'shop',
        {
          ...{ stage: 'done', messages: 1, msgKeys: [keys[1]], code: '23014', reason: LIST },
          filters: ['account', 'carrier'],
        },
      ],
      ['all accounts', { stage: 'ordered', messages: 5, code: '10000', reason: LIST }],
      ['shop', { stage: 'done', messages: 2, msgKeys: [keys[0], keys[2]], code: '10000', reason: LIST }],
    ],
  );
});

test('a nonsensical settlement by hand is refused, and one that does not fit the message changes nothing', async t => {
  const { network, keys, settle, states } = await inDoubt(t);
  const [first = '', second = ''] = keys;
  const one = { msgKeys: [first] };
  for (const [body, result] of [
    [{ ...one, reason: LIST }, '"outcome" must be delivered or failed'],
    [
      { ...one, outcome: 'failed', reason: LIST },
      '"code" must be the report code of a failure such as 23001',
    ],
    [
      { ...one, outcome: 'failed', code: '10000', reason: LIST },
      '"code" must be the report code of a failure such as 23001',
    ],
    [
      { ...one, outcome: 'failed', code: '90001', reason: LIST },
      '"code" must be the report code of a failure such as 23001',
    ],
    [
      { ...one, outcome: 'failed', code: '33014', reason: LIST },
      `"code" 33014 is not a code of sms, the channel of ${first}`,
    ],
    [
      { filters: { carrier: 'sky' }, most: 2, outcome: 'failed', code: '60600', reason: LIST },
      `"code" 60600 is not a code of sms, the channel of ${second}`,
    ],
    [{ ...one, outcome: 'delivered', code: '23014', reason: LIST }, '"code" is for messages that failed'],
    [{ ...one, outcome: 'delivered' }, '"reason" must be 5 to 200 characters on one line'],
    [
      { filters: { carrier: 'sky', state: 'queued' } },
      'Only messages that are submitted or unknown can be settled',
    ],
    [{ filters: { state: 'unknown' } }, '"filters" must have at least one filter beside "state"'],
  ] as const) {
    assert.deepEqual(await settle(body), [400, result]);
  }
  assert.deepEqual(await states(), ['unknown', 'unknown', 'submitted', 'submitting']);

  // Between the look-up and the settlement it went to another carrier: what sky says is not about that.
  const key = first as MsgKey;
  const told = { kind: 'step', msgKey: key, step: 0, attempt: 0, event: { name: 'toldDelivered' } } as const;
  const { store } = network;
  const decide: Decide = () => assert.fail('nothing is to be decided');
  assert.deepEqual((await store.queue.settle([{ ...told, carrier: 'sea' }], decide)).settled, ['ignored']);
  assert.deepEqual((await store.queue.settle([{ ...told, step: 1 }], decide)).settled, ['ignored']);
});

test('a receipt that comes after a settlement by hand is shown, and makes no second record', async t => {
  const { network, sky, keys, settle } = await inDoubt(t);
  const [failed = '', delivered = '', same = ''] = keys;
  const [failedId = '', deliveredId = '', sameId = ''] = sky.submitted.map(
    ({ submission }) => submission.attemptId,
  );
  await settle({ msgKeys: [failed, same], outcome: 'failed', code: '23014', reason: LIST });
  await settle({ msgKeys: [delivered], outcome: 'delivered', reason: LIST });
  for (const _ of ['once', 'and repeated']) {
    await sky.receive({ attemptId: failedId, reportCode: '10000' });
    await sky.receive({ attemptId: deliveredId, reportCode: '23001' });
    await sky.receive({ attemptId: sameId, reportCode: '23014' });
  }
  // What was told already, and what an earlier attempt came to, is no news.
  await sky.receive({ attemptId: failedId, reportCode: '23001' });
  const shown = async (key: string) => {
    const { timeline, state } = await network.message(key);
    const lines = timeline.map(({ event, code }: { event: string; code?: string }) => `${event} ${code}`);
    const ends = lines.slice(lines.findIndex((line: string) => line.startsWith('told')));
    const records = (await network.client.inquire(key)).map(({ reportCode }) => reportCode);
    return [state, records, ends];
  };
  assert.deepEqual(await shown(failed), ['failed', ['23014'], ['toldFailed 23014', 'lateDelivery 10000']]);
  assert.deepEqual(await shown(delivered), [
    'delivered',
    ['10000'],
    ['toldDelivered 10000', 'lateFailure 23001'],
  ]);
  assert.deepEqual(await shown(same), ['failed', ['23014'], ['toldFailed 23014']]);
});

test('a message that cannot be settled does not stop the others', async t => {
  const { network, keys, settle } = await inDoubt(t);
  const { queue } = network.store;
  const original = queue.settle;
  // The store can never write what becomes of the second.
  queue.settle = async (events, decide) => {
    if (
      events.some(
        event => event.kind === 'step' && event.msgKey === keys[1] && event.event.name === 'toldDelivered',
      )
    )
      throw new Error('cannot be written');
    return original.call(queue, events, decide);
  };
  const answer = await settle({ msgKeys: keys.slice(0, 3), outcome: 'delivered', reason: LIST });
  assert.deepEqual(answer, counts(0, 2, 1));
});
