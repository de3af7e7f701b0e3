import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_CHAOS } from '../../src/domain/delivery/chaos.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { freshStore } from '../harness/engines.ts';
import { type Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { until } from '../harness/until.ts';

const HOUR = 3_600_000;

async function timelineOf(gateway: TestGateway, msgKey: string | undefined) {
  const answer = await gateway.operator('GET', `/messages/${msgKey}`);
  return answer.body.data as {
    state: string;
    attempt: number;
    timeline: { event: string; attempt: number; code?: string }[];
  };
}

/** Turns the clock in small steps until the message has its record. */
async function reportInTime(gateway: TestGateway, client: Client, msgKey: string | undefined) {
  return until('the record is there', async () => {
    gateway.clock.advance(1000);
    const records = await client.inquire(msgKey);
    return records.length > 0 && records;
  });
}

const DELIVERED_AT_ONCE = ['5678', '0002', '0003', '0004', '0007', '0008'];
for (const digits of DELIVERED_AT_ONCE) {
  test(`…${digits} is delivered on both text channels, with one record`, async t => {
    const { client } = await testAccount(t);
    const keys = [
      (await client.sms({ to: `0101234${digits}` })).body.msgKey,
      (await client.international({ to: `+1415555${digits}` })).body.msgKey,
    ];
    for (const key of keys) {
      const records = await client.reportsOf(key);
      assert.deepEqual(
        records.map(({ reportCode }) => reportCode),
        ['10000'],
      );
    }
    assert.equal((await client.poll()).body.data.report.length, 2);
  });
}

test('…0001 is no subscriber', async t => {
  const { client } = await testAccount(t);
  const [record] = await client.reportsOf((await client.sms({ to: '01012340001' })).body.msgKey);
  assert.deepEqual([record?.reportCode, record?.reportText], ['23001', 'No such subscriber']);
});

test('…0005 is switched off twice and delivered on the third attempt', async t => {
  const { gateway, client } = await testAccount(t);
  const { msgKey } = (await client.sms({ to: '01012340005' })).body;
  const [record] = await reportInTime(gateway, client, msgKey);
  assert.equal(record?.reportCode, '10000');
  const { timeline } = await timelineOf(gateway, msgKey);
  assert.deepEqual(
    timeline.map(({ event, attempt, code }) => [event, attempt, code]),
    [
      ['routed', 0, undefined],
      ['deferred', 1, '22003'],
      ['deferred', 2, '22003'],
      ['accepted', 3, undefined],
      ['receivedDelivered', 3, '10000'],
    ],
  );
});

for (const [digits, state, what] of [
  ['0006', 'submitted', 'silent'],
  ['0009', 'unknown', 'lost with its link'],
] as const) {
  test(`…${digits} is ${what}, and the deadline of 25 hours decides`, async t => {
    const { gateway, client } = await testAccount(t, { env: { BONGSU_TOKEN_LIFETIME: '90d' } });
    const { msgKey } = (await client.sms({ to: `0101234${digits}` })).body;
    await until(`the message is ${state}`, async () => (await timelineOf(gateway, msgKey)).state === state);
    gateway.clock.advance(25 * HOUR - 1000);
    assert.deepEqual(await client.inquire(msgKey), []);
    const [record] = await reportInTime(gateway, client, msgKey);
    assert.deepEqual([record?.reportCode, record?.reportText], ['22000', 'Send timed out']);
    assert.equal((await timelineOf(gateway, msgKey)).state, 'expired');
    assert.equal((await client.poll()).body.data.report.length, 1);
  });
}

test('an unknown outcome is not sent again, not even by a restart', async t => {
  const store = await freshStore(t);
  const clock = new ManualClock();
  const { gateway: first, client } = await testAccount(t, { env: store, clock });
  const { msgKey } = (await client.sms({ to: '01012340009' })).body;
  await until('it is unknown', async () => (await timelineOf(first, msgKey)).state === 'unknown');
  await first.close();
  const second = await testGateway(t, store, clock);
  clock.advance(5000);
  const { state, attempt } = await timelineOf(second, msgKey);
  assert.deepEqual([state, attempt], ['unknown', 1]);
});

test('the network takes its configured time', async t => {
  const { gateway, client } = await testAccount(t, { env: { BONGSU_SIMULATOR_LATENCY: '1000-1000ms' } });
  const { msgKey } = (await client.sms()).body;
  await until('it is claimed', async () => (await timelineOf(gateway, msgKey)).state === 'submitting');
  gateway.clock.advance(1000);
  await until('it is submitted', async () => (await timelineOf(gateway, msgKey)).state === 'submitted');
  assert.deepEqual(await client.inquire(msgKey), []);
  gateway.clock.advance(1000);
  await client.reportsOf(msgKey);
});

async function setChaos(gateway: TestGateway, body: object) {
  return gateway.operator('PUT', '/simulator/chaos', body);
}

test('chaos refuses submits for now, and is reset', async t => {
  const { gateway, client } = await testAccount(t);
  const set = await setChaos(gateway, { errorRate: 1 });
  assert.deepEqual(set.body.data, { ...NO_CHAOS, errorRate: 1 });
  const { msgKey } = (await client.sms()).body;
  await until('it is retrying', async () => (await timelineOf(gateway, msgKey)).state === 'retrying');
  await gateway.operator('DELETE', '/simulator/chaos');
  const shown = await gateway.operator('GET', '/simulator/chaos');
  assert.deepEqual(shown.body.data, NO_CHAOS);
  const [record] = await reportInTime(gateway, client, msgKey);
  assert.equal(record?.reportCode, '10000');
});

test('chaos drops links, and what was on them is unknown', async t => {
  const { gateway, client } = await testAccount(t);
  await setChaos(gateway, { dropRate: 1 });
  const { msgKey } = (await client.sms()).body;
  await until('it is unknown', async () => (await timelineOf(gateway, msgKey)).state === 'unknown');
});

test('chaos answers late: the message is unknown until then', async t => {
  const { gateway, client } = await testAccount(t);
  await setChaos(gateway, { lateRate: 1 });
  const keys = [(await client.sms()).body.msgKey, (await client.sms({ to: '01012340001' })).body.msgKey];
  for (const key of keys) {
    await until('it is unknown', async () => (await timelineOf(gateway, key)).state === 'unknown');
    assert.deepEqual(await client.inquire(key), []);
  }
  const records = await Promise.all(keys.map(key => reportInTime(gateway, client, key)));
  assert.deepEqual(
    records.map(([record]) => record?.reportCode),
    ['10000', '23001'],
  );
  const { timeline } = await timelineOf(gateway, keys[0]);
  assert.deepEqual(
    timeline.map(({ event }) => event),
    ['routed', 'lost', 'accepted', 'receivedDelivered'],
  );
});

test('chaos cuts texts into parts: one report when all have arrived, and a part that fails decides', async t => {
  const { gateway, client } = await testAccount(t);
  const eventsOf = async (key: string | undefined) =>
    (await timelineOf(gateway, key)).timeline.map(({ event }) => event);
  const send = async (text: string) => {
    const { msgKey } = (await client.sms({ text })).body;
    return { msgKey, records: await client.reportsOf(msgKey) };
  };
  await setChaos(gateway, { partLength: 5 });
  const whole = await send('hello hello');
  assert.deepEqual(
    whole.records.map(({ reportCode }) => reportCode),
    ['10000'],
  );
  await setChaos(gateway, { partLength: 5, partErrorRate: 1 });
  const failed = await send('hello hello');
  const late = ['latePart', 'latePart'];
  await until('the other parts arrived', async () => (await eventsOf(failed.msgKey)).length === 5);
  assert.deepEqual(await eventsOf(failed.msgKey), ['routed', 'accepted', 'receivedFailed', ...late]);
  assert.deepEqual(
    (await client.inquire(failed.msgKey)).map(({ reportCode }) => reportCode),
    ['22002'],
  );
  assert.equal((await send('hello')).records[0]?.reportCode, '10000');
});

test('chaos throttles: throttled messages are sent again, and arrive', async t => {
  const { gateway, client } = await testAccount(t);
  await setChaos(gateway, { throttleAbove: 2 });
  const keys: (string | undefined)[] = [];
  for (let count = 0; count < 8; count++) keys.push((await client.sms()).body.msgKey);
  for (const key of keys) {
    const records = await reportInTime(gateway, client, key);
    assert.deepEqual(
      records.map(({ reportCode }) => reportCode),
      ['10000'],
    );
  }
  const { data } = (await gateway.operator('GET', '/carriers')).body;
  assert.ok(data.carriers[0].throttled > 0);
});

test('a refusal that never ends becomes a failure after the last attempt', async t => {
  const { gateway, client } = await testAccount(t);
  await setChaos(gateway, { errorRate: 1 });
  const { msgKey } = (await client.sms()).body;
  // Turned far while an attempt is being recorded, the clock would only bring the store to its time limits, again and again.
  await until('the last attempt is made', async () => {
    const { state } = await timelineOf(gateway, msgKey);
    gateway.clock.advance(state === 'retrying' ? 60_000 : 10);
    return state === 'failed';
  });
  const [record] = await client.reportsOf(msgKey);
  assert.equal(record?.reportCode, '22007');
  assert.equal((await timelineOf(gateway, msgKey)).timeline.length, 7);
});

test('chaos settings are checked', async t => {
  const gateway = await testGateway(t);
  for (const body of [
    { errorRate: 2 },
    { errorRate: '1' },
    { partLength: 1.5 },
    { extraLatencyMs: -1 },
    { colour: 1 },
    [],
  ]) {
    const answer = await setChaos(gateway, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
  }
});

const RCS = { from: '0212345678', to: '01012345678', brandKey: 'BR.1' };
const UNKNOWN_KEY = '0'.repeat(32);
const TEMPLATE = { template: { description: 'hi' } };

for (const [what, path, body, code, why] of [
  [
    'a file that was never uploaded',
    'mms',
    { text: 'a', fileKey: [UNKNOWN_KEY] },
    '23034',
    /^0{32} is not an uploaded/,
  ],
  [
    'a word in the place of a key',
    'mms',
    { text: 'a', fileKey: ['photo'] },
    '23034',
    /^photo is not an uploaded/,
  ],
  [
    'media that were never uploaded',
    'rcs',
    { formatId: 'SMwThM00', content: { standalone: { title: 'a', media: 'maapfile://word' } } },
    '33120',
    /^maapfile:\/\/word is not an uploaded/,
  ],
  [
    'a slip in a format',
    'rcs',
    { formatId: 'SS00000', content: TEMPLATE },
    '33121',
    /nearest format is SS000000/,
  ],
  [
    'an id that nobody registered',
    'rcs',
    { formatId: 'TPL1', content: TEMPLATE },
    '33121',
    /TPL1 is neither a format/,
  ],
  [
    'a card under such an id',
    'rcs',
    { formatId: 'TPL1', content: { standalone: { text: 'a' } } },
    '33121',
    /TPL1/,
  ],
] as const) {
  test(`${what} is accepted, and the report is that of a network, with the cause`, async t => {
    const { gateway, client } = await testAccount(t);
    const sent = await client.call('POST', `/v1/send/${path}`, { ...RCS, ...body });
    assert.equal(sent.body.code, 'A000', sent.body.result);
    const [record] = await client.reportsOf(sent.body.msgKey);
    assert.equal(record?.reportCode, code);
    const { timeline } = await timelineOf(gateway, sent.body.msgKey);
    const refused = timeline.find(({ code: seen }) => seen === code) as { why?: string } | undefined;
    assert.match(refused?.why ?? '', why);
  });
}

test('files of another account and files that have expired are refused like unknown ones', async t => {
  const gateway = await testGateway(t, { BONGSU_FILE_LIFETIME: '1h', BONGSU_TOKEN_LIFETIME: '90d' });
  const [shop, other] = [await gateway.account('shop'), await gateway.account('other')];
  const { fileKey } = await shop.upload('MMS', image('jpg', 100, 100));
  const codeOf = async (client: Client) => {
    const { msgKey } = (await client.call('POST', '/v1/send/mms', { ...RCS, text: 'a', fileKey: [fileKey] }))
      .body;
    return (await reportInTime(gateway, client, msgKey))[0]?.reportCode;
  };
  assert.equal(await codeOf(shop), '10000');
  assert.equal(await codeOf(other), '23034');
  gateway.clock.advance(HOUR);
  assert.equal(await codeOf(shop), '23034');
});

test('a registered template is delivered, a draft is not', async t => {
  const { gateway, client } = await testAccount(t);
  const put = (entry: object) => gateway.operator('PUT', '/accounts/shop/registry/rcsTemplate/TPL1', entry);
  const codeOf = async () => {
    const sent = await client.call('POST', '/v1/send/rcs', { ...RCS, formatId: 'TPL1', content: TEMPLATE });
    return (await client.reportsOf(sent.body.msgKey))[0]?.reportCode;
  };
  await put({ templateKind: 'free' });
  assert.equal(await codeOf(), '10000');
  await put({ templateKind: 'free', state: 'draft' });
  assert.equal(await codeOf(), '33121');
});

test('a messenger refuses a message that differs from a registered template, and accepts unregistered templates', async t => {
  const { gateway, client } = await testAccount(t);
  const path = '/accounts/shop/registry/alimtalkTemplate/p1%2FT1';
  const put = (body: object) => gateway.operator('PUT', path, body);
  const button = [{ type: 'WL', name: 'go', urlMobile: 'https://example.com' }];
  const send = async (fields: object) => {
    const body = {
      to: RCS.to,
      ...{ senderKey: 'p1', templateCode: 'T1', msgType: 'AT', text: 'hi Kim' },
      ...fields,
    };
    const { body: sent } = await client.call('POST', '/v1/send/alimtalk', body);
    assert.equal(sent.code, 'A000', sent.result);
    const [record] = await client.reportsOf(sent.msgKey);
    const { timeline } = await timelineOf(gateway, sent.msgKey);
    const refused = timeline.find(({ code }) => code === record?.reportCode) as { why?: string } | undefined;
    return [record?.reportCode, refused?.why];
  };
  assert.deepEqual(await send({ attachment: { button } }), ['10000', undefined]);
  await put({ text: 'hi #{name}' });
  assert.deepEqual(await send({}), ['10000', undefined]);
  assert.deepEqual(await send({ attachment: { button } }), [
    '63027',
    '"attachment.button" differs from the registered template T1',
  ]);
  assert.deepEqual(await send({ text: 'bye' }), ['63016', '"text" differs from the registered template T1']);
  await put({ text: 'hi #{name}', state: 'rejected', reason: 'no' });
  assert.deepEqual(await send({}), ['63015', '"templateCode" T1 is a template in the state rejected']);
});

test('the carousel of the documents is delivered, with images that were uploaded for it', async t => {
  const { client } = await testAccount(t);
  const { media } = await client.upload('RCS', image('jpg', 696, 504));
  const example = JSON.stringify(SEND_EXAMPLES.rcs['carousel of two cards']);
  const body = JSON.parse(example.replaceAll(/maapfile:\/\/\w+/g, media));
  const { msgKey } = (await client.call('POST', '/v1/send/rcs', body)).body;
  assert.equal((await client.reportsOf(msgKey))[0]?.reportCode, '10000');
});
