import assert from 'node:assert/strict';
import test from 'node:test';
import { sms } from '../harness/flows.ts';
import { type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { failNext } from '../harness/network.ts';

const REFUSED = 'A332';
const codeOf = async (client: Client, fields: object = {}, headers: Record<string, string> = {}) =>
  (await client.sms(fields as Readonly<Record<string, unknown>>, headers)).body.code;

test('the same text to the same recipient is refused within the window of the account, and not after it', async t => {
  const { gateway, client } = await testAccount(t, { settings: { duplicateWindow: 300 } });
  const free = await gateway.account('free');
  const other = await gateway.account('other', { duplicateWindow: 300 });
  assert.equal(await codeOf(client), 'A000');
  const refused = await client.sms();
  assert.deepEqual(refused.refusal, [400, REFUSED, 'The same message went to this recipient a moment ago']);
  assert.equal(await codeOf(client, { text: 'another text' }), 'A000');
  assert.equal(await codeOf(client, { to: '01012345679' }), 'A000');
  assert.equal(await codeOf(other), 'A000');
  assert.equal(await codeOf(free), 'A000');
  assert.equal(await codeOf(free), 'A000');
  gateway.clock.advance(299_000);
  assert.equal(await codeOf(client), REFUSED);
  gateway.clock.advance(1000);
  assert.equal(await codeOf(client), 'A000');
});

test('each recipient of a combined send is guarded, with its words put in, and twice in one request too', async t => {
  const { client } = await testAccount(t, { settings: { duplicateWindow: 300 } });
  const send = async (names: readonly string[], headers: Record<string, string> = {}) => {
    const destinations = names.map(name => ({ to: '01012345678', replaceWords: { name } }));
    const body = { messageFlow: [sms({ text: 'hello #{name}' })], destinations };
    const answer = await client.call('POST', '/v1/send/omni', body, headers);
    return answer.body.data.destinations.map(({ code, msgKey }: { code: string; msgKey: string | null }) => [
      code,
      msgKey !== null,
    ]);
  };
  const key = { 'idempotency-key': 'once' };
  const first = [
    ['A000', true],
    ['A000', true],
    [REFUSED, false],
  ];
  assert.deepEqual(await send(['Kim', 'Lee', 'Kim'], key), first);
  assert.deepEqual(
    await send(['Kim', 'Lee', 'Kim'], key),
    first,
    'the same request again is answered as before',
  );
  assert.deepEqual(await send(['Kim', 'Park']), [
    [REFUSED, false],
    ['A000', true],
  ]);
  assert.deepEqual(await send(['Kim']), [[REFUSED, false]]);
});

test('of two at the same moment one is refused; what failed, was cancelled or was not accepted does not count', async t => {
  const { gateway, client } = await testAccount(t, { settings: { duplicateWindow: 300 } });
  const both = await Promise.all([codeOf(client), codeOf(client)]);
  assert.deepEqual(both.sort(), ['A000', REFUSED]);

  const nobody = { to: '01012340001' };
  const failed = (await client.sms(nobody)).body.msgKey;
  assert.equal((await client.reportsOf(failed))[0]?.reportCode, '23001');
  assert.equal(await codeOf(client, nobody), 'A000');

  await gateway.holdQueue();
  const waiting = { text: 'not yet' };
  const { msgKey } = (await client.sms(waiting)).body;
  assert.equal(await codeOf(client, waiting), REFUSED);
  await client.call('POST', `/v1/message/${msgKey}/cancel`);
  assert.equal(await codeOf(client, waiting), 'A000');

  const lost = { text: 'the store fails' };
  failNext(gateway.gateway.store.messages, 'accept', ['before']);
  assert.equal(await codeOf(client, lost), 'A920');
  assert.equal(await codeOf(client, lost), 'A000');
  assert.equal(await codeOf(client, lost), REFUSED);
});

test('a message is the same with its defaults written out and its members in another order', async t => {
  const { gateway, client } = await testAccount(t, { settings: { duplicateWindow: 300 } });
  // What has failed does not count, and the simulated network knows no such format.
  await gateway.holdQueue();
  const base = { from: '0212345678', formatId: 'ISSUED', brandKey: 'BR.1', to: '01012345678' };
  const send = async (fields: object) =>
    (await client.call('POST', '/v1/send/rcs', { ...base, ...fields })).body.code;
  assert.equal(await send({ body: { title: 'one', description: 'two' } }), 'A000');
  assert.equal(await send({ body: { description: 'two', title: 'one' } }), REFUSED);
  const written = { expiryOption: '1', header: '0', copyAllowed: '0' };
  assert.equal(await send({ ...written, body: { title: 'one', description: 'two' } }), REFUSED);
  assert.equal(await send({ expiryOption: '2', body: { title: 'one', description: 'two' } }), 'A000');
  assert.equal(await send({ body: { title: 'two', description: 'one' } }), 'A000');
  const template = { title: 'one', description: 'two' };
  assert.equal(await send({ content: { template } }), REFUSED);

  const timed = async (fields: object) => {
    const body = { destinations: [{ to: base.to }], messageFlow: [sms(fields)] };
    return (await client.call('POST', '/v1/send/omni', body)).body.data.destinations[0].code;
  };
  assert.equal(await timed({}), 'A000');
  assert.equal(await timed({ ttl: '0' }), REFUSED);
  assert.equal(await timed({ ttl: '60' }), 'A000');
  assert.equal(await timed({ ttl: '060' }), REFUSED);

  const brand = { senderKey: 'key', sendType: 'free', msgType: 'FT', to: base.to, text: 'one' };
  const branded = async (fields: object) =>
    (await client.call('POST', '/v1/send/brandmessage', { ...brand, ...fields })).body.code;
  assert.equal(await branded({}), 'A000');
  assert.equal(await branded({ messageVariable: {} }), REFUSED);
  assert.equal(await branded({ messageVariable: { name: 'Kim' } }), 'A000');
});

test('a repetition under a key leaves no note of its own: the next genuine send goes out', async t => {
  const { gateway, client } = await testAccount(t, { settings: { duplicateWindow: 10 } });
  const key = { 'idempotency-key': 'once' };
  const first = await client.sms({}, key);
  gateway.clock.advance(11_000);
  assert.deepEqual((await client.sms({}, key)).body, first.body);
  assert.equal(await codeOf(client), 'A000', 'the first was long ago');

  // Two at the same moment: neither finds the key.
  gateway.clock.advance(11_000);
  const both = await Promise.all(
    [1, 2, 3].map(() => client.sms({ text: 'at once' }, { 'idempotency-key': 'two' })),
  );
  assert.equal(new Set(both.map(({ body }) => body.msgKey)).size, 1);
  assert.equal(await codeOf(client, { text: 'at once' }), REFUSED);
  gateway.clock.advance(11_000);
  assert.equal(await codeOf(client, { text: 'at once' }), 'A000');
});

test('three calls under a key at the same moment leave no note of a message that failed', async t => {
  const { client } = await testAccount(t, { settings: { duplicateWindow: 3600 } });
  for (let round = 0; round < 5; round++) {
    const nobody = { to: '01012340001', text: `round ${round}` };
    const key = { 'idempotency-key': `round-${round}` };
    const calls = await Promise.all([1, 2, 3].map(() => client.sms(nobody, key)));
    const [msgKey, ...others] = new Set(calls.map(({ body }) => body.msgKey));
    assert.deepEqual(others, []);
    assert.equal((await client.reportsOf(msgKey))[0]?.reportCode, '23001');
    assert.equal(await codeOf(client, nobody), 'A000');
  }
});

test('the window of the guard is at most an hour', async t => {
  const { operator } = await testGateway(t);
  await operator('POST', '/accounts', { id: 'shop' });
  const statusOf = async (duplicateWindow: number) =>
    (await operator('PATCH', '/accounts/shop', { settings: { duplicateWindow } })).status;
  assert.deepEqual([await statusOf(3600), await statusOf(3601)], [200, 400]);
});

test('an operator may send again what the guard would refuse', async t => {
  const { gateway, client } = await testAccount(t, { settings: { duplicateWindow: 60 } });
  await gateway.holdQueue();
  const { msgKey } = (await client.sms()).body;
  await client.call('POST', `/v1/message/${msgKey}/cancel`);
  assert.deepEqual([await codeOf(client), await codeOf(client)], ['A000', REFUSED]);
  const { results } = (await gateway.operator('POST', '/messages/resend', { msgKeys: [msgKey] })).body.data;
  assert.equal(results[0].code, 'A000', results[0].result);
});
