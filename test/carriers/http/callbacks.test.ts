/** Receipts that the provider sends: who may, what is read, and that an answer means "settled". */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { Webhook } from 'standardwebhooks';
import {
  ATTEMPT,
  basicKeys,
  callback,
  carrierOf,
  type Keys,
  makeCarrier,
  submitOne,
} from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

const RECEIPT = {
  id: '/id',
  attemptId: '/key',
  status: '/status',
  code: '/reason',
  network: '/network',
  to: '/to',
  statuses: { DELIVERED: 'delivered', FAILED: 'failed', BLOCKED: '23012', SENT: 'intermediate' },
  reportCode: '23014',
};
const SECRET = 'a token that both know';
const TOKEN = { header: 'X-Token', value: SECRET };

function made(t: TestContext, keys: Keys, receipt: Keys = RECEIPT) {
  return makeCarrier(t, { ...basicKeys('https://provider.example'), receipt, callback: keys });
}

const withToken = { 'content-type': 'application/json', 'x-token': SECRET };

test('reads receipts by the table of statuses', async t => {
  const { carrier, host } = await made(t, { token: TOKEN, list: '/items' });
  const items = [
    { id: 'a', status: 'DELIVERED', network: 'SKT', to: '01012345678' },
    { id: 'b', status: 'FAILED', reason: 'NO_SUCH_NUMBER' },
    { id: 'c', status: 'FAILED', reason: 'other' },
    { id: 'd', status: 'BLOCKED' },
    { id: 'e', status: 'SENT' },
    { id: 'f', status: 'ODD' },
    { id: 7, key: ATTEMPT, status: 'DELIVERED' },
    { status: 'DELIVERED' },
  ];
  const answer = await carrier.handleCallback(callback({ headers: withToken, json: { items } }));
  assert.deepEqual([answer.status, answer.body], [200, '']);
  assert.deepEqual(host.receipts, [
    { ref: 'a', reportCode: '10000', network: 'SKT', to: '01012345678' },
    { ref: 'b', reportCode: '23001' },
    { ref: 'c', reportCode: '23014' },
    { ref: 'd', reportCode: '23012' },
    { attemptId: ATTEMPT, reportCode: '10000' },
  ]);
  assert.deepEqual(host.notices, ['receiptStatusUnknown', 'receiptNameless']);
});

test('a receipt that has no attempt of ours in that place is about its id', async t => {
  const { carrier, host } = await made(t, { token: TOKEN });
  const json = ['their own', ATTEMPT.slice(0, 20), ATTEMPT].map(key => ({
    id: 'a',
    key,
    status: 'DELIVERED',
  }));
  assert.equal((await carrier.handleCallback(callback({ headers: withToken, json }))).status, 200);
  assert.deepEqual(host.receipts, [
    { ref: 'a', reportCode: '10000' },
    { ref: 'a', reportCode: '10000' },
    { attemptId: ATTEMPT, reportCode: '10000' },
  ]);
});

test('refuses a body with more values than receipts can have', async t => {
  const { carrier, host } = await made(t, { token: TOKEN });
  const form = { ...withToken, 'content-type': 'application/x-www-form-urlencoded' };
  const statusOf = async (headers: Record<string, string>, text: string) => {
    const body = Buffer.from(text);
    return (await carrier.handleCallback({ ...callback({ headers }), body })).status;
  };
  assert.equal(
    await statusOf(withToken, `{"id":"a","status":"DELIVERED","to":[${'[],'.repeat(30_000)}1]}`),
    400,
  );
  assert.equal(await statusOf(form, `id=a&status=DELIVERED${'&x=1'.repeat(60_000)}`), 400);
  assert.deepEqual(host.receipts, []);
  const list = Array.from({ length: 1000 }, (_, index) => ({
    id: `r${index}`,
    status: 'DELIVERED',
    to: '1',
  }));
  assert.equal(await statusOf(withToken, JSON.stringify(list)), 200);
  assert.equal(host.receipts.length, 1000);
});

test('takes one receipt or a list, as JSON, a form or a query', async t => {
  const { carrier, host } = await made(t, { token: TOKEN });
  const form = { ...withToken, 'content-type': 'application/x-www-form-urlencoded' };
  const one = { id: 'a', status: 'DELIVERED' };
  for (const call of [
    callback({ headers: withToken, json: one }),
    callback({ headers: withToken, json: [one] }),
    callback({ headers: form, body: Buffer.from('id=a&status=DELIVERED') }),
    callback({ headers: withToken, query: new URLSearchParams('id=a&status=DELIVERED') }),
  ]) {
    assert.equal((await carrier.handleCallback(call)).status, 200);
  }
  assert.deepEqual(host.receipts, Array(4).fill({ ref: 'a', reportCode: '10000' }));
  for (const body of ['{"id": "a"', '"a"', '7']) {
    const answer = await carrier.handleCallback(callback({ headers: withToken, body: Buffer.from(body) }));
    assert.equal(answer.status, 400, body);
  }
});

test('answers well only after the receipts are settled', async t => {
  const reply = { status: 202, json: { resultCode: 'OK' } };
  const { carrier, host } = await made(t, { token: TOKEN, reply });
  const call = callback({ headers: withToken, json: { id: 'a', status: 'DELIVERED' } });
  host.refusals = Number.POSITIVE_INFINITY;
  assert.equal((await carrier.handleCallback(call)).status, 503);
  host.refusals = 0;
  const answer = await carrier.handleCallback(call);
  assert.deepEqual(answer, { status: 202, contentType: 'application/json', body: '{"resultCode":"OK"}' });
  assert.equal(host.receipts.length, 1);
  await carrier.close();
  assert.equal((await carrier.handleCallback(call)).status, 503, 'a closed carrier settles nothing');
});

test('a shared token stands in a header or in the query', async t => {
  const query = { query: 'key', value: SECRET };
  const [byHeader, byQuery] = [await made(t, { token: TOKEN }), await made(t, { token: query })];
  const one = { id: 'a', status: 'DELIVERED' };
  const status = async (made: typeof byHeader, given: Parameters<typeof callback>[0]) =>
    (await made.carrier.handleCallback(callback({ json: one, ...given }))).status;
  assert.equal(await status(byHeader, { headers: { 'x-token': SECRET } }), 200);
  assert.equal(await status(byHeader, { headers: { 'x-token': `${SECRET}.` } }), 401);
  assert.equal(await status(byHeader, {}), 401);
  assert.equal(await status(byQuery, { query: new URLSearchParams({ key: SECRET }) }), 200);
  assert.equal(await status(byQuery, { query: new URLSearchParams('key=') }), 401);
  assert.ok(byHeader.host.notices.includes('callbackRefused'));
});

test('only listed addresses may call, and every configured check counts', async t => {
  const { carrier } = await made(t, { addresses: ['192.0.2.0/24', '2001:db8::1'], token: TOKEN });
  const from = async (address: string, headers = withToken) => {
    const call = callback({ address, headers, json: { id: 'a', status: 'SENT' } });
    return (await carrier.handleCallback(call)).status;
  };
  for (const address of ['192.0.2.255', '2001:db8::1', '::ffff:192.0.2.1']) {
    assert.equal(await from(address), 200, address);
  }
  for (const address of ['192.0.3.1', '2001:db8::2', '::ffff:10.0.0.1', 'nonsense']) {
    assert.equal(await from(address), 401, address);
  }
  assert.equal(await from('192.0.2.1', { ...withToken, 'x-token': '' }), 401);
});

test('an address that fails too often is not heard for a while, unless it has authenticated', async t => {
  const { carrier, clock } = await made(t, { token: TOKEN });
  const told = async (address: string, token: string, times = 1) => {
    const headers = { ...withToken, 'x-token': token };
    const call = callback({ address, headers, json: { id: 'a', status: 'SENT' } });
    const answers = await Promise.all(Array.from({ length: times }, () => carrier.handleCallback(call)));
    return answers.map(({ status }) => status);
  };
  const [provider, stranger] = ['192.0.2.1', '192.0.2.66'];
  assert.ok(
    (await told(provider, SECRET, 100)).every(status => status === 200),
    'a burst is no guessing',
  );
  assert.ok((await told(provider, 'guess', 100)).every(status => status === 401));
  assert.deepEqual(await told(provider, SECRET), [200]);
  const guesses = await told(stranger, 'guess', 100);
  assert.deepEqual(guesses, [...Array(30).fill(401), ...Array(70).fill(429)]);
  assert.deepEqual(await told(stranger, SECRET), [429]);
  assert.deepEqual(await told('192.0.2.67', SECRET), [200], 'others are heard');
  const [here, there] = ['2001:db8::1', '2001:db8::ffff:1'];
  await told(here, 'guess', 30);
  assert.deepEqual(await told(there, SECRET), [429], 'an IPv6 /64 is one');
  clock.advance(2000);
  assert.deepEqual(await told(stranger, 'guess', 2), [401, 429], 'one more every two seconds');
  clock.advance(2000);
  assert.deepEqual(await told(stranger, SECRET), [200]);
});

test('signatures that others make are accepted, with either secret, for five minutes', async t => {
  const secrets = [`whsec_${Buffer.from('the first secret').toString('base64')}`, 'the second secret'];
  const { carrier, clock } = await made(t, { hmac: { secrets } });
  const body = JSON.stringify({ id: 'a', status: 'DELIVERED', to: '봉수' });
  const signedWith = (webhook: Webhook, at = clock.now(), sent = body) => {
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': webhook.sign('msg_1', new Date(at), body),
    };
    return carrier.handleCallback(callback({ headers, body: Buffer.from(sent) }));
  };
  const [first, second] = [
    new Webhook(secrets[0] ?? ''),
    new Webhook('the second secret', { format: 'raw' }),
  ];
  assert.equal((await signedWith(first)).status, 200);
  assert.equal((await signedWith(second)).status, 200);
  assert.equal((await signedWith(second, clock.now() - 299_000)).status, 200);
  assert.equal((await signedWith(second, clock.now() - 301_000)).status, 401, 'too old');
  assert.equal((await signedWith(second, clock.now() + 301_000)).status, 401, 'from the future');
  assert.equal((await signedWith(second, clock.now(), body.replace('"a"', '"b"'))).status, 401, 'changed');
  assert.equal((await signedWith(new Webhook('other secret', { format: 'raw' }))).status, 401);
});

test('a signed call proves its body only, and counts once', async t => {
  const secret = 'a secret that both know';
  const { carrier, host, clock } = await made(t, { hmac: { secrets: [secret] } });
  const webhook = new Webhook(secret, { format: 'raw' });
  const call = async (id: string, body: string, query = '') => {
    const at = new Date(clock.now());
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
      'webhook-signature': webhook.sign(id, at, body),
    };
    const given = { headers, body: Buffer.from(body), query: new URLSearchParams(query) };
    return (await carrier.handleCallback(callback(given))).status;
  };
  assert.equal(await call('ping', '', 'id=forged&status=DELIVERED'), 400);
  assert.deepEqual(host.receipts, []);
  const body = JSON.stringify({ id: 'a', status: 'DELIVERED' });
  host.refusals = 1;
  assert.equal(await call('m1', body), 503);
  assert.equal(await call('m1', body), 200, 'one that was not settled comes again under its id');
  assert.equal(await call('m1', body), 200);
  assert.equal(await call('m2', body), 200);
  assert.deepEqual(host.refs(), ['a', 'a']);
  // Some providers put the id of the message there: its next report has the same.
  assert.equal(await call('m1', JSON.stringify({ id: 'b', status: 'DELIVERED' })), 200);
  assert.deepEqual(host.refs(), ['a', 'a', 'b']);
});

test('an address made for one attempt is proof for that attempt alone', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 'p-1' }));
  const keys = basicKeys(provider.url);
  const { carrier, host } = await makeCarrier(t, {
    ...keys,
    submit: { url: `${provider.url}/messages`, json: { notify: '{{callbackUrl}}' } },
    receipt: RECEIPT,
    callback: { urlSecret: 'sixteen characters' },
  });
  await submitOne(carrier);
  const { notify } = JSON.parse(provider.requests[0]?.body ?? '');
  const [, attemptId = '', token = ''] =
    /^https:\/\/gateway\.example\/carriers\/acme\/receipts\/([^/]+)\/([\w-]+)$/.exec(notify) ?? [];
  assert.equal(attemptId, ATTEMPT);
  const told = [{ id: 'somebody-else', key: 'OTHER', status: 'DELIVERED' }];
  const status = async (given: object) =>
    (await carrier.handleCallback(callback({ json: told, ...given }))).status;
  assert.equal(await status({ attemptId, token }), 200);
  assert.deepEqual(host.receipts, [{ attemptId: ATTEMPT, reportCode: '10000' }], 'whatever the body says');
  assert.equal(await status({ attemptId: `${ATTEMPT}1`, token }), 401);
  assert.equal(await status({ attemptId, token: `${token}x` }), 401);
  assert.equal(await status({ attemptId, token: '' }), 401);
  assert.equal(await status({}), 401, 'without an address of ours there is no proof');
});

test('callbacks that anybody could make are a problem of the configuration', () => {
  const keys = { ...basicKeys('https://provider.example'), receipt: RECEIPT };
  assert.deepEqual(carrierOf({ ...keys, callback: {} }), [
    'carriers.acme.callback: expected at least one of hmac, token, addresses and urlSecret',
  ]);
  assert.deepEqual(carrierOf({ ...keys, callback: { addresses: ['10.0.0.0/33'] } }), [
    'carriers.acme.callback.addresses: expected addresses or ranges such as 192.0.2.0/24',
  ]);
  const short = 'fifteen letters';
  for (const callback of [{ token: { ...TOKEN, value: short } }, { hmac: { secrets: [SECRET, short] } }]) {
    assert.deepEqual(carrierOf({ ...keys, callback }), [
      'carriers.acme.callback: without addresses, tokens and secrets need at least 16 characters',
    ]);
    const known = carrierOf({ ...keys, callback: { ...callback, addresses: ['192.0.2.1'] } });
    assert.ok(!Array.isArray(known), 'only those who may guess need to be kept from it');
  }
});

test('takes messages of people by the id of the provider, and answers when they are stored', async t => {
  const inbound = { token: TOKEN, list: '/mo', id: '/id', from: '/src', to: '/dst', text: '/body' };
  const { carrier, host } = await makeCarrier(t, {
    ...basicKeys('https://provider.example'),
    inbound: { ...inbound, reply: { json: { ok: true } } },
  });
  const mo = [
    { id: 7, src: '01012345678', dst: '15881234', body: '안녕\n하세요\u0000' },
    { id: 'b', src: '+14155550123', dst: '15881234' },
  ];
  const call = callback({ headers: withToken, json: { mo } });
  host.inboundRefusals = 1;
  assert.equal((await carrier.handleInbound(call)).status, 503);
  const answer = await carrier.handleInbound(call);
  assert.deepEqual([answer.status, answer.body], [200, '{"ok":true}']);
  assert.deepEqual(host.inbound, [
    { from: '01012345678', to: '15881234', content: { kind: 'text', text: '안녕\n하세요', id: '7' } },
    { from: '+14155550123', to: '15881234', content: { kind: 'text', text: '', id: 'b' } },
  ]);
  assert.equal((await carrier.handleInbound(callback({ json: { mo } }))).status, 401);
  for (const broken of [{ mo: [{ ...mo[0], id: '' }] }, { mo: [{ id: 'x' }] }, { mo: 5 }]) {
    assert.equal((await carrier.handleInbound(callback({ headers: withToken, json: broken }))).status, 400);
  }
  assert.equal(host.inbound.length, 2);
  // One without its sender holds up no other: it may be an opt-out.
  const mixed = { mo: [{ ...mo[0], src: '' }, { ...mo[0], id: 'c' }, 'odd'] };
  assert.equal((await carrier.handleInbound(callback({ headers: withToken, json: mixed }))).status, 200);
  assert.deepEqual(
    host.inbound.slice(2).map(({ content }) => content.kind === 'text' && content.id),
    ['c'],
  );
  assert.equal(host.notices.at(-1), 'inboundIncomplete');
  assert.deepEqual(host.details.at(-1), { count: 2 });
  const without = await made(t, { token: TOKEN });
  assert.equal((await without.carrier.handleInbound(call)).status, 404);
});

const FORM = 'application/x-www-form-urlencoded';
const INBOUND = { token: TOKEN, id: '/id', from: '/from', to: '/to', text: '/text' };

/** A form in this character set, every octet of its text escaped. */
function formOf(text: string, charset: string): string {
  const escaped = [...iconv.encode(text, charset)].map(octet => `%${octet.toString(16).padStart(2, '0')}`);
  return `id=a&from=01012345678&to=15881234&text=${escaped.join('')}`;
}

test('messages of people are read in the character set that is declared', async t => {
  const { carrier, host } = await makeCarrier(t, {
    ...basicKeys('https://provider.example'),
    inbound: INBOUND,
  });
  const said = (text: string) => JSON.stringify({ id: 'a', from: '01012345678', to: '15881234', text });
  const calls: readonly (readonly [contentType: string, body: Buffer, encoding?: string])[] = [
    [`${FORM}; charset=euc-kr`, Buffer.from(formOf('수신거부 똠€', 'cp949'))],
    [`${FORM}; charset=MS949`, Buffer.from(formOf('수신거부 똠€', 'cp949'))],
    [
      `${FORM}; charset=ks_c_5601-1987`,
      iconv.encode('id=a&from=01012345678&to=15881234&text=수신거부+똠€', 'cp949'),
    ],
    [FORM, Buffer.from(formOf('수신거부 똠€', 'utf8'))],
    ['application/json; charset=euc-kr', iconv.encode(said('수신거부 똠€'), 'cp949')],
    ['application/json', Buffer.from(`\ufeff${said('수신거부 똠€')}`)],
    ['application/json; charset=utf-16', Buffer.from(said('수신거부 똠€'), 'utf16le').swap16()],
    ['application/json', gzipSync(said('수신거부 똠€')), 'gzip'],
  ];
  for (const [contentType, body, encoding = 'identity'] of calls) {
    const headers = { ...withToken, 'content-type': contentType, 'content-encoding': encoding };
    assert.equal((await carrier.handleInbound(callback({ headers, body }))).status, 200, contentType);
  }
  const read = {
    from: '01012345678',
    to: '15881234',
    content: { kind: 'text', text: '수신거부 똠€', id: 'a' },
  };
  assert.deepEqual(host.inbound, Array(calls.length).fill(read));
});

test('a message that cannot be read is refused, and a receipt is read as far as it can be', async t => {
  const keys = basicKeys('https://provider.example');
  const { carrier, host } = await makeCarrier(t, {
    ...keys,
    inbound: INBOUND,
    receipt: RECEIPT,
    callback: { token: TOKEN },
  });
  const euckr = formOf('수신거부', 'cp949');
  const packed = gzipSync('x'.repeat(1 << 21));
  for (const [contentType, body, encoding = 'identity'] of [
    [FORM, Buffer.from(euckr)],
    [`${FORM}; charset=klingon`, Buffer.from(euckr)],
    ['application/json', iconv.encode('{"id":"a","from":"1","to":"2","text":"수신거부"}', 'cp949')],
    ['application/json', packed, 'gzip'],
    ['application/json', Buffer.from('{}'), 'gzip'],
    ['application/json', Buffer.from('{}'), 'constructor'],
  ] as const) {
    const headers = { ...withToken, 'content-type': contentType, 'content-encoding': encoding };
    assert.equal((await carrier.handleInbound(callback({ headers, body }))).status, 400, contentType);
    assert.equal(host.notices.at(-1), 'callbackUnreadable');
    assert.deepEqual(host.details.at(-1), { contentType });
  }
  const query = new URLSearchParams(euckr);
  assert.equal((await carrier.handleInbound(callback({ headers: withToken, query }))).status, 400);
  assert.deepEqual(host.inbound, []);
  const body = iconv.encode('{"id":"a","status":"DELIVERED","reason":"성공"}', 'cp949');
  assert.equal((await carrier.handleCallback(callback({ headers: withToken, body }))).status, 200);
  assert.equal(host.receipts.length, 1);
});
