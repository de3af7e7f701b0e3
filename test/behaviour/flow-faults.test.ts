/** Faults of a flow itself: they refuse the request, and forms and reservations with them are not kept. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { alimtalk, mms, rcs, sms } from '../harness/flows.ts';
import { type Client, type TestGateway, testAccount } from '../harness/gateway.ts';

const DESTINATIONS = [
  { to: '01012345678', replaceWords: { name: 'Kim' } },
  { to: '01012345679', replaceWords: { name: 'Lee' } },
];

async function register(gateway: TestGateway, ...entries: readonly (readonly [string, string, object?])[]) {
  for (const [kind, key, body = {}] of entries) {
    const path = `/accounts/shop/registry/${kind}/${encodeURIComponent(key)}`;
    assert.equal((await gateway.operator('PUT', path, body)).body.code, 'A000');
  }
}

async function strictShop(t: test.TestContext): Promise<{ gateway: TestGateway; shop: Client }> {
  const { gateway, client: shop } = await testAccount(t, {
    settings: { enforceRegistry: true, advertisements: 'refuse', adHours: '00:00-24:00' },
  });
  await register(
    gateway,
    ['sender', '0212345678'],
    ['senderProfile', 'sender'],
    ['alimtalkTemplate', 'sender/welcome', { text: 'hello #{who}' }],
    ['rcsBrand', 'BR.brand'],
    ['rcsTemplate', 'FREE', { templateKind: 'free' }],
  );
  return { gateway, shop };
}

/** In Korea. */
function inAnHour(gateway: TestGateway): string {
  return new Date(gateway.clock.now() + 10 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Each fault stands behind a step that is in order; `path` is that of its entry. */
const FAULTS: readonly (readonly [
  what: string,
  entry: object,
  code: string,
  says: (path: string) => string,
])[] = [
  [
    'a sender that is not registered',
    sms({ from: '0299999999', text: 'hi #{name}' }),
    'A327',
    path => `"${path}.sms.from" must be a registered sender number (was 0299999999)`,
  ],
  [
    'a sender profile that is not registered',
    alimtalk({ senderKey: 'other' }),
    'A502',
    path => `"${path}.alimtalk.senderKey" must be a registered sender profile (was other)`,
  ],
  [
    'a template that is not registered',
    alimtalk({ templateCode: 'other', text: '#{name}' }),
    'A505',
    path => `"${path}.alimtalk.templateCode" must be a registered template of the sender profile (was other)`,
  ],
  [
    'a text that no word makes agree with its template',
    alimtalk({ text: 'buy #{name}' }),
    'A505',
    path => `"${path}.alimtalk.text" differs from the registered template welcome`,
  ],
  [
    'a brand that is not registered',
    rcs({ brandKey: 'BR.other', content: { standalone: { text: '#{name}' } } }),
    'A420',
    path => `"${path}.rcs.brandKey" must be a registered brand (was BR.other)`,
  ],
  [
    'a value over the limit of its template',
    rcs({ formatId: 'FREE', content: { template: { description: `${'x'.repeat(91)}#{name}` } } }),
    'A415',
    path =>
      `"${path}.rcs.content.template.description" is longer than 90 characters without its placeholders (was 91)`,
  ],
  [
    'a file that is not there',
    mms({ fileKey: ['NOFILE'], text: '#{name}' }),
    'A217',
    path => `"${path}.mms.fileKey[0]" is not a file of this account, or it has expired (was NOFILE)`,
  ],
  [
    'an advertisement without its number',
    sms({ text: '(광고) sale' }),
    'A330',
    path =>
      `"${path}.sms.text" of an advertisement must contain a free number for opting out, such as 080-123-4567`,
  ],
  [
    'a character outside EUC-KR',
    sms({ text: '😀 #{name}' }),
    'A303',
    path => `"${path}.sms.text" holds "😀" (U+1F600), which EUC-KR does not have`,
  ],
  [
    'a fixed part that is too long',
    sms({ text: `${'x'.repeat(91)}#{name}` }),
    'A328',
    path => `"${path}.sms.text" is longer than 90 bytes without its placeholders (was 91)`,
  ],
  [
    'a title whose fixed part is too long',
    mms({ title: `${'가'.repeat(21)}#{name}` }),
    'A300',
    path => `"${path}.mms.title" is longer than 40 bytes without its placeholders (was 42)`,
  ],
];

test('what every recipient would be refused for refuses the request, and is not kept', async t => {
  const { gateway, shop } = await strictShop(t);
  for (const [what, entry, code, says] of FAULTS) {
    await t.test(what, async () => {
      const flow = [sms({ text: 'hi #{name}' }), entry];
      const expected = (root: string) => [400, code, says(`${root}[1]`)];
      const inFlow = { messageFlow: flow, destinations: DESTINATIONS };
      assert.deepEqual((await shop.call('POST', '/v1/send/omni', inFlow)).refusal, expected('messageFlow'));
      const later = { ...inFlow, resvSendTime: inAnHour(gateway) };
      assert.deepEqual((await shop.call('POST', '/v1/reservation', later)).refusal, expected('messageFlow'));
      const form = await shop.call('POST', '/v1/form', { messageForm: flow });
      assert.deepEqual(form.refusal, expected('messageForm'));
    });
  }
});

test('a flow whose faults are of single recipients goes out to the others', async t => {
  const { shop } = await strictShop(t);
  const answer = await shop.call('POST', '/v1/send/omni', {
    messageFlow: [alimtalk({ text: '#{all}' }), sms({ text: '#{all}' })],
    destinations: [
      { to: '01012345678', replaceWords: { all: 'hello you' } },
      { to: '01012345679', replaceWords: { all: 'buy now' } },
      { to: '01012345680', replaceWords: { all: 'hello 😀' } },
      { to: '01012345681', replaceWords: { all: `hello ${'x'.repeat(100)}` } },
    ],
  });
  const results: { code: string; result: string }[] = answer.body.data.destinations;
  assert.deepEqual(
    results.map(({ code, result }) => [code, result]),
    [
      ['A000', 'Success'],
      ['A505', '"messageFlow[0].alimtalk.text" differs from the registered template welcome'],
      ['A303', '"messageFlow[1].sms.text" holds "😀" (U+1F600), which EUC-KR does not have'],
      ['A328', '"messageFlow[1].sms.text" is longer than 90 bytes (was 106)'],
    ],
  );
});

test('a form that was in order is refused by its own path when it no longer is, and so is its reservation', async t => {
  const { gateway, shop } = await strictShop(t);
  const messageForm = [rcs(), sms({ text: 'hi #{name}' })];
  const { formId } = (await shop.call('POST', '/v1/form', { messageForm })).body.data;
  const send = { messageForm: formId, destinations: DESTINATIONS };
  const reservation = { ...send, resvSendTime: inAnHour(gateway) };
  const reserved = await shop.call('POST', '/v1/reservation', reservation);
  assert.equal(reserved.body.code, 'A000', reserved.text);
  const long = { ...send, destinations: [{ to: '01012345678', replaceWords: { name: 'x'.repeat(100) } }] };
  const tooLong = (await shop.call('POST', '/v1/send/omni', long)).body.data.destinations[0].result;
  assert.equal(tooLong, '"messageForm[1].sms.text" is longer than 90 bytes (was 103)');

  await gateway.operator('DELETE', '/accounts/shop/registry/sender/0212345678');
  const says = '"messageForm[0].rcs.from" must be a registered sender number (was 0212345678)';
  for (const path of ['/v1/send/omni', '/v1/reservation']) {
    const refused = await shop.call('POST', path, path === '/v1/reservation' ? reservation : send);
    assert.deepEqual(refused.refusal, [400, 'A327', says]);
  }
  const more = await shop.call('POST', `/v1/reservation/resvKey/${reserved.body.data.resvKey}/destinations`, {
    destinations: [{ to: '01012345690', replaceWords: { name: 'x' } }],
  });
  assert.deepEqual(more.refusal, [400, 'A327', says]);
  assert.equal((await shop.call('PUT', `/v1/form/${formId}`, { messageForm })).body.code, 'A327');
});

test('a form may name only channels that its account may use', async t => {
  const { client: shop } = await testAccount(t, { settings: { channels: ['sms'] } });
  const answer = await shop.call('POST', '/v1/form', { messageForm: [sms(), rcs()] });
  assert.deepEqual(answer.refusal, [400, 'A325', 'the account may not send on the channel "rcs"']);
});

const KEY = 'sender/buttons';
const BUTTON = { type: 'WL', name: 'open', urlMobile: 'https://shop.example/' };

/** The same message in the places where clients write its parts. */
const SINGLE: readonly (readonly [path: string, body: object, says: string])[] = [
  ['sms', { ...sms().sms, from: '0299999999' }, '"from" must be a registered sender number (was 0299999999)'],
  [
    'rcs',
    { ...rcs().rcs, fallback: { type: 'SMS', from: '0299999999', text: 'hi' } },
    '"fallback.from" must be a registered sender number (was 0299999999)',
  ],
  [
    'rcs',
    { ...rcs().rcs, fallback: { type: 'MMS', text: 'hi', fileKey: ['NOFILE'] } },
    '"fallback.fileKey[0]" is not a file of this account, or it has expired (was NOFILE)',
  ],
  [
    'alimtalk',
    { ...alimtalk().alimtalk, templateCode: 'buttons', button: [BUTTON] },
    '"button" differs from the registered template buttons',
  ],
  [
    'alimtalk',
    { ...alimtalk().alimtalk, templateCode: 'buttons', attachment: { button: [BUTTON] } },
    '"attachment.button" differs from the registered template buttons',
  ],
  [
    'rcs',
    { ...rcs().rcs, formatId: 'FREE', content: { template: { description: 'x'.repeat(91) } } },
    '"content.template.description" is longer than 90 characters (was 91)',
  ],
  [
    'rcs',
    { ...rcs().rcs, formatId: 'FREE', content: undefined, body: { description: 'x'.repeat(91) } },
    '"body.description" is longer than 90 characters (was 91)',
  ],
];

test('a refusal names the field where the client wrote it, over a port too', async t => {
  const { gateway, shop } = await strictShop(t);
  const url = await gateway.gateway.listen({ port: 0, host: '127.0.0.1' });
  const buttons = [{ ...BUTTON, name: 'close' }];
  await register(gateway, ['alimtalkTemplate', KEY, { text: 'hello by alimtalk', buttons }]);
  for (const [path, message, says] of SINGLE) {
    const body = { to: '01012345678', ...message };
    assert.equal((await shop.call('POST', `/v1/send/${path}`, body)).body.result, says);
    const overPort = await fetch(`${url}/v1/send/${path}`, {
      method: 'POST',
      headers: { ...bearer(shop.token), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok((await overPort.text()).includes(JSON.stringify(says)));
    const later = { ...body, resvSendTime: inAnHour(gateway) };
    assert.equal((await shop.call('POST', `/v1/send/${path}`, later)).body.result, says);
  }
});
