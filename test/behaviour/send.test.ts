import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { sms } from '../harness/flows.ts';
import { type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

interface Row {
  readonly what: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly code: string;
  readonly result?: string;
}

const SMS_ROWS: readonly Row[] = [
  { what: 'the plain fields', fields: {}, code: 'A000' },
  { what: 'a number with hyphens', fields: { to: '010-1234-5678' }, code: 'A000' },
  { what: 'a +82 number', fields: { to: '+821012345678' }, code: 'A000' },
  { what: '90 bytes of Hangul', fields: { text: '가'.repeat(45) }, code: 'A000' },
  { what: '90 bytes of ASCII', fields: { text: 'a'.repeat(90) }, code: 'A000' },
  {
    what: '91 bytes',
    fields: { text: `${'가'.repeat(45)}a` },
    code: 'A328',
    result: '"text" is longer than 90 bytes (was 91)',
  },
  {
    what: '92 bytes of Hangul',
    fields: { text: '가'.repeat(46) },
    code: 'A328',
    result: '"text" is longer than 90 bytes (was 92)',
  },
  {
    what: 'an emoji',
    fields: { text: '좋아요 😀' },
    code: 'A303',
    result: '"text" holds "😀" (U+1F600), which EUC-KR does not have',
  },
  { what: 'no text', fields: { text: undefined }, code: 'A303', result: '"text" is required' },
  { what: 'an empty text', fields: { text: '' }, code: 'A303' },
  { what: 'a null text', fields: { text: null }, code: 'A303' },
  { what: 'a number as text', fields: { text: 5 }, code: 'A011', result: '"text" must be a string' },
  { what: 'no from', fields: { from: undefined }, code: 'A302', result: '"from" is required' },
  { what: 'letters in from', fields: { from: 'SHOP' }, code: 'A302' },
  { what: 'an object as from', fields: { from: {} }, code: 'A011' },
  { what: 'no to', fields: { to: undefined }, code: 'A306', result: '"to" is required' },
  {
    what: 'a short to',
    fields: { to: '12' },
    code: 'A306',
    result: '"to" must be a domestic number such as 01012345678',
  },
  { what: 'a foreign to', fields: { to: '+14155550123' }, code: 'A306' },
  { what: 'a list as to', fields: { to: ['01012345678'] }, code: 'A011' },
  { what: 'a ref of 200 characters', fields: { ref: '참'.repeat(200) }, code: 'A000' },
  {
    what: 'a ref of 201 characters',
    fields: { ref: '참'.repeat(201) },
    code: 'A305',
    result: '"ref" is longer than 200 characters (was 201)',
  },
  { what: 'an originCID of 9 digits', fields: { originCID: '123456789' }, code: 'A000' },
  { what: 'an originCID of 4 digits, as public clients test', fields: { originCID: '1234' }, code: 'A000' },
  { what: 'an originCID of 10 digits', fields: { originCID: '1234567890' }, code: 'A300' },
  { what: 'members it does not know', fields: { colour: 'red', deep: { deeper: [] } }, code: 'A000' },
  { what: 'PascalCase members', fields: { text: undefined, Text: 'hello' }, code: 'A000' },
];

const INTERNATIONAL_ROWS: readonly Row[] = [
  { what: 'the plain fields', fields: {}, code: 'A000' },
  { what: '765 GSM characters', fields: { text: 'a'.repeat(765) }, code: 'A000' },
  {
    what: '766 GSM characters',
    fields: { text: 'a'.repeat(766) },
    code: 'A328',
    result: '"text" is longer than 5 parts, 765 GSM characters (was 6 parts, 766 characters)',
  },
  { what: '335 local-language characters', fields: { text: '가'.repeat(335) }, code: 'A000' },
  {
    what: '336 local-language characters',
    fields: { text: '가'.repeat(336) },
    code: 'A328',
    result: '"text" is longer than 5 parts, 335 local-language characters (was 6 parts, 336 characters)',
  },
  {
    what: '2001 characters',
    fields: { text: 'a'.repeat(2001) },
    code: 'A328',
    result: '"text" is longer than 2000 characters (was 2001)',
  },
  { what: 'an emoji', fields: { text: '😀' }, code: 'A000' },
  { what: 'a number without plus', fields: { to: '14155550123' }, code: 'A306' },
  { what: 'a domestic number', fields: { to: '01012345678' }, code: 'A306' },
  { what: 'a number of 16 digits', fields: { to: '+1234567890123456' }, code: 'A306' },
  { what: 'no from', fields: { from: '' }, code: 'A302' },
  { what: 'a title and a fileKey, which are ignored', fields: { title: 'x', fileKey: ['y'] }, code: 'A000' },
  { what: 'a ref of 201 characters', fields: { ref: 'r'.repeat(201) }, code: 'A305' },
];

function walk(
  name: string,
  rows: readonly Row[],
  send: (client: Client, row: Row) => ReturnType<Client['sms']>,
) {
  test(`every rule of ${name}`, async t => {
    const { client } = await testAccount(t);
    for (const row of rows) {
      await t.test(`${name} with ${row.what} is ${row.code}`, async () => {
        const answer = await send(client, row);
        assert.equal(answer.body.code, row.code, answer.text);
        assert.equal(answer.status, row.code === 'A000' ? 200 : 400);
        if (row.result) assert.equal(answer.body.result, row.result);
        if (row.code !== 'A000') assert.deepEqual(Object.keys(answer.body), ['code', 'result']);
      });
    }
  });
}

walk('sms', SMS_ROWS, (client, { fields }) => client.sms(fields));
walk('international', INTERNATIONAL_ROWS, (client, { fields }) => client.international(fields));

test('ref comes back when it was given, and only then', async t => {
  const { client } = await testAccount(t);
  assert.equal((await client.sms({ ref: 'order-1' })).body.ref, 'order-1');
  for (const ref of [undefined, null, '']) assert.equal('ref' in (await client.sms({ ref })).body, false);
});

const UNREADABLE: [string, string | Buffer | undefined, string][] = [
  ['an empty body', undefined, 'A010'],
  ['broken JSON', '{"from": ', 'A010'],
  ['text that is no JSON', 'hello', 'A010'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'A010'],
  ['a list', '[]', 'A011'],
  ['null', 'null', 'A011'],
  ['a string', '"x"', 'A011'],
  ['nesting without end', '['.repeat(200_000), 'A010'],
  ['nesting of 100,000 objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'A010'],
  ['a body over the limit', `{"text":"${'a'.repeat(1024 * 1024)}"}`, 'A300'],
];
test('an unreadable request is refused, and the next send is served', async t => {
  const { client } = await testAccount(t);
  for (const [what, body, code] of UNREADABLE) {
    await t.test(`a send with ${what} is ${code}`, async () => {
      const answer = await client.call('POST', '/v1/send/sms', body, { 'content-type': 'application/json' });
      assert.deepEqual([answer.status, answer.body.code], [400, code]);
      assert.equal((await client.sms()).body.code, 'A000');
    });
  }
});

test('a byte order mark before the JSON is ignored', async t => {
  const { client } = await testAccount(t);
  const body = `\ufeff${JSON.stringify({ from: '02', to: '01012345678', text: 'hi' })}`;
  const answer = await client.call('POST', '/v1/send/sms', body.replace('"02"', '"021"'));
  assert.equal(answer.body.code, 'A000');
});

const CONTENT_TYPES: [string, number][] = [
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/json;charset=UTF-8', 200],
  ['APPLICATION/JSON', 200],
  ['text/xml', 415],
  ['application/x-www-form-urlencoded', 415],
];
test('the content type must be JSON, in any spelling', async t => {
  const { client } = await testAccount(t);
  for (const [type, status] of CONTENT_TYPES) {
    await t.test(`a send of type ${type} is answered ${status}`, async () => {
      const body = JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hi' });
      const answer = await client.call('POST', '/v1/send/sms', body, { 'content-type': type });
      assert.equal(answer.status, status);
      if (status === 415) assert.equal(answer.body.code, 'A300');
    });
  }
});

test('an account may be kept to some channels', async t => {
  const { client } = await testAccount(t, { settings: { channels: ['sms'] } });
  assert.equal((await client.sms()).body.code, 'A000');
  const refused = await client.international();
  assert.deepEqual(refused.body, {
    code: 'A325',
    result: 'the account may not send on the channel "international"',
  });
});

test('the send rate is enforced, and the answer says when to retry', async t => {
  const { gateway, client } = await testAccount(t, { settings: { sendRate: 2 } });
  assert.equal((await client.sms()).body.code, 'A000');
  assert.equal((await client.sms()).body.code, 'A000');
  const over = await client.sms();
  assert.deepEqual([over.status, over.body.code, over.headers['retry-after']], [429, 'A020', '1']);
  assert.equal((await client.poll()).body.code, 'A000', 'other calls have a rate of their own');
  gateway.clock.advance(1000);
  assert.equal((await client.sms()).body.code, 'A000');
});

test('the call rate is enforced', async t => {
  const { client } = await testAccount(t, { settings: { callRate: 1 } });
  assert.equal((await client.poll()).body.code, 'A000');
  for (const [method, url] of [
    ['GET', '/v1/report/polling'],
    ['DELETE', '/v1/report/polling/x'],
    ['GET', '/v1/report/inquiry/x'],
  ] as const) {
    const over = await client.call(method, url);
    assert.deepEqual([over.status, over.body.code], [429, 'A020'], url);
  }
  assert.equal((await client.sms()).body.code, 'A000');
});

test('sends are unlimited until a limit is set', async t => {
  const { client } = await testAccount(t);
  const answers = await Promise.all(Array.from({ length: 300 }, () => client.sms()));
  assert.ok(answers.every(({ body }) => body.code === 'A000'));
  assert.equal(new Set(answers.map(({ body }) => body.msgKey)).size, 300);
});

test('a full queue is reported', async t => {
  const { gateway, client } = await testAccount(t, {
    env: { BONGSU_QUEUE_LIMIT: '1', BONGSU_SIMULATOR_LATENCY: '9000-9000ms' },
  });
  await Promise.all(Array.from({ length: 1100 }, () => client.sms()));
  gateway.clock.advance(1000);
  const codes = new Set<string>();
  for (let tries = 0; tries < 50 && !codes.has('A020'); tries++) codes.add((await client.sms()).body.code);
  assert.ok(codes.has('A020'));
});

async function twice(t: TestContext, first: Readonly<Record<string, unknown>>, second = first) {
  const { client } = await testAccount(t);
  const key = { 'idempotency-key': 'once' };
  return { client, answers: [await client.sms(first, key), await client.sms(second, key)] };
}

test('the same Idempotency-Key and body give the first answer again, and one message', async t => {
  const { client, answers } = await twice(t, { ref: 'a' });
  assert.deepEqual(answers[1]?.body, answers[0]?.body);
  assert.deepEqual(
    answers.map(({ headers }) => headers['idempotent-replayed']),
    [undefined, 'true'],
  );
  await client.reportsOf(answers[0]?.body.msgKey);
  assert.equal((await client.poll()).body.data.report.length, 1);
});

test('the same Idempotency-Key with another body is A301', async t => {
  const { answers } = await twice(t, { ref: 'a' }, { ref: 'b' });
  assert.deepEqual([answers[1]?.status, answers[1]?.body.code], [400, 'A301']);
});

test('a refusal is not kept under its Idempotency-Key', async t => {
  const { answers } = await twice(t, { text: '' }, { text: 'hello' });
  assert.deepEqual([answers[0]?.body.code, answers[1]?.body.code], ['A303', 'A000']);
});

test('concurrent sends under one Idempotency-Key are one message', async t => {
  const { client } = await testAccount(t);
  const key = { 'idempotency-key': 'once' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.sms({}, key)));
  assert.equal(new Set(answers.map(({ body }) => body.msgKey)).size, 1);
});

/** `yyyy-MM-dd HH:mm:ss` in Korea. */
function koreanTime(at: number): string {
  return new Date(at + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

test('a repetition gets the first answer, whatever has changed since', async t => {
  const { gateway, client } = await testAccount(t);
  const { formId } = (await client.call('POST', '/v1/form', { messageForm: [sms()] })).body.data;
  const ten = Array.from({ length: 10 }, (_, index) => ({ to: `0101234567${index}` }));
  // A minute is the least; so it is refused half a minute later.
  const later = { resvSendTime: koreanTime(gateway.clock.now() + 65_000) };
  const { resvKey } = (
    await client.call('POST', '/v1/reservation', { ...later, messageFlow: [sms()], destinations: ten })
  ).body.data;
  const single = { from: '0212345678', to: '01012345678', text: 'hello' };
  const sends: readonly (readonly [string, object])[] = [
    ['/v1/send/sms', single],
    ['/v1/send/sms', { ...single, ...later }],
    ['/v1/send/omni', { messageForm: formId, destinations: ten }],
    ['/v1/send/omni', { messageForm: formId, destinations: ten, ...later }],
    ['/v1/reservation', { messageForm: formId, destinations: ten, ...later }],
    [`/v1/reservation/resvKey/${resvKey}/destinations`, { destinations: ten }],
  ];
  const all = (key: string) =>
    Promise.all(
      sends.map(([path, body], place) =>
        client.call('POST', path, body, { 'idempotency-key': `${key}-${place}` }),
      ),
    );
  const first = await all('once');
  assert.deepEqual(
    first.map(({ body }) => body.code),
    sends.map(() => 'A000'),
  );
  const bySame = await client.call('POST', sends[5]?.[0] ?? '', '{ }', { 'idempotency-key': 'once-5' });
  assert.deepEqual(bySame.body.code, 'A301', 'another body, which could not even be read');

  await client.call('DELETE', `/v1/form/${formId}`);
  await client.call('POST', `/v1/reservation/resvKey/${resvKey}/cancel`);
  const settings = {
    channels: ['rcs'],
    sendRate: 1,
    duplicateWindow: 60,
    reservationLimit: 1,
    enforceRegistry: true,
  };
  assert.equal((await gateway.operator('PATCH', '/accounts/shop', { settings })).body.code, 'A000');
  gateway.clock.advance(30_000);
  const fresh = await all('another');
  assert.deepEqual(
    fresh.map(({ body }) => body.code === 'A000'),
    sends.map(() => false),
    'all would be refused now',
  );
  const again = await all('once');
  assert.deepEqual(
    again.map(({ body, headers }) => [body, headers['idempotent-replayed']]),
    first.map(({ body }) => [body, 'true']),
  );
});

test('an Idempotency-Key belongs to one account and one path', async t => {
  const gateway = await testGateway(t);
  const [one, two] = [await gateway.account('one'), await gateway.account('two')];
  const key = { 'idempotency-key': 'once' };
  const keys = new Set<string | undefined>();
  keys.add((await one.sms({}, key)).body.msgKey);
  keys.add((await two.sms({}, key)).body.msgKey);
  const body = { from: '0212345678', to: '+14155550123', text: 'hello' };
  keys.add((await one.call('POST', '/v1/send/international', body, key)).body.msgKey);
  assert.equal(keys.size, 3);
});

test('an Idempotency-Key is forgotten after 24 hours', async t => {
  const { gateway, client } = await testAccount(t);
  const key = { 'idempotency-key': 'once' };
  const first = await client.sms({}, key);
  gateway.clock.advance(23 * 3_600_000);
  assert.equal((await client.sms({}, key)).body.msgKey, first.body.msgKey);
  gateway.clock.advance(2 * 3_600_000);
  const token = await gateway.token('shop');
  const headers = { ...key, ...bearer(token) };
  await until('the key is swept', async () => {
    gateway.clock.advance(60_000);
    const body = { from: '0212345678', to: '01012345678', text: 'hello' };
    const answer = await gateway.request('POST', '/v1/send/sms', { headers, body });
    return answer.body.msgKey !== first.body.msgKey;
  });
});

test('an invalid Idempotency-Key is refused', async t => {
  const { client } = await testAccount(t);
  const answer = await client.sms({}, { 'idempotency-key': 'x'.repeat(256) });
  assert.equal(answer.body.code, 'A300');
});
