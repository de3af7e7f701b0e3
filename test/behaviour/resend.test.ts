import assert from 'node:assert/strict';
import test from 'node:test';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { parseCsv } from '../../src/platform/csv.ts';
import { type Resend, StoreFault } from '../../src/store/store.ts';
import { rcs, sms } from '../harness/flows.ts';
import { type Answer, type Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const GONE = '01012340001';

interface Result {
  readonly msgKey: string;
  readonly newKey: string | null;
  readonly code: string;
  readonly result: string;
}

async function failed(client: Client, members: object = {}): Promise<string> {
  const { msgKey = '' } = (await client.sms({ to: GONE, ...members })).body;
  await client.reportsOf(msgKey);
  return msgKey;
}

async function resend(
  gateway: TestGateway,
  body: object,
  headers?: Record<string, string>,
): Promise<Result[]> {
  const answer: Answer = await gateway.operator('POST', '/messages/resend', body, headers);
  assert.equal(answer.body.code, 'A000', answer.text);
  return answer.body.data.results;
}

test('an operator who sees only masked messages sends failed messages of every channel again', async t => {
  const { gateway, client } = await testAccount(t);
  const { headers } = await gateway.addOperator('kim', 'operator');
  const omni = {
    destinations: [{ to: GONE, replaceWords: { name: 'Kim' } }],
    messageFlow: [sms({ text: '#{name}, hello' })],
    paymentCode: 'dept',
    ref: 'order-7',
  };
  const bodies: (readonly [kind: string, body: object])[] = [['omni', omni]];
  for (const [kind, examples] of Object.entries(SEND_EXAMPLES)) {
    if (kind === 'omni') continue;
    const to = kind === 'international' ? '+14155550001' : GONE;
    for (const body of Object.values(examples)) bodies.push([kind, { ...body, to }]);
  }
  const keys: string[] = [];
  for (const [kind, body] of bodies) {
    const answer = await client.call('POST', `/v1/send/${kind}`, body);
    keys.push(answer.body.msgKey ?? answer.body.data.destinations[0].msgKey);
  }
  const before = await until('all have ended', async () => {
    const found = await Promise.all(keys.map(key => gateway.message(key)));
    return found.every(({ state }) => ['failed', 'expired', 'delivered'].includes(state)) && found;
  });
  const wanted = before.filter(({ state }) => state !== 'delivered');
  assert.ok(wanted.length > 5, `${wanted.length} failed`);
  const results = await resend(gateway, { msgKeys: wanted.map(({ msgKey }) => msgKey) }, headers);
  for (const [index, old] of wanted.entries()) {
    const { newKey, code, result } = results[index] as Result;
    assert.equal(code, 'A000', `${old.request.path}: ${result}`);
    const copy = await gateway.message(newKey);
    assert.deepEqual(
      [copy.account, copy.to, copy.request, copy.rendered, copy.resendOf, copy.resentAs],
      [old.account, old.to, old.request, old.rendered, old.msgKey, []],
    );
    assert.deepEqual((await gateway.message(old.msgKey)).resentAs, [newKey]);
  }
  const [entry] = (await gateway.operator('GET', '/audit?limit=1')).body.data.entries;
  assert.deepEqual([entry.name, entry.action, entry.target], ['kim', 'message.resend', 'shop']);
  assert.deepEqual([entry.details.messages, entry.details.edited], [wanted.length, false]);
  assert.doesNotMatch(JSON.stringify(entry), /01012340001/);
  const rows = (await gateway.operator('GET', `/messages?key=${wanted[0]?.msgKey}`)).body.data.messages;
  assert.equal(rows[0].resentAs, results[0]?.newKey);
});

test('a message is sent once for each order, also when two orders come at once or after a crash', async t => {
  const { gateway, client } = await testAccount(t);
  const msgKey = await failed(client);
  const both = await Promise.all([1, 2].map(() => resend(gateway, { msgKeys: [msgKey, msgKey] })));
  const keys = new Set(both.flat().map(({ newKey }) => newKey));
  keys.delete(null);
  assert.equal(keys.size, 1, JSON.stringify(both));
  const [refused] = await resend(gateway, { msgKeys: [msgKey] });
  assert.deepEqual([refused?.newKey, refused?.code], [null, 'A300']);
  assert.match(refused?.result ?? '', new RegExp(`It has already been sent again, as ${[...keys][0]}`));

  gateway.clock.advance(1);
  // Without its link to the new message nothing goes out: nobody would know of it when the idempotency key is gone.
  const { resends } = gateway.gateway.store as { resends: { add: (resend: Resend) => Promise<void> } };
  const { add } = resends;
  let notSent = '';
  resends.add = async ({ newKey }) => {
    notSent = newKey;
    throw new StoreFault('didNotHappen', 'the disk is full');
  };
  const [busy] = await resend(gateway, { msgKeys: [msgKey], again: true });
  assert.deepEqual([busy?.newKey, busy?.code], [null, 'A920']);
  assert.equal((await gateway.operator('GET', `/messages/${notSent}`)).status, 404);
  // A link whose message was not stored counts for nothing.
  resends.add = async link => {
    await add.call(resends, link);
    throw new StoreFault('mayHaveHappened', 'the process died');
  };
  await resend(gateway, { msgKeys: [msgKey], again: true });
  resends.add = add;
  assert.deepEqual((await gateway.message(msgKey)).resentAs, [...keys]);
  gateway.clock.advance(25 * 3_600_000);
  const [again] = await resend(gateway, { msgKeys: [msgKey], again: true });
  assert.deepEqual((await gateway.message(msgKey)).resentAs, [...keys, again?.newKey]);
});

test('an edited copy goes to the recipients of all, with their own words and references', async t => {
  const { gateway, client } = await testAccount(t);
  const omni = await client.call('POST', '/v1/send/omni', {
    destinations: [
      { to: GONE, replaceWords: { name: 'Kim' } },
      { to: '01099990001', replaceWords: { name: 'Lee' } },
    ],
    messageFlow: [sms({ text: '#{name}, hello' })],
    ref: 'order-1',
  });
  const keys: string[] = omni.body.data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
  for (const key of keys) await client.reportsOf(key);
  const plain = await failed(client, { ref: 'order-2' });

  const copy = {
    kind: 'omni',
    body: {
      destinations: [{ to: '010', replaceWords: { name: 'nobody' } }],
      messageFlow: [sms({ text: '#{name}, once more' })],
      ref: 'another',
    },
  };
  const results = await resend(gateway, { msgKeys: [...keys, plain], copy });
  const [kim, lee] = await Promise.all(results.slice(0, 2).map(({ newKey }) => gateway.message(newKey)));
  assert.deepEqual([kim.to, kim.rendered[0].text, kim.ref], [GONE, 'Kim, once more', 'order-1']);
  assert.deepEqual([lee.to, lee.rendered[0].text], ['01099990001', 'Lee, once more']);
  assert.equal(results[2]?.newKey, null, 'it has no word for the placeholder');
  const single = { kind: 'sms', body: { from: '0212345678', to: '010', text: 'corrected', ref: 'x' } };
  const [corrected] = await resend(gateway, { msgKeys: [plain], copy: single });
  const { to, rendered, ref, resendOf } = await gateway.message(corrected?.newKey);
  assert.deepEqual([to, rendered[0].text, ref, resendOf], [GONE, 'corrected', 'order-2', plain]);
});

test('messages that are delivered, pending, unknown or not allowed are refused one by one', async t => {
  const { gateway, client } = await testAccount(t);
  const blocked = await gateway.account('blocked');
  const delivered = (await client.sms()).body.msgKey ?? '';
  await client.reportsOf(delivered);
  const [good, bad] = [await failed(client), await failed(blocked)];
  await gateway.operator('PATCH', '/accounts/blocked', { blocked: true });
  await gateway.holdQueue();
  const waiting = (await client.sms()).body.msgKey ?? '';
  const nobody = '0'.repeat(32);
  const results = await resend(gateway, { msgKeys: [delivered, waiting, nobody, bad, good] });
  assert.deepEqual(
    results.map(({ code, result, newKey }) => [code, newKey === null ? result : 'sent']),
    [
      ['A300', 'It was delivered'],
      ['A300', 'It has not ended yet'],
      ['A300', 'There is no such message'],
      ['A110', results[3]?.result],
      ['A000', 'sent'],
    ],
  );
  for (const body of [
    {},
    { msgKeys: [] },
    { msgKeys: 'x' },
    { msgKeys: ['short'] },
    { msgKeys: Array.from({ length: 101 }, (_, index) => String(index).padStart(32, '0')) },
    { msgKeys: [good], again: 'yes' },
    { msgKeys: [good], copy: 'x' },
    { msgKeys: [good], copy: { kind: 'pigeon', body: {} } },
  ]) {
    const answer = await gateway.operator('POST', '/messages/resend', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'A300'], JSON.stringify(body));
  }
});

test('an expired message that was delivered late is sent again only if that is asked for', async t => {
  const { gateway, client } = await testAccount(t);
  const body = { ...rcs().rcs, to: '01012340006', expiryOption: '2' };
  const { msgKey = '' } = (await client.call('POST', '/v1/send/rcs', body)).body;
  await until('it is expired', async () => {
    gateway.clock.advance(1000);
    return (await gateway.message(msgKey)).state === 'expired';
  });
  const receipt = {
    kind: 'receipt',
    carrier: 'simulator',
    ref: `sim-${msgKey}-0-1`,
    event: { name: 'receivedDelivered' },
    receivedAt: gateway.clock.now(),
  } as const;
  await gateway.gateway.store.queue.settle([receipt], () => ({ kind: 'ignored' }));
  for (const order of [{}, { again: true }]) {
    const [refused] = await resend(gateway, { msgKeys: [msgKey], ...order });
    assert.deepEqual([refused?.newKey, refused?.result], [null, 'It was delivered late, after it had ended']);
  }
  const [sent] = await resend(gateway, { msgKeys: [msgKey], delivered: true });
  assert.equal(sent?.code, 'A000');
});

test('found messages are exported, masked like the list, and no cell is a formula', async t => {
  const { gateway, client } = await testAccount(t);
  await failed(client, { ref: '=HYPERLINK("http://x")' });
  gateway.clock.advance(1);
  await client.sms();
  const exported = async (query: string, headers?: Record<string, string>) => {
    const { text, headers: answered } = await gateway.operator(
      ...(['GET', `/messages/export?${query}`, undefined] as const),
      headers,
    );
    assert.match(String(answered['content-type']), /^text\/csv/);
    assert.equal(answered['bongsu-next'], undefined);
    return text;
  };
  const { headers } = await gateway.addOperator('lee', 'viewer');
  const masked = await exported('code=23001', headers);
  const [names = [], row = [], ...others] = parseCsv(masked);
  const columns = ['account', 'to', 'ref', 'channels', 'state', 'code', 'carrier'];
  assert.deepEqual(names.slice(0, 10), ['msgKey', ...columns, 'acceptedAt', 'finishedAt']);
  const values = ['shop', '010****0001', `'=HYPERLINK("http://x")`, 'sms', 'failed', '23001', 'simulator'];
  assert.deepEqual(row.slice(1, 8), values);
  assert.deepEqual(others, []);
  const clear = await exported('to=010-1234-0001');
  assert.match(clear, /01012340001/);
  const [entry] = (await gateway.operator('GET', '/audit?limit=1')).body.data.entries;
  assert.deepEqual(
    [entry.action, entry.details],
    ['message.export', { rows: 1, masked: false, filters: ['to'] }],
  );
  const wrong = await gateway.operator('GET', '/messages/export?code=1');
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'A300']);
});
