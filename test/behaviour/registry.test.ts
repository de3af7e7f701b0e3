import assert from 'node:assert/strict';
import test from 'node:test';
import type { MsgKey } from '../../src/domain/ids.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';

/** The operator's view of one account's registry. */
function registryOf(gateway: TestGateway, account: string, headers = bearer(ADMIN_TOKEN)) {
  const entries = `/accounts/${account}/registry`;
  const entry = (kind: string, key: string) => `${entries}/${kind}/${encodeURIComponent(key)}`;
  return {
    list: (query = '') => gateway.operator('GET', `${entries}${query}`, undefined, headers),
    put: (kind: string, key: string, body: object = {}) =>
      gateway.operator('PUT', entry(kind, key), body, headers),
    remove: (kind: string, key: string) => gateway.operator('DELETE', entry(kind, key), undefined, headers),
  };
}

const TO = '01012345678';
const ALIMTALK = { senderKey: 'p1', msgType: 'AT', to: TO, templateCode: 'T1', text: 'Kim님, hi' };
const RCS = {
  from: '0212345678',
  to: TO,
  formatId: 'TPL1',
  brandKey: 'BR.1',
  content: { template: { description: 'hi' } },
};

test('an enforced account sends what is registered for it and nothing else', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  const registry = registryOf(gateway, 'shop');
  const sends: readonly (readonly [path: string, body: object, codes: readonly string[]])[] = [
    ['sms', { from: '0212345678', to: TO, text: 'hi' }, ['A327', 'A000']],
    ['alimtalk', ALIMTALK, ['A502', 'A505', 'A000']],
    ['friendtalk', { senderKey: 'p1', msgType: 'FT', to: TO, text: 'hi' }, ['A502', 'A000']],
    ['rcs', RCS, ['A420', 'A327', 'A404', 'A000']],
    ['international', { from: 'MyShop', to: '+8613012345678', text: 'hi' }, ['A302', 'A000']],
  ];
  const entries: readonly (readonly [kind: string, key: string, fields?: object])[] = [
    ['senderProfile', 'p1'],
    ['rcsBrand', 'BR.1'],
    ['sender', '0212345678'],
    ['alimtalkTemplate', 'p1/T1', { text: '#{name}님, hi' }],
    ['rcsTemplate', 'TPL1', { templateKind: 'free' }],
    ['internationalSenderId', 'MyShop', { prefixes: ['+86'] }],
  ];
  const seen = sends.map(() => [] as string[]);
  for (const each of [undefined, ...entries]) {
    if (each) assert.equal((await registry.put(...each)).body.code, 'A000');
    for (const [index, [path, body]] of sends.entries()) {
      const { code } = (await shop.call('POST', `/v1/send/${path}`, body)).body;
      if (seen[index]?.at(-1) !== code) seen[index]?.push(code);
    }
  }
  assert.deepEqual(
    seen,
    sends.map(([, , codes]) => codes),
  );

  await registry.put('internationalSignature', '[Shop]', { prefixes: '+86' });
  const abroad = { from: 'MyShop', to: '+8613012345678' };
  assert.equal((await shop.international(abroad)).body.code, 'A303');
  assert.equal((await shop.international({ ...abroad, text: '[Shop] hi' })).body.code, 'A000');

  const differs = await shop.call('POST', '/v1/send/alimtalk', { ...ALIMTALK, text: 'Kim, hi' });
  assert.deepEqual(differs.refusal, [400, 'A505', '"text" differs from the registered template T1']);
  const fallback = { type: 'SMS', from: '0299999999', text: 'hi' };
  assert.equal((await shop.call('POST', '/v1/send/alimtalk', { ...ALIMTALK, fallback })).body.code, 'A327');

  assert.equal((await registry.remove('sender', '0212345678')).body.code, 'A000');
  assert.equal((await shop.sms()).body.code, 'A327');
});

test('in a combined send the registry refuses single recipients whose replacement words break a rule', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  const registry = registryOf(gateway, 'shop');
  await registry.put('senderProfile', 'p1');
  await registry.put('alimtalkTemplate', 'p1/T1', { text: '#{name}님, hi' });
  const { to, ...alimtalk } = ALIMTALK;
  const answer = await shop.call('POST', '/v1/send/omni', {
    messageFlow: [{ alimtalk: { ...alimtalk, text: '#{all}' } }],
    destinations: [
      { to: '01000000010', replaceWords: { all: 'Lee님, hi' } },
      { to: '01000000011', replaceWords: { all: 'buy now' } },
    ],
  });
  const codes = answer.body.data.destinations.map(({ code }: { code: string }) => code);
  assert.deepEqual(codes, ['A000', 'A505']);
});

test('an account without enforcement sends anything, except a text sender id that is not its own', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const other = await gateway.account('other');
  for (const [path, body] of [
    ['alimtalk', ALIMTALK],
    ['rcs', RCS],
    ['sms', { from: '029', to: TO, text: 'hi' }],
  ] as const) {
    assert.equal((await shop.call('POST', `/v1/send/${path}`, body)).body.code, 'A000', path);
  }
  assert.equal((await shop.international({ from: 'MyShop' })).body.code, 'A302');
  await registryOf(gateway, 'shop').put('internationalSenderId', 'MyShop', { prefixes: ['+1'] });
  await registryOf(gateway, 'shop').put('internationalSignature', '[Shop]', { prefixes: ['+1'] });
  assert.equal((await shop.international({ from: 'MyShop' })).body.code, 'A000');
  assert.equal((await shop.international({ from: 'MyShop', to: '+447700900123' })).body.code, 'A302');
  assert.equal((await other.international({ from: 'MyShop' })).body.code, 'A302');
  assert.equal((await shop.sms({ from: 'MyShop' })).body.code, 'A302');
});

test('the registry is asked once for a send, and not at all without enforcement', async t => {
  const gateway = await testGateway(t);
  const free = await gateway.account('free');
  const enforced = await gateway.account('enforced', { enforceRegistry: true });
  const find = t.mock.method(gateway.gateway.store.registry, 'find');
  await free.sms();
  await free.international();
  assert.equal(find.mock.callCount(), 0);
  const fallback = { type: 'SMS', text: 'hi' };
  await enforced.call('POST', '/v1/send/rcs', { ...RCS, fallback });
  assert.equal(find.mock.callCount(), 1);
});

test('an operator lists, replaces and removes entries of an account', async t => {
  const { gateway } = await testAccount(t);
  await gateway.account('other');
  const registry = registryOf(gateway, 'shop');
  assert.deepEqual((await registry.list()).body.data, { entries: [] });

  const made = await registry.put('alimtalkTemplate', 'p1/T1', { text: 'hi' });
  const entry = { kind: 'alimtalkTemplate', key: 'p1/T1', senderKey: 'p1', templateCode: 'T1', text: 'hi' };
  assert.deepEqual(made.body, { code: 'A000', result: 'Success', data: entry });
  await registry.put('internationalSignature', '[우리/가게 100%]', { prefixes: ['+1'] });
  await registry.put('alimtalkTemplate', 'p1/T1', { ...entry, text: 'changed' });
  assert.deepEqual((await registry.list()).body.data.entries, [
    { ...entry, text: 'changed' },
    { kind: 'internationalSignature', key: '[우리/가게 100%]', text: '[우리/가게 100%]', prefixes: ['+1'] },
  ]);
  assert.deepEqual((await registry.list('?kind=sender')).body.data, { entries: [] });
  assert.deepEqual((await registryOf(gateway, 'other').list()).body.data, { entries: [] });

  assert.equal((await registryOf(gateway, 'other').remove('alimtalkTemplate', 'p1/T1')).status, 404);
  assert.equal((await registry.remove('alimtalkTemplate', 'p1/T1')).status, 200);
  assert.equal((await registry.remove('internationalSignature', '[우리/가게 100%]')).status, 200);
  assert.deepEqual((await registry.list()).body.data, { entries: [] });
});

test('wrong calls of the registry are refused with the reason', async t => {
  const { gateway, client } = await testAccount(t);
  const registry = registryOf(gateway, 'shop');
  const nobody = registryOf(gateway, 'nobody');
  const noAccount = 'There is no account "nobody"';
  assert.deepEqual((await nobody.list()).refusal, [404, 'A300', noAccount]);
  assert.deepEqual((await nobody.put('sender', '021')).refusal, [404, 'A300', noAccount]);
  assert.deepEqual((await nobody.remove('sender', '021')).refusal, [404, 'A300', noAccount]);
  const missing = 'There is no sender "021" of the account "shop"';
  assert.deepEqual((await registry.remove('sender', '021')).refusal, [404, 'A300', missing]);
  const wrong = '"number" must be a sender number of 3 to 15 digits';
  assert.deepEqual((await registry.put('sender', 'x')).refusal, [400, 'A300', wrong]);
  assert.match((await registry.put('pigeon', 'x')).body.result, /^"kind" must be one of sender, /);
  assert.match((await registry.list('?kind=pigeon')).body.result, /^"kind" must be "sender", /);
  assert.equal((await registry.put('sender', '021', [])).body.code, 'A011');
  const twice = [
    { kind: 'sender', number: '021' },
    { kind: 'sender', key: '021' },
  ];
  const imported = await gateway.operator('POST', '/accounts/shop/registry', { entries: twice });
  assert.deepEqual(imported.refusal, [400, 'A300', 'Entry 2: sender 021 is the same as entry 1']);
  for (const call of [
    registryOf(gateway, 'shop', bearer('wrong')),
    registryOf(gateway, 'shop', bearer(client.token)),
  ]) {
    assert.equal((await call.list()).status, 403);
    assert.equal((await call.put('sender', '021')).status, 403);
    assert.equal((await call.remove('sender', '021')).status, 403);
  }
  assert.deepEqual((await registry.list()).body.data, { entries: [] });
});

for (const [templateKind, msgType] of [
  ['free', 'RF'],
  ['description', 'RD'],
  ['cell', 'RC'],
  ['image', 'RI'],
] as const) {
  test(`a registered ${templateKind} template has its limits without enforcement, and reports as ${msgType}`, async t => {
    const { gateway, client: shop } = await testAccount(t);
    const media = templateKind === 'image' && { media: 'maapfile://elsewhere' };
    const short = { ...RCS, content: { template: { description: 'hi', ...media } } };
    const long = { ...RCS, content: { template: { description: 'x'.repeat(151), ...media } } };
    assert.equal(
      (await shop.call('POST', '/v1/send/rcs', long)).body.code,
      'A000',
      'no limits while unregistered',
    );
    await registryOf(gateway, 'shop').put('rcsTemplate', 'TPL1', { templateKind });
    assert.equal((await shop.call('POST', '/v1/send/rcs', long)).body.code, 'A415');
    const { msgKey } = (await shop.call('POST', '/v1/send/rcs', short)).body;
    assert.equal((await shop.reportsOf(msgKey))[0]?.msgType, msgType);
  });
}

for (const enforceRegistry of [false, true]) {
  test(`the images of a registered image template have its sizes, ${enforceRegistry ? 'with' : 'without'} enforcement`, async t => {
    const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry } });
    const registry = registryOf(gateway, 'shop');
    await registry.put('rcsTemplate', 'TPL1', { templateKind: 'image' });
    await registry.put('rcsBrand', 'BR.1');
    await registry.put('sender', RCS.from);
    const upload = async (width: number, height: number) =>
      (await shop.upload('RCS', image('png', width, height))).media;
    const send = (media: string, subMedia1: string) =>
      shop.call('POST', '/v1/send/rcs', { ...RCS, content: undefined, body: { media, subMedia1 } });
    const detail = await upload(300, 300);
    const square = await upload(900, 900);
    for (const media of [square, await upload(900, 1200), await upload(900, 560)]) {
      const { status, body } = await send(media, detail);
      assert.deepEqual([status, body.code, body.result], [200, 'A000', 'Success']);
    }
    const sizes = '900x1200 or 900x900 or 900x560';
    const small = await upload(899, 900);
    const wrongMedia = `"body.media" is 899x900, image needs ${sizes}`;
    assert.deepEqual((await send(small, detail)).refusal, [400, 'A203', wrongMedia]);
    const wrongSub = '"body.subMedia1" is 900x900, image needs 300x300';
    assert.deepEqual((await send(square, square)).refusal, [400, 'A203', wrongSub]);
  });
}

test('the keys of a registered template are read in any letter case and each once, except names of its own', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const registry = registryOf(gateway, 'shop');
  await registry.put('rcsTemplate', 'TPL1', { templateKind: 'image' });
  await registry.put('rcsTemplate', 'OWN', { templateKind: 'description', text: '{{Title}} is here' });
  const upload = async (width: number, height: number) =>
    (await shop.upload('RCS', image('png', width, height))).media;
  const good = await upload(900, 900);
  const wrong = await upload(800, 900);
  const refusals: readonly (readonly [object, string, RegExp])[] = [
    [{ Media: wrong }, 'A203', /"body\.media" is 800x900/],
    [{ media: good, SubMedia1: wrong }, 'A203', /"body\.subMedia1" is 800x900/],
    [{ media: good, title: 't', TITLE: 'u' }, 'A415', /"body\.TITLE" is given more than once/],
  ];
  for (const [body, code, says] of refusals) {
    const answer = await shop.call('POST', '/v1/send/rcs', { ...RCS, content: undefined, body });
    assert.equal(answer.body.code, code, answer.text);
    assert.match(answer.body.result, says);
  }
  const bodyOf = async (fields: object) => {
    const answer = await shop.call('POST', '/v1/send/rcs', { ...RCS, ...fields });
    const message = await gateway.gateway.store.messages.find(answer.body.msgKey as MsgKey);
    const step = message?.flow[0];
    return step?.channel === 'rcs' ? step.body : undefined;
  };
  assert.deepEqual(await bodyOf({ content: undefined, body: { MEDIA: good, Free: 'x' } }), {
    media: good,
    Free: 'x',
  });
  assert.deepEqual(await bodyOf({ formatId: 'OWN', content: { template: { Title: 'Kim' } } }), {
    Title: 'Kim',
  });
});

test('a message of a registered template needs at least one of its values', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const registry = registryOf(gateway, 'shop');
  await registry.put('rcsTemplate', 'OPEN', { templateKind: 'free', text: 'hello {{a}} {{b}}' });
  await registry.put('rcsTemplate', 'FIXED', { templateKind: 'free', text: 'hello' });
  const send = async (formatId: string, template: object) =>
    (await shop.call('POST', '/v1/send/rcs', { ...RCS, formatId, content: { template } })).body.code;
  for (const template of [{}, { a: '' }, { a: '', b: '' }, { other: 'x' }]) {
    assert.equal(await send('OPEN', template), 'A415', JSON.stringify(template));
    assert.equal(await send('FIXED', template), 'A000', JSON.stringify(template));
  }
  assert.equal(await send('OPEN', { a: '', b: 'Kim' }), 'A000');
});

test('a sender profile and a brand have a name and a logo, which no send is compared with', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  await gateway.account('other');
  const registry = registryOf(gateway, 'shop');
  const look = async (key: string, account = 'shop') => {
    const path = `/accounts/${account}/appearance/${encodeURIComponent(key)}`;
    return (await gateway.operator('GET', path)).body.data;
  };
  const image = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(100)}`;

  assert.deepEqual(await look('p1'), { key: 'p1', name: null, logo: null });
  await registry.put('senderProfile', 'p1', { name: '봉수 스토어' });
  await registry.put('rcsBrand', 'BR.1', { name: 'Bongsu' });
  await registry.put('logo', 'p1', { image });
  assert.deepEqual(await look('p1'), { key: 'p1', name: '봉수 스토어', logo: image });
  assert.deepEqual(await look('BR.1'), { key: 'BR.1', name: 'Bongsu', logo: null });
  assert.deepEqual(await look('p1', 'other'), { key: 'p1', name: null, logo: null });
  assert.equal(
    (await shop.call('POST', '/v1/send/friendtalk', { senderKey: 'p1', msgType: 'FT', to: TO, text: 'hi' }))
      .body.code,
    'A000',
  );
  assert.equal((await registry.put('logo', 'p1', { image: 'https://shop.example/a.png' })).status, 400);
});
