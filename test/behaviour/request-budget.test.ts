import assert from 'node:assert/strict';
import test from 'node:test';
import { SEND_KINDS } from '../../src/domain/request/send-kinds.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { friendtalk, rcs, sms } from '../harness/flows.ts';
import { type Answer, type Client, testAccount } from '../harness/gateway.ts';

/** As docs say, and not as the code has it. */
const [MAX_DEPTH, MAX_VALUES, MAX_MEMBERS, MAX_FLOW_BYTES] = [64, 20_000, 2_000, 64 * 1024];
const JSON_HEADERS = { 'content-type': 'application/json' };
const LONG_WORD = 'x'.repeat(2000);
const TEN = Array.from({ length: 10 }, (_, index) => `0101234567${index}`);

function destinations(replaceWords: object): object[] {
  return TEN.map(to => ({ to, replaceWords }));
}

async function omni(client: Client, body: object): Promise<Answer> {
  return client.call('POST', '/v1/send/omni', body);
}

function codesIn({ body }: Answer): string[] {
  assert.equal(body.code, 'A000', body.result);
  return body.data.destinations.map(({ code, result }: Answer['body']) => `${code} ${result}`);
}

test('a body of 400,000 levels is refused with its limit, on every path that takes JSON', async t => {
  const { gateway, client } = await testAccount(t);
  const deep = `${'{"a":'.repeat(400_000 / 2)}${'['.repeat(400_000 / 2)}`.slice(0, 1024 * 1024);
  const closed = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
  const tooDeep = [400, 'A010', `The body is nested deeper than ${MAX_DEPTH} levels`];
  const inFlow = `{"destinations":[{"to":"01012345678"}],"messageFlow":${closed}}`;
  for (const body of [closed, inFlow, deep]) {
    for (const path of [...SEND_KINDS.map(kind => `/v1/send/${kind}`), '/v1/form']) {
      assert.deepEqual((await client.call('POST', path, body, JSON_HEADERS)).refusal, tooDeep, path);
    }
    const headers = { ...JSON_HEADERS, ...bearer(ADMIN_TOKEN) };
    const url = '/admin/v1/accounts/shop/send/omni';
    assert.deepEqual((await gateway.request('POST', url, { headers, body })).refusal, tooDeep);
  }
});

test('a body of more values than a request can use is refused with its limit', async t => {
  const { client } = await testAccount(t);
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`u${n}`, n]));
  const body = (members: number, steps: number) => ({
    messageFlow: Array(steps).fill(friendtalk({ text: '#{a}', ...unknown(members) })),
    destinations: destinations({ a: 'x' }),
  });
  assert.deepEqual((await omni(client, body(MAX_VALUES / 20, 20))).refusal, [
    400,
    'A300',
    `The body holds more than ${MAX_VALUES} values`,
  ]);
  assert.deepEqual((await omni(client, body(MAX_MEMBERS, 1))).refusal, [
    400,
    'A300',
    `The body holds an object or a list of more than ${MAX_MEMBERS} members`,
  ]);
  const accepted = codesIn(await omni(client, body(MAX_MEMBERS - 100, 1)));
  assert.deepEqual(accepted, Array(10).fill('A000 Success'), 'unknown members are ignored');
});

test('messages that are larger together than any flow that people write are refused with their limit', async t => {
  const { client } = await testAccount(t);
  const flow = (length: number) => [
    rcs({ formatId: 'ISSUED01', content: { template: { body: '가'.repeat(length) } } }),
  ];
  const tooLarge = [400, 'A300', `The messages are larger than ${MAX_FLOW_BYTES} bytes in total`];
  const fits = Math.floor((MAX_FLOW_BYTES - 500) / 3);
  const to = [{ to: '01012345678' }];
  assert.deepEqual(codesIn(await omni(client, { messageFlow: flow(fits), destinations: to })), [
    'A000 Success',
  ]);
  assert.deepEqual(
    (await omni(client, { messageFlow: flow(fits + 500), destinations: to })).refusal,
    tooLarge,
  );
  const [single] = flow(fits + 500);
  assert.deepEqual(
    (await client.call('POST', '/v1/send/rcs', { ...single?.rcs, to: '01012345678' })).refusal,
    tooLarge,
  );
});

test('a flow or form with hundreds of thousands of placeholders is refused with the limit', async t => {
  const { client } = await testAccount(t);
  for (const placeholder of ['#{a}', '#{}']) {
    const text = placeholder.repeat(250_000);
    const messageFlow = [sms({ text })];
    const sent = await omni(client, { messageFlow, destinations: destinations({ a: LONG_WORD }) });
    assert.deepEqual(sent.refusal, [400, 'A300', '"messageFlow" holds more than 1000 placeholders']);
    const messageForm = [sms({ text: placeholder.repeat(1001) })];
    const saved = await client.call('POST', '/v1/form', { messageForm });
    assert.deepEqual(saved.refusal, [400, 'A300', '"messageForm" holds more than 1000 placeholders']);
    const single = await client.sms({ text });
    assert.equal(single.body.code, 'A328', 'in a single send it is plain text');
  }
});

test('words that make a text too long are the result of their recipient, through a form too', async t => {
  const { client } = await testAccount(t);
  const flow = [rcs({ formatId: 'ISSUED01', content: { template: { body: '#{a}'.repeat(900) } } }), sms()];
  const form = await client.call('POST', '/v1/form', { messageForm: flow });
  assert.equal(form.body.code, 'A000', form.text);
  const to = [
    { to: '01012345678', replaceWords: { a: LONG_WORD } },
    { to: '01012345679', replaceWords: { a: 'x' } },
  ];
  for (const [member, given] of [
    ['messageFlow', flow],
    ['messageForm', form.body.data.formId],
  ] as const) {
    assert.deepEqual(codesIn(await omni(client, { [member]: given, destinations: to })), [
      `A415 "${member}[0].rcs.content.template.body" is longer than 20000 characters`,
      'A000 Success',
    ]);
  }
});
