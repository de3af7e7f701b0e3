import assert from 'node:assert/strict';
import test from 'node:test';
import { alimtalk, friendtalk, mms, rcs, sms } from '../harness/flows.ts';
import { type Answer, type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

interface DestinationResult {
  readonly to: string;
  readonly msgKey: string | null;
  readonly code: string;
  readonly result: string;
}

function omni(client: Client, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return client.call('POST', '/v1/send/omni', body, headers);
}

async function omniKeys(client: Client, messageFlow: object[], to: string[]): Promise<string[]> {
  const answer = await omni(client, { messageFlow, destinations: to.map(number => ({ to: number })) });
  assert.equal(answer.body.code, 'A000', answer.text);
  return answer.body.data.destinations.map(({ msgKey }: DestinationResult) => msgKey);
}

async function codesOf(client: Client, msgKey: string | undefined, count: number): Promise<string[]> {
  const records = await client.reportsOf(msgKey, count);
  return records.map(({ serviceType, reportCode }) => `${serviceType} ${reportCode}`);
}

test('answers each destination with exactly the members of the specification', async t => {
  const { client } = await testAccount(t);
  const answer = await omni(client, {
    messageFlow: [sms()],
    destinations: [{ to: '010-1234-5678' }, { to: '01012345679' }],
    ref: 'order-1',
  });
  assert.deepEqual(Object.keys(answer.body), ['code', 'result', 'data', 'ref']);
  assert.deepEqual(Object.keys(answer.body.data), ['destinations']);
  const [first, second]: DestinationResult[] = answer.body.data.destinations;
  assert.deepEqual(Object.keys(first ?? {}), ['to', 'msgKey', 'code', 'result']);
  assert.deepEqual([first?.to, first?.code, first?.result], ['010-1234-5678', 'A000', 'Success']);
  assert.equal(
    first?.msgKey?.slice(0, 29),
    second?.msgKey?.slice(0, 29),
    'keys of one request share their head',
  );
  assert.notEqual(first?.msgKey, second?.msgKey);
  assert.equal((await client.reportsOf(first?.msgKey ?? ''))[0]?.ref, 'order-1');
});

test('RCS is refused by the handset and the SMS after it is delivered', async t => {
  const { client } = await testAccount(t);
  const [key] = await omniKeys(client, [rcs(), sms()], ['01012340002']);
  assert.deepEqual(await codesOf(client, key, 2), ['RCS 33101', 'SMS 10000']);
});

test('no messenger user on either messenger channel, and then an MMS', async t => {
  const { client } = await testAccount(t);
  const flow = [alimtalk(), friendtalk(), mms()];
  const [key] = await omniKeys(client, flow, ['01012340003']);
  assert.deepEqual(await codesOf(client, key, 3), ['ALIMTALK 63019', 'FRIENDTALK 63019', 'MMS 10000']);
});

test('no messenger user, and then RCS is delivered', async t => {
  const { client } = await testAccount(t);
  const [key] = await omniKeys(client, [alimtalk(), rcs(), sms()], ['01012340003']);
  assert.deepEqual(await codesOf(client, key, 2), ['ALIMTALK 63019', 'RCS 10000']);
});

test('what is delivered ends the flow', async t => {
  const { client } = await testAccount(t);
  const [key] = await omniKeys(client, [alimtalk(), rcs(), sms()], ['01012345678']);
  assert.deepEqual(await codesOf(client, key, 1), ['ALIMTALK 10000']);
});

test('when every step fails there is a record for each, in order', async t => {
  const { client } = await testAccount(t);
  const [key] = await omniKeys(client, [alimtalk(), rcs(), sms()], ['01012340001']);
  assert.deepEqual(await codesOf(client, key, 3), ['ALIMTALK 63018', 'RCS 33001', 'SMS 23001']);
  const polled = (await client.poll()).body.data.report;
  assert.deepEqual(
    polled.map(({ serviceType }: { serviceType: string }) => serviceType),
    ['ALIMTALK', 'RCS', 'SMS'],
  );
});

for (const [expiryOption, seconds] of [
  ['2', 40],
  ['3', 190],
  ['4', 3600],
  ['1', 86_400],
] as const) {
  test(`RCS that stays silent falls back after ${seconds} seconds with expiryOption ${expiryOption}`, async t => {
    const { gateway, client } = await testAccount(t, { env: { BONGSU_TOKEN_LIFETIME: '90d' } });
    const [key = ''] = await omniKeys(client, [rcs({ expiryOption }), sms()], ['01012340006']);
    await until('RCS is submitted', async () => (await gateway.message(key)).state === 'submitted');
    gateway.clock.advance(seconds * 1000 - 1000);
    assert.deepEqual(await client.inquire(key), []);
    const [record] = await until('the record of RCS is there', async () => {
      gateway.clock.advance(1000);
      const records = await client.inquire(key);
      return records.length > 0 && records;
    });
    assert.equal(record?.reportCode, '32000', 'visible before the next step ends');
    await until('the SMS is submitted', async () => (await gateway.message(key)).step === 1);
  });
}

test('ten recipients have ten fates', async t => {
  const { client } = await testAccount(t);
  const fates = ['0001', '0002', '0003', '0004', '0007', '0008', '5678', '5679', '5680', '5681'];
  const keys = await omniKeys(
    client,
    [friendtalk(), rcs(), sms()],
    fates.map(digits => `0101234${digits}`),
  );
  const ends = await Promise.all(
    keys.map(async (key, index) => {
      const expected = ['0001', '0003', '0004'].includes(fates[index] ?? '') ? 2 : 1;
      const records = await client.reportsOf(key, fates[index] === '0001' ? 3 : expected);
      return records.at(-1)?.reportCode;
    }),
  );
  assert.deepEqual(ends, ['23001', ...Array(9).fill('10000')]);
});

test('an account can ask for the last record only', async t => {
  const { client } = await testAccount(t, { settings: { reportRecords: 'final' } });
  const [key] = await omniKeys(client, [rcs(), sms()], ['01012340002']);
  assert.deepEqual(await codesOf(client, key, 1), ['SMS 10000']);
  assert.equal((await client.poll()).body.data.report.length, 1);
});

test('a fault of one recipient is its own; the others go out', async t => {
  const { client } = await testAccount(t);
  const answer = await omni(client, {
    messageFlow: [sms({ text: '#{name}님, #{code}' })],
    destinations: [
      { to: '01012345678', replaceWords: { name: '봉수', code: 1234 } },
      { to: 'nobody', replaceWords: { name: 'x', code: 'y' } },
      { to: '01012345679', replaceWords: { name: 'x' } },
      { to: '01012345680', replaceWords: { name: '가'.repeat(45), code: 'y' } },
      { to: '01012345681', replaceWords: { name: { deep: true }, code: 'y' } },
      { to: '01012345682', replaceWords: { name: '', code: true } },
    ],
  });
  assert.equal(answer.body.code, 'A000');
  const results: DestinationResult[] = answer.body.data.destinations;
  assert.deepEqual(
    results.map(({ code }) => code),
    ['A000', 'A306', 'A300', 'A328', 'A300', 'A000'],
  );
  assert.equal(results[2]?.result, '"replaceWords" has no value for #{code}');
  assert.equal(results[3]?.result, '"messageFlow[0].sms.text" is longer than 90 bytes (was 95)');
  for (const { code, msgKey } of results) assert.equal(msgKey === null, code !== 'A000');
});

test('all recipients at fault: A000 on top, and nothing is sent', async t => {
  const { gateway, client } = await testAccount(t);
  const answer = await omni(client, { messageFlow: [sms()], destinations: [{ to: 'x' }, { to: 'y' }] });
  assert.equal(answer.body.code, 'A000');
  const { ready, claimed, awaitingReceipt, putOff } = await gateway.gateway.store.queue.depth();
  assert.deepEqual([ready, claimed, awaitingReceipt, putOff], [0, 0, 0, 0]);
});

test('words are put in everywhere, once, and reach the carrier', async t => {
  const { gateway, client } = await testAccount(t, { env: { BONGSU_SIMULATOR_LATENCY: '1000-1000ms' } });
  const flow = [
    alimtalk({
      text: '#{a} #{b}',
      title: '#{a}',
      attachment: { button: [{ type: 'WL', name: '#{a}', urlMobile: 'https://x.example/#{a}' }] },
    }),
    rcs({
      content: {
        standalone: { text: '#{a}', button: [{ type: 'URL', name: '#{a}', url: 'https://x/#{a}' }] },
      },
    }),
  ];
  const answer = await omni(client, {
    messageFlow: flow,
    destinations: [{ to: '01012345678', replaceWords: { '#{a}': 'one', b: '#{a}' } }],
  });
  const [{ msgKey, code, result }]: [DestinationResult] = answer.body.data.destinations;
  assert.equal(code, 'A000', result);
  const message = await gateway.message(msgKey ?? '');
  const texts = JSON.stringify(message.rendered);
  assert.ok(!texts.includes('#{b}'));
  assert.equal(message.rendered[0].text, 'one #{a}', 'what a word brings is not looked at again');
  assert.match(texts, /https:\/\/x\.example\/one/);
  assert.match(texts, /"displayText":"one"/);
});

test('in maps whose keys the client chose every text gets its words, whatever the keys are called', async t => {
  const { gateway, client } = await testAccount(t);
  const names = ['from', 'type', 'channel', 'msgType', 'formatId', 'fileKey'];
  const map = (text: string) => Object.fromEntries(names.map(name => [name, text]));
  const brand = { senderKey: 'sender', sendType: 'basic', msgType: 'FT', templateCode: 'T1' };
  const flow = [
    { brandmessage: { ...brand, messageVariable: { ...map('#{a}'), deep: [map('#{a}')] } } },
    rcs({ formatId: 'ISSUED', content: { template: { ...map('#{a}'), title: '#{a}' } } }),
    rcs({ content: undefined, body: { description: '#{a}', ...map('#{a}') } }),
  ];
  const answer = await omni(client, {
    messageFlow: flow,
    destinations: [
      { to: '01012345678', replaceWords: { a: 'one' } },
      { to: '01012345679', replaceWords: [] },
      { to: '01012345680', replaceWords: '' },
      { to: '01012345681', replaceWords: { a: null } },
      { to: '01012345682', replaceWords: { a: '' } },
    ],
  });
  const results: DestinationResult[] = answer.body.data.destinations;
  assert.deepEqual(
    results.map(({ code, result }) => [code, result]),
    [
      ['A000', 'Success'],
      ...Array(3).fill(['A300', '"replaceWords" has no value for #{a}']),
      // An empty word is a word; the text of the last step is missing with it.
      ['A415', '"messageFlow[2].rcs.body.description" is required'],
    ],
  );
  const { rendered } = await gateway.message(results[0]?.msgKey ?? '');
  assert.deepEqual(rendered[0].messageVariable, { ...map('one'), deep: [map('one')] });
  assert.deepEqual(rendered[1].body, { ...map('one'), title: 'one' });
  assert.deepEqual(rendered[2].body, { ...map('one'), description: 'one' });
});

test('words that are not given matter to nobody in a flow without placeholders', async t => {
  const { client } = await testAccount(t);
  const none = [null, '', []];
  const destinations = none.map(replaceWords => ({ to: '01012345678', replaceWords }));
  const answer = await omni(client, { messageFlow: [sms()], destinations });
  const results: DestinationResult[] = answer.body.data.destinations;
  assert.deepEqual(
    results.map(({ code }) => code),
    ['A000', 'A000', 'A000'],
  );
});

const FAULTS: [string, object, string][] = [
  [
    'a placeholder in the id of a format',
    { messageFlow: [rcs({ formatId: '#{id}' })], destinations: [{ to: '01012345678' }] },
    'A404',
  ],
  [
    'a placeholder in the key of a file',
    { messageFlow: [mms({ fileKey: ['#{id}'] })], destinations: [{ to: '01012345678' }] },
    'A217',
  ],
  ['no destinations', { messageFlow: [sms()] }, 'A300'],
  [
    'eleven destinations',
    { messageFlow: [sms()], destinations: Array(11).fill({ to: '01012345678' }) },
    'A318',
  ],
  ['a destination that is no object', { messageFlow: [sms()], destinations: ['01012345678'] }, 'A011'],
  ['neither flow nor form', { destinations: [{ to: '01012345678' }] }, 'A300'],
  ['an empty flow', { messageFlow: [], destinations: [{ to: '01012345678' }] }, 'A300'],
  ['eleven steps', { messageFlow: Array(11).fill(sms()), destinations: [{ to: '01012345678' }] }, 'A300'],
  [
    'two channels in one entry',
    { messageFlow: [{ ...sms(), ...mms() }], destinations: [{ to: '01012345678' }] },
    'A300',
  ],
  ['an unknown channel', { messageFlow: [{ fax: {} }], destinations: [{ to: '01012345678' }] }, 'A300'],
  ['an entry that is no object', { messageFlow: ['sms'], destinations: [{ to: '01012345678' }] }, 'A011'],
  [
    'a fault in a later step',
    { messageFlow: [rcs(), sms({ text: 'x'.repeat(91) })], destinations: [{ to: '01012345678' }] },
    'A328',
  ],
  [
    'a paymentCode of 21 characters',
    { messageFlow: [sms()], destinations: [{ to: '01012345678' }], paymentCode: 'x'.repeat(21) },
    'A310',
  ],
  ['a form that is not there', { messageForm: 'nope', destinations: [{ to: '01012345678' }] }, 'A250'],
];
test('a fault in the flow refuses the request', async t => {
  const { client } = await testAccount(t);
  for (const [what, body, code] of FAULTS) {
    await t.test(`${what} is ${code}`, async () => {
      const answer = await omni(client, body);
      assert.deepEqual([answer.status, answer.body.code], [400, code], answer.text);
    });
  }
});

test('up to ten steps and ten recipients', async t => {
  const { client } = await testAccount(t);
  const keys = await omniKeys(client, Array(10).fill(sms()), Array(10).fill('01012345678'));
  assert.equal(new Set(keys).size, 10);
});

test('the rate of sends counts recipients', async t => {
  const { client } = await testAccount(t, { settings: { sendRate: 10 } });
  const destinations = Array(6).fill({ to: '01012345678' });
  assert.equal((await omni(client, { messageFlow: [sms()], destinations })).body.code, 'A000');
  assert.equal((await omni(client, { messageFlow: [sms()], destinations })).body.code, 'A020');
});

test('an Idempotency-Key holds for combined sends too', async t => {
  const { client } = await testAccount(t);
  const body = { messageFlow: [sms()], destinations: [{ to: '01012345678' }] };
  const key = { 'idempotency-key': 'once' };
  const [first, again] = [await omni(client, body, key), await omni(client, body, key)];
  assert.equal(first.text, again.text);
});

test('a form is saved, read, changed, used and removed', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const messageForm = [rcs(), sms({ text: '#{name}님 안녕하세요' })];
  const created = await client.call('POST', '/v1/form', { messageForm });
  assert.deepEqual(Object.keys(created.body.data), ['formId']);
  const { formId } = created.body.data;
  const read = await client.call('GET', `/v1/form/${formId}`);
  assert.deepEqual(read.body.data, { formId, messageForm });

  const destinations = [{ to: '01012340002', replaceWords: { name: '봉수' } }];
  const sent = await omni(client, { messageForm: formId, destinations });
  const [{ msgKey }]: [DestinationResult] = sent.body.data.destinations;
  assert.deepEqual(await codesOf(client, msgKey ?? '', 2), ['RCS 33101', 'SMS 10000']);

  assert.equal((await client.call('PUT', `/v1/form/${formId}`, { messageForm: [sms()] })).body.code, 'A000');
  assert.deepEqual((await client.call('GET', `/v1/form/${formId}`)).body.data.messageForm, [sms()]);
  assert.equal((await other.call('GET', `/v1/form/${formId}`)).body.code, 'A250', "another account's");
  assert.equal((await other.call('DELETE', `/v1/form/${formId}`)).body.code, 'A250');
  assert.deepEqual((await client.call('DELETE', `/v1/form/${formId}`)).body, {
    code: 'A000',
    result: 'Success',
  });
  const gone = await client.call('GET', `/v1/form/${formId}`);
  assert.deepEqual(gone.refusal, [400, 'A250', '"formId" is not a form of this account']);
  const unsent = await omni(client, { messageForm: formId, destinations });
  assert.equal(unsent.body.code, 'A250');
  assert.equal(unsent.body.result, '"messageForm" is not a form of this account');
  for (const odd of ['%00', 'x'.repeat(300)]) {
    assert.equal((await client.call('GET', `/v1/form/${odd}`)).body.code, 'A250');
    assert.equal((await client.call('DELETE', `/v1/form/${odd}`)).body.code, 'A250');
  }
  assert.equal((await client.call('PUT', `/v1/form/${formId}`, { messageForm: [sms()] })).body.code, 'A250');
});

test('a form must obey the rules of a flow', async t => {
  const { client } = await testAccount(t);
  for (const [body, code] of [
    [{}, 'A300'],
    [{ messageForm: [] }, 'A300'],
    [{ messageForm: [{ sms: { from: '02123', text: 'x'.repeat(91) } }] }, 'A328'],
    [{ messageForm: 'x' }, 'A011'],
  ] as const) {
    assert.equal((await client.call('POST', '/v1/form', body)).body.code, code);
  }
});

test('with flow and form the flow wins', async t => {
  const { client } = await testAccount(t);
  const answer = await omni(client, {
    messageFlow: [sms()],
    messageForm: 'nope',
    destinations: [{ to: '01012345678' }],
  });
  assert.equal(answer.body.code, 'A000');
});

test('a single RCS send with a fallback is a flow of two', async t => {
  const { client } = await testAccount(t);
  const body = { ...rcs().rcs, to: '01012340002', fallback: { type: 'SMS', text: 'instead' } };
  const { msgKey } = (await client.call('POST', '/v1/send/rcs', body)).body;
  assert.deepEqual(await codesOf(client, msgKey, 2), ['RCS 33101', 'SMS 10000']);
});

test('in single sends a placeholder is plain text', async t => {
  const { client } = await testAccount(t);
  assert.equal((await client.sms({ text: '#{name}' })).body.code, 'A000');
});

test('the ttl of a text step is its deadline, which it can only shorten', async t => {
  const { gateway, client } = await testAccount(t);
  const HOUR_MS = 3_600_000;
  for (const [entry, ttl, deadlineMs] of [
    [sms, '60', 60_000],
    [mms, 90, 90_000],
    [sms, '9999999', 25 * HOUR_MS],
  ] as const) {
    const [key = ''] = await omniKeys(client, [entry({ ttl })], ['01012340006']);
    await until('it is submitted', async () => (await gateway.message(key)).state === 'submitted');
    gateway.clock.advance(deadlineMs - 1000);
    assert.equal((await gateway.message(key)).state, 'submitted', `${ttl}`);
    gateway.clock.advance(1000);
    await until('it is expired', async () => {
      gateway.clock.advance(1);
      return (await gateway.message(key)).state === 'expired';
    });
  }
});

test('a late success of a step that had expired is kept in the history', async t => {
  const { gateway, client } = await testAccount(t);
  const [key = ''] = await omniKeys(client, [rcs({ expiryOption: '2' }), sms()], ['01012340006']);
  await until('RCS is submitted', async () => (await gateway.message(key)).state === 'submitted');
  await until('the SMS is on its way', async () => {
    gateway.clock.advance(10_000);
    return (await gateway.message(key)).step === 1;
  });
  const receipt = {
    kind: 'receipt',
    carrier: 'simulator',
    ref: `sim-${key}-0-1`,
    event: { name: 'receivedDelivered' },
    receivedAt: gateway.clock.now(),
  } as const;
  await gateway.gateway.store.queue.settle([receipt], () => ({ kind: 'ignored' }));
  const { timeline } = await gateway.message(key);
  assert.ok(
    timeline.some(
      ({ event, step }: { event: string; step: number }) => event === 'lateDelivery' && step === 0,
    ),
  );
  assert.equal((await client.inquire(key))[0]?.reportCode, '32000');
});

test('userType is told on inquiry for the basic form of a brand message', async t => {
  const { client } = await testAccount(t);
  const brand = { senderKey: 'k', sendType: 'basic', msgType: 'FT', templateCode: 't', targeting: 'M' };
  const friend = (await client.call('POST', '/v1/send/brandmessage', { ...brand, to: '01012345678' })).body;
  const stranger = (await client.call('POST', '/v1/send/brandmessage', { ...brand, to: '01012340004' })).body;
  assert.equal((await client.reportsOf(friend.msgKey))[0]?.userType, 'F');
  const [record] = await client.reportsOf(stranger.msgKey);
  assert.deepEqual([record?.userType, record?.reportCode], ['N', '63020']);
  const polled = (await client.poll()).body.data.report;
  assert.ok(polled.every((each: object) => !('userType' in each)));
});

test('the guard holds advertisements back at night, and their fallbacks', async t => {
  const gateway = await testGateway(t, { BONGSU_TOKEN_LIFETIME: '90d' });
  const guarded = await gateway.account('guarded', { adGuard: true });
  const free = await gateway.account('free');
  gateway.clock.advance(9 * 3_600_000);
  const flow = [rcs({ header: '1', footer: '0801234567' }), sms({ text: '(광고) hello 0801234567' })];
  const [held] = await omniKeys(guarded, flow, ['01012345678']);
  assert.deepEqual(await codesOf(guarded, held, 2), ['RCS 33029', 'SMS 23029']);
  const [sent] = await omniKeys(free, flow, ['01012345678']);
  assert.deepEqual(await codesOf(free, sent, 1), ['RCS 10000']);
  gateway.clock.advance(11 * 3_600_000);
  const [morning] = await omniKeys(guarded, flow, ['01012345678']);
  assert.deepEqual(await codesOf(guarded, morning, 1), ['RCS 10000']);
});
