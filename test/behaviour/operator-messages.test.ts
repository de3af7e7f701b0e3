import assert from 'node:assert/strict';
import test from 'node:test';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { alimtalk, friendtalk, mms, rcs, sms } from '../harness/flows.ts';
import { type Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

interface Found {
  readonly msgKey: string;
  readonly state: string;
}

async function found(gateway: TestGateway, query: string): Promise<Found[]> {
  const answer = await gateway.operator('GET', `/messages?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.messages;
}

test('a parameter that is given twice is refused, for operators and accounts, and shows nothing of others', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const { operator } = gateway;
  const answers = [
    await operator('GET', '/messages?account=a&account=b'),
    await operator('GET', '/reservations?account=a&account=b'),
    await operator('GET', '/events?account=a&account=b'),
    await operator('GET', '//events?account=a&account=b'),
    await operator('GET', '/%65vents?account=a&account=b'),
    await shop.call('GET', '//%761/message/history?to=a&to=b'),
    await operator('GET', '/statistics?account=a&account=b'),
    await shop.call('GET', '/v1/message/history?to=a&limit=1&to=b'),
    await shop.call('GET', '/v1/reservation/list?status=PENDING&status=STOPPED'),
  ];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code, body.result.replace(/"\w+"/, 'NAME')]),
    answers.map(() => [400, 'A300', 'NAME is given more than once']),
  );
});

test('messages are found by their properties, newest first, page by page', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const cafe = await gateway.account('cafe');
  const keys: string[] = [];
  for (const client of [shop, cafe, shop]) {
    const { msgKey = '' } = (await client.sms({ ref: `ref-${keys.length}` })).body;
    keys.push(msgKey);
    await client.reportsOf(msgKey);
    gateway.clock.advance(1000);
  }
  const [first, second, third] = keys;
  const keysOf = async (query: string) => (await found(gateway, query)).map(({ msgKey }) => msgKey);
  assert.deepEqual(await keysOf(''), [third, second, first]);
  assert.deepEqual(await keysOf('account=cafe'), [second]);
  assert.deepEqual(await keysOf('ref=ref-0'), [first]);
  assert.deepEqual(await keysOf('to=01012345678&account=shop'), [third, first]);
  assert.deepEqual(await keysOf(`key=${second}`), [second]);
  assert.deepEqual(await keysOf('channel=rcs'), []);
  assert.deepEqual(await keysOf('state=failed,expired'), []);
  assert.deepEqual(await keysOf('state=failed,delivered'), [third, second, first]);
  assert.deepEqual(await keysOf('state=delivered&code=10000&channel=sms&limit=1'), [third]);
  const from = encodeURIComponent('2026-01-05T12:00:01+09:00');
  assert.deepEqual(await keysOf(`from=${from}`), [third, second]);
  assert.deepEqual(await keysOf(`until=${from}`), [first]);

  const page = (await gateway.operator('GET', '/messages?limit=2')).body.data;
  assert.deepEqual(page.next, second);
  const rest = (await gateway.operator('GET', `/messages?limit=2&cursor=${page.next}`)).body.data;
  assert.deepEqual([rest.messages[0].msgKey, rest.next], [first, null]);
});

test('pending messages show their live state, finished ones their code', async t => {
  const { gateway, client } = await testAccount(t);
  const failed = (await client.sms({ to: '01012340001' })).body.msgKey;
  await client.reportsOf(failed);
  gateway.clock.advance(1);
  await gateway.holdQueue();
  const waiting = (await client.sms()).body.msgKey;
  const rows = await found(gateway, '');
  assert.deepEqual(
    rows.map(({ msgKey, state }) => [msgKey, state]),
    [
      [waiting, 'queued'],
      [failed, 'failed'],
    ],
  );
  assert.deepEqual(rows[1], {
    msgKey: failed,
    account: 'shop',
    to: '01012340001',
    channels: ['sms'],
    step: 0,
    state: 'failed',
    code: '23001',
    carrier: 'simulator',
    acceptedAt: '2026-01-05T12:00:00+09:00',
    finishedAt: '2026-01-05T12:00:00+09:00',
    fate: 'failed',
  });
});

test('a number is found however it is written', async t => {
  const { gateway, client } = await testAccount(t);
  const { msgKey } = (await client.sms({ to: '010-9876-5432' })).body;
  const abroad = (
    await client.call('POST', '/v1/send/international', {
      ...{ from: '0212345678', to: '+14155550123', text: 'hello' },
    })
  ).body.msgKey;
  for (const [to, key] of [
    ...['01098765432', '010-9876-5432', '010 9876 5432', '+82 10-9876-5432', '+821098765432'].map(
      writing => [writing, msgKey] as const,
    ),
    ['821098765432', msgKey],
    ['(010) 9876.5432', msgKey],
    ['+82 010 9876 5432', msgKey],
    ['+1 415-555-0123', abroad],
    ['14155550123', abroad],
  ] as const) {
    const rows = await found(gateway, String(new URLSearchParams({ to })));
    assert.deepEqual(
      rows.map(row => row.msgKey),
      [key],
      to,
    );
  }
  for (const to of ['9876-5432', '010-9876-543', '+81 10-9876-5432', '+1 82 10 9876 5432']) {
    assert.deepEqual(await found(gateway, String(new URLSearchParams({ to }))), [], to);
  }
});

test('a history has milliseconds', async t => {
  const { gateway, client } = await testAccount(t);
  gateway.clock.advance(7);
  const { msgKey } = (await client.sms()).body;
  await client.reportsOf(msgKey);
  const { acceptedAt, timeline } = await gateway.message(msgKey);
  assert.equal(acceptedAt, '2026-01-05T12:00:00.007+09:00');
  for (const { at } of timeline) assert.match(at, /T12:00:00\.\d{3}\+09:00$/);
});

const WRONG: readonly (readonly [query: string, says: RegExp])[] = [
  ['key=short', /"key" must be a msgKey/],
  ['channel=pigeon', /"channel" must be one of sms, /],
  ['state=gone', /"state" must be one of queued, /],
  ['state=failed,failed', /"state" must be one of queued, /],
  ['code=1', /"code" must be a report code/],
  ['from=yesterday', /"from" must be a time such as/],
  ['cursor=x', /"cursor" must be the "next"/],
  ['limit=0', /"limit" must be a whole number from 1 to 200/],
  ['limit=201', /"limit"/],
  ['to=1&to=2', /"to" is given more than once/],
];

test('an invalid filter is named with its rule', async t => {
  const { operator } = await testGateway(t);
  for (const [query, says] of WRONG) {
    const { body } = await operator('GET', `/messages?${query}`);
    assert.equal(body.code, 'A300', query);
    assert.match(body.result, says);
  }
});

/** Sends of every channel: the examples of the API document, and flows with words. */
const SENDS: readonly (readonly [path: string, body: object])[] = [
  ...Object.entries(SEND_EXAMPLES).flatMap(([kind, examples]) =>
    Object.values(examples).map(body => [`/v1/send/${kind}`, body] as const),
  ),
  ...[
    [sms({ ttl: '60' })],
    [rcs({ brandKey: '' }), mms({ title: 'title' })],
    [alimtalk(), friendtalk(), sms()],
    [sms({ text: '#{name}, hello' }), mms({ text: '#{name}, hello again' })],
  ].map(
    messageFlow =>
      [
        '/v1/send/omni',
        {
          destinations: [{ to: '01012345678', replaceWords: { name: 'Kim' } }],
          messageFlow,
          paymentCode: 'dept',
        },
      ] as const,
  ),
];

test('the request shown for a message says the same as the one it came from, on every channel', async t => {
  const { gateway, client } = await testAccount(t);
  for (const [path, body] of SENDS) {
    const sent = await client.call('POST', path, body);
    const msgKey = sent.body.msgKey ?? sent.body.data?.destinations[0].msgKey;
    assert.ok(msgKey, `${path}: ${sent.text}`);
    const { request, response, rendered } = await gateway.message(msgKey);
    const kind = request.path.replace('/v1/send/', '');
    const checked = (await gateway.operator('POST', `/accounts/shop/check/${kind}`, request.body)).body.data;
    assert.equal(checked.problem, null, `${path}: ${JSON.stringify([request, checked])}`);
    assert.deepEqual(
      checked.steps.map((step: { rendered: object }) => step.rendered),
      rendered,
      path,
    );
    const again = await client.call('POST', request.path, request.body);
    assert.equal(again.body.code, 'A000', again.text);
    assert.deepEqual(Object.keys(response), Object.keys(again.body));
  }
});

test('the detail of a message has its reports, whatever the account wants to see of them', async t => {
  const { gateway, client } = await testAccount(t, {
    settings: { reportRecords: 'final', reportFormat: 'legacy' },
  });
  const msgKey = await fallbackOf(client);
  const { reports } = await until('both steps have ended', async () => {
    const data = await gateway.message(msgKey);
    return data.reports.length === 2 && data;
  });
  assert.deepEqual(
    reports.map((report: { serviceType: string }) => report.serviceType),
    ['RCS', 'SMS'],
  );
  assert.ok(reports[1].sendTime);
});

async function fallbackOf(client: Client): Promise<string> {
  const omni = { destinations: [{ to: '01012340001' }], messageFlow: [rcs(), sms()] };
  return (await client.call('POST', '/v1/send/omni', omni)).body.data.destinations[0].msgKey;
}
