import assert from 'node:assert/strict';
import test from 'node:test';
import { rcs, sms } from '../harness/flows.ts';
import { testAccount } from '../harness/gateway.ts';

const FROM = { from: '0212345678', to: '01012345678' };

const MEASURED: readonly (readonly [
  kind: string,
  body: object,
  measures: readonly (readonly unknown[])[],
])[] = [
  ['sms', { ...FROM, text: 'hi 안녕' }, [['bytes', 'text', 7, 90]]],
  [
    'mms',
    { ...FROM, title: '제목', text: '안녕' },
    [
      ['bytes', 'text', 4, 2000],
      ['bytes', 'title', 4, 40],
    ],
  ],
  [
    'international',
    { ...FROM, to: '+14155550123', text: 'x'.repeat(161) },
    [
      ['characters', 'text', 161, 765],
      ['parts', 'text', 2, 5],
    ],
  ],
  [
    'international',
    { ...FROM, to: '+14155550123', text: '안녕' },
    [
      ['characters', 'text', 2, 335],
      ['parts', 'text', 1, 5],
    ],
  ],
  ['rcs', { ...FROM, ...rcs().rcs }, [['characters', 'description', 12, 100]]],
  [
    'friendtalk',
    { to: FROM.to, senderKey: 'k', msgType: 'FW', text: '안녕하세요' },
    [['characters', 'text', 5, 76]],
  ],
];

test('a check measures the parts of a message against their limits', async t => {
  const { gateway } = await testAccount(t);
  for (const [kind, body, measures] of MEASURED) {
    const { data } = (await gateway.operator('POST', `/accounts/shop/check/${kind}`, body)).body;
    assert.equal(data.problem, null, kind);
    assert.deepEqual(
      data.steps[0].measures.map(({ name, field, value, limit }: Record<string, unknown>) => [
        name,
        field,
        value,
        limit,
      ]),
      measures,
      kind,
    );
  }
});

test('a check measures a registered RCS template against the limits of its kind, filled in as well', async t => {
  const { gateway } = await testAccount(t);
  const put = (entry: object) => gateway.operator('PUT', '/accounts/shop/registry/rcsTemplate/TPL1', entry);
  const check = async (template: object) => {
    const body = { ...FROM, brandKey: 'BR.1', formatId: 'TPL1', content: { template } };
    const { problem, steps } = (await gateway.operator('POST', '/accounts/shop/check/rcs', body)).body.data;
    return [
      problem?.result,
      steps[0].measures.map(({ field, value, limit }: Record<string, unknown>) => [field, value, limit]),
    ];
  };
  const values = { title: 'Parcel', description: '가나다' };
  const counted = (limit: { title: number; text: number } | null) => [
    ['title', 6, limit?.title ?? null],
    ['description', 3, limit?.text ?? null],
  ];
  assert.deepEqual(await check(values), [undefined, counted(null)], 'not registered');
  await put({ templateKind: 'description' });
  assert.deepEqual(await check(values), [undefined, counted({ title: 8, text: 90 })]);
  await put({ templateKind: 'description', text: `{{title}}${'x'.repeat(80)}{{name}}{{name}}` });
  assert.equal((await check({ title: 'Parcel', name: '가'.repeat(5) }))[0], undefined);
  assert.equal(
    (await check({ title: 'Parcel', name: '가'.repeat(6) }))[0],
    '"content.template" has texts longer than 90 characters in total (was 92)',
  );
});

test('a check reports problems and lengths, and sends nothing', async t => {
  const { gateway, client } = await testAccount(t, { settings: { channels: ['sms'] } });
  const call = gateway.operator;
  const check = async (kind: string, body: object) =>
    (await call('POST', `/accounts/shop/check/${kind}`, body)).body.data;

  const long = await check('sms', { ...FROM, text: '가'.repeat(50) });
  assert.equal(long.problem.code, 'A328');
  assert.deepEqual(long.steps[0].measures, [{ name: 'bytes', field: 'text', value: 100, limit: 90 }]);
  assert.equal((await check('mms', { ...FROM, text: 'hi' })).problem.code, 'A325');

  const omni = await check('omni', {
    destinations: [{ to: '01012345678', replaceWords: { name: 'Kim' } }, { to: '01087654321' }],
    messageFlow: [sms({ text: 'hi #{name}' })],
  });
  assert.match(omni.problem.result, /no value for #\{name\}/);
  assert.equal(omni.steps[0].rendered.text, 'hi Kim');
  for (const body of ['[]', '3', '{"messageFlow":[{"sms":3},7,{"sms":{"text":5}}],"destinations":[]}']) {
    const answer = await call('POST', '/accounts/shop/check/omni', body);
    assert.equal(answer.status, 200, answer.text);
    assert.notEqual(answer.body.data.problem, null);
  }
  assert.deepEqual((await call('GET', '/messages')).body.data.messages, []);
  assert.equal((await client.poll()).body.data.report, null);
});

const UNFILLED: readonly (readonly [kind: string, body: object, warnings: readonly unknown[]])[] = [
  ['sms', { ...FROM, text: 'Dear #{name}, #{name}! #{date}' }, [[0, ['name', 'date']]]],
  ['sms', { ...FROM, text: 'Dear {name}' }, []],
  ['mms', { ...FROM, title: '#{title}', text: 'hi' }, [[0, ['title']]]],
  [
    'alimtalk',
    { to: FROM.to, senderKey: 'k', templateCode: 't', msgType: 'AT', text: '#{name}' },
    [[0, ['name']]],
  ],
  ['rcs', { ...FROM, ...rcs({ fallback: { type: 'SMS', text: '#{name}' } }).rcs }, [[1, ['name']]]],
  [
    'omni',
    {
      destinations: [{ to: FROM.to, replaceWords: { name: '#{other}' } }],
      messageFlow: [rcs(), sms({ text: 'hi #{name}' })],
    },
    [[1, ['other']]],
  ],
  [
    'omni',
    {
      destinations: [{ to: FROM.to, replaceWords: { name: 'Kim' } }],
      messageFlow: [sms({ text: '#{name}' })],
    },
    [],
  ],
];

test('a check warns of placeholders that the recipient would get as they stand', async t => {
  const { gateway } = await testAccount(t);
  for (const [kind, body, warnings] of UNFILLED) {
    const { data } = (await gateway.operator('POST', `/accounts/shop/check/${kind}`, body)).body;
    assert.equal(data.problem, null, `${kind}: ${data.problem?.result}`);
    assert.deepEqual(
      data.warnings,
      warnings.map(warning => {
        const [step, keys] = warning as [number, string[]];
        return { name: 'placeholder', step, keys };
      }),
      kind,
    );
  }
});

test('a check warns of messages that are accepted and that no network delivers', async t => {
  const { gateway } = await testAccount(t);
  const warningsOf = async (kind: string, body: object) => {
    const request = { ...FROM, brandKey: 'BR.1', ...body };
    const { data } = (await gateway.operator('POST', `/accounts/shop/check/${kind}`, request)).body;
    assert.equal(data.problem, null);
    return data.warnings.map(({ name, keys }: { name: string; keys: string[] }) => [name, ...keys]);
  };
  const card = { standalone: { text: 'hi' } };
  assert.deepEqual(await warningsOf('rcs', { formatId: 'SS000000', content: card }), []);
  assert.deepEqual(await warningsOf('rcs', { formatId: 'SS00000', content: card }), [
    ['unknownFormat', 'SS00000', 'SS000000'],
    ['contentKind', 'standalone', 'SS00000'],
  ]);
  assert.deepEqual(await warningsOf('mms', { text: 'a', fileKey: ['photo'] }), [['unknownFile', 'photo']]);
});

test('a repeated send of an operator is marked in the answer and in the audit log', async t => {
  const { gateway } = await testAccount(t);
  const call = gateway.operator;
  const kim = await gateway.addOperator('kim', 'operator');
  const headers = { ...kim.headers, 'idempotency-key': 'once' };
  const send = () => call('POST', '/accounts/shop/send/sms', { ...FROM, text: 'hello' }, headers);
  const [first, second] = [await send(), await send()];
  assert.equal(second.text, first.text);
  assert.deepEqual(
    [first, second].map(({ headers: answered }) => answered['idempotent-replayed']),
    [undefined, 'true'],
  );
  await call('POST', '/accounts', { id: 'other' });
  const log = async (query: string) => (await call('GET', `/audit${query}`)).body.data;
  const { entries, next } = await log('?operator=kim');
  assert.deepEqual(
    entries.map(({ action, details }: { action: string; details: object }) => [action, 'replay' in details]),
    [
      ['message.send', true],
      ['message.send', false],
    ],
  );
  assert.equal(next, null);
  const page = await log('?operator=kim&limit=1');
  assert.equal((await log(`?operator=kim&limit=1&cursor=${page.next}`)).entries[0].details.replay, undefined);
  assert.deepEqual(await log('?operator=nobody'), { entries: [], next: null });
});
