/** Real answers of a running gateway, held against the document. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { API_OPERATIONS } from '../../src/http/openapi/document.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { type Answer, type Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import { createConformance, type Method } from './conformance.ts';

const conformance = createConformance();
const { assertAnswer, assertRequest } = conformance;

/** Calls and holds the answer against the document. */
async function checked(
  client: Client,
  method: Method,
  path: string,
  body?: string | Buffer | object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await client.call(method, path, body, headers);
  assertAnswer(method, path, answer);
  return answer;
}

test('the validator is at work: one member more, or one less, is not the contract', async t => {
  const { client } = await testAccount(t);
  const answer = await client.sms();
  const more = { ...answer, body: { ...answer.body, extra: null } };
  assert.throws(() => assertAnswer('POST', '/v1/send/sms', more), /NOT have additional properties/);
  const less = { ...answer, body: { code: 'A000', result: 'Success' } };
  assert.throws(() => assertAnswer('POST', '/v1/send/sms', less), /required property 'msgKey'/);
  assert.throws(() => assertAnswer('POST', '/v1/send/sms', { ...answer, status: 204 }), /has no POST/);
  assert.throws(
    () => assertRequest('sendSms', { from: '02', to: '1', text: 'x', tittle: '' }),
    /unevaluated/,
  );
});

test('a token, and its refusal', async t => {
  const { gateway } = await testAccount(t);
  for (const password of ['correct horse battery staple', 'wrong']) {
    const headers = { 'x-svc-client-id': 'shop', 'x-svc-client-passwd': password };
    assertAnswer('POST', '/v1/auth/token', await gateway.request('POST', '/v1/auth/token', { headers }));
  }
});

for (const [kind, examples] of Object.entries(SEND_EXAMPLES)) {
  for (const [name, body] of Object.entries<object>(examples)) {
    test(`the ${kind} example "${name}" conforms, is accepted, and its records conform`, async t => {
      const operation = API_OPERATIONS.find(({ path }) => path === `/v1/send/${kind}`);
      assertRequest(operation?.operationId ?? '', body);
      const { client } = await testAccount(t);
      const answer = await checked(client, 'POST', `/v1/send/${kind}`, body);
      assert.equal(answer.body.code, 'A000', answer.text);
      const keys: string[] = answer.body.data?.destinations.map(
        ({ msgKey }: { msgKey: string }) => msgKey,
      ) ?? [answer.body.msgKey];
      for (const key of keys) {
        await client.reportsOf(key);
        const inquiry = await checked(client, 'GET', `/v1/report/inquiry/${key}`);
        assert.ok(inquiry.body.data.report.length > 0);
      }
      const poll = await checked(client, 'GET', '/v1/report/polling');
      const { reportId } = poll.body.data;
      assert.notEqual(reportId, '');
      const deleted = await checked(client, 'DELETE', `/v1/report/polling/${reportId}`);
      assert.equal(deleted.body.code, 'A000');
      await checked(client, 'GET', '/v1/report/polling');
    });
  }
}

test('refusals of sends', async t => {
  const { gateway, client } = await testAccount(t);
  const limited = await gateway.account('limited', { sendRate: 1, callRate: 1, channels: ['sms'] });
  const noPull = await gateway.account('pushed', { pull: false });
  const sms = SEND_EXAMPLES.sms.text;

  const codes: string[] = [];
  const refused = async (from: Client, ...call: Parameters<Client['call']>) => {
    const answer = await from.call(...call);
    assertAnswer(call[0], call[1], answer);
    codes.push(answer.body.code);
  };
  await refused(client, 'POST', '/v1/send/sms', '{');
  await refused(client, 'POST', '/v1/send/sms', '[]', { 'content-type': 'application/json' });
  await refused(client, 'POST', '/v1/send/sms', 'x', { 'content-type': 'text/plain' });
  await refused(client, 'POST', '/v1/send/sms', sms, { authorization: 'Bearer none' });
  await refused(client, 'POST', '/v1/send/sms', { ...sms, text: 'x'.repeat(91) });
  await refused(client, 'POST', '/v1/send/omni', { destinations: [] });
  await refused(client, 'POST', '/v1/send/omni', { destinations: [{ to: sms.to }], messageForm: 'none' });
  await refused(client, 'POST', '/v1/send/rcs', { ...SEND_EXAMPLES.rcs['expert style'], brandKey: '' });
  await refused(client, 'POST', '/v1/send/friendtalk', { ...SEND_EXAMPLES.friendtalk.text, msgType: 'FC' });
  await refused(limited, 'POST', '/v1/send/mms', SEND_EXAMPLES.mms['long text']);
  await refused(limited, 'POST', '/v1/send/sms', sms);
  await refused(limited, 'POST', '/v1/send/sms', sms);
  await refused(client, 'DELETE', '/v1/report/polling/none');
  await refused(noPull, 'GET', '/v1/report/polling');
  await refused(client, 'GET', '/v1/form/none');
  assert.deepEqual(codes, [
    ...['A010', 'A011', 'A300', 'A002', 'A328', 'A300', 'A250', 'A420', 'A567'],
    ...['A325', 'A000', 'A020', 'A805', 'A802', 'A250'],
  ]);
});

test('an expired token', async t => {
  const { gateway, client } = await testAccount(t);
  gateway.clock.advance(25 * 60 * 60_000);
  assert.equal((await checked(client, 'GET', '/v1/report/polling')).body.code, 'A001');
});

test('one faulty recipient beside a good one', async t => {
  const { client } = await testAccount(t);
  const omni = SEND_EXAMPLES.omni['RCS, then alimtalk, then SMS'];
  const [good] = omni.destinations;
  const answer = await checked(client, 'POST', '/v1/send/omni', {
    ...omni,
    destinations: [good, { to: '1' }],
  });
  assert.equal(answer.body.data.destinations[1].code, 'A306');
});

test('a reservation, from creation to cancellation', async t => {
  const { client } = await testAccount(t);
  const operations = API_OPERATIONS.filter(
    ({ tag, access }) => tag === 'Reservation' && access === 'account',
  );
  const bodyOf = (id: string) => {
    const found = operations.find(({ operationId }) => operationId === id);
    const [body] = Object.values(found?.request?.examples ?? {}) as object[];
    assertRequest(id, body);
    return body;
  };
  const made = await checked(client, 'POST', '/v1/reservation', bodyOf('reserve'));
  const { resvKey, destinations } = made.body.data;
  const one = `/v1/reservation/resvKey/${resvKey}`;
  const codes: string[] = [];
  for (const [method, path, body] of [
    ['GET', '/v1/reservation/list'],
    ['GET', one],
    ['PUT', one, bodyOf('changeReservation')],
    ['POST', `${one}/destinations`, bodyOf('addReservedRecipients')],
    ['GET', `${one}/destinations`],
    ['DELETE', `${one}/destinations/msgKey/${destinations[0].msgKey}`],
    ['POST', `${one}/stop`],
    ['POST', `${one}/resume`],
    ['POST', `${one}/cancel`],
    ['GET', '/v1/reservation/resvKey/none'],
  ] as const) {
    codes.push((await checked(client, method, path, body)).body.code);
  }
  assert.deepEqual(codes, [...Array(6).fill('A000'), 'A824', 'A824', 'A000', 'A823']);
});

test('a form, from creation to deletion', async t => {
  const { client } = await testAccount(t);
  const create = API_OPERATIONS.find(({ operationId }) => operationId === 'createForm');
  const [body] = Object.values(create?.request?.examples ?? {});
  assertRequest('createForm', body);
  const { formId } = (await checked(client, 'POST', '/v1/form', body as object)).body.data;
  await checked(client, 'GET', `/v1/form/${formId}`);
  await checked(client, 'PUT', `/v1/form/${formId}`, body as object);
  assert.equal((await checked(client, 'DELETE', `/v1/form/${formId}`)).body.code, 'A000');
});

test('uploads to each of the three paths, and a refusal', async t => {
  const { gateway, client } = await testAccount(t);
  const upload = (path: string, content: Buffer) => checked(client, 'POST', path, Multipart.ofFile(content));
  const mms = await upload('/v1/file/MMS', image('jpg', 640, 480));
  assert.equal(mms.body.code, 'A000', mms.text);
  const rcs = await upload('/v1/file/RCS', image('jpg', 568, 336));
  assert.match(rcs.body.data.media, /^maapfile:/);
  const friendtalk = await upload('/v1/file/FRIENDTALK/FI', image('jpg', 800, 400));
  assert.match(friendtalk.body.data.imgUrl, /\/files\//);
  const item = await upload('/v1/file/FRIENDTALK/FL/first', image('jpg', 800, 400));
  assert.equal(item.body.code, 'A000', item.text);
  assert.equal((await upload('/v1/file/MMS', image('jpg', 1600, 480))).body.code, 'A203');
  const shown = await gateway.gateway.http.inject({ url: `/files/${mms.body.data.fileKey}` });
  assert.equal(shown.headers['content-type'], 'image/jpeg');
  assertAnswer('GET', '/files/none', await gateway.request('GET', '/files/none'));
});

/** A message, a batch of reports and a form, by their keys. */
async function historyOf(client: Client) {
  const { msgKey = '' } = (await client.sms()).body;
  await client.reportsOf(msgKey);
  const { reportId } = (await client.poll()).body.data;
  const messageForm = [{ sms: { from: '0212345678', text: 'hello' } }];
  const { formId } = (await client.call('POST', '/v1/form', { messageForm })).body.data;
  const later = { resvSendTime: '2026-02-01 09:00:00', messageFlow: messageForm };
  const { resvKey } = (await client.call('POST', '/v1/reservation', later)).body.data;
  return { msgKey, reportId: String(reportId), formId: String(formId), resvKey: String(resvKey) };
}

async function sessionOf(gateway: TestGateway): Promise<string> {
  await gateway.signIn();
  return (await gateway.operator('GET', '/sessions')).body.data.sessions[0].id;
}

async function optOutOf(client: Client): Promise<string> {
  await checked(client, 'POST', '/v1/optout', { optOuts: [{ to: '01077778888' }] });
  return (await checked(client, 'GET', '/v1/optout')).body.data.optOuts[0].id;
}

/** A message to a number that is nobody's. */
async function inboundOf(gateway: TestGateway): Promise<string> {
  const message = { from: '01012345678', to: '1234', text: 'hello' };
  return (await gateway.operator('POST', '/simulator/inbound', message)).body.data.msgKey;
}

test('the operator and health', async t => {
  const { gateway, client } = await testAccount(t);
  const known = {
    ...(await historyOf(client)),
    operatorId: (await gateway.addOperator('lee', 'viewer')).id,
    deliveryId: await gateway.failingDelivery(client),
    sessionId: await sessionOf(gateway),
    inboundKey: await inboundOf(gateway),
    node: (await gateway.operator('GET', '/nodes')).body.data.nodes[0].node,
    optOutId: await optOutOf(client),
  };
  const operator = bearer(ADMIN_TOKEN);
  const codes: string[] = [];
  for (const { method, path, request, parameters = [], access, operationId } of API_OPERATIONS) {
    if (access === 'account' || access === 'credentials') continue;
    if (path === '/metrics' || path.includes('/files/') || path.endsWith('/events')) continue;
    if (path.startsWith('/carriers/') || path.startsWith('/optout/')) continue;
    if (request?.type === 'multipart/form-data' || (path.endsWith('/session') && method === 'post')) continue;
    // They need a reservation in another state.
    if (/^(stop|resume|release)AccountReservation$/.test(operationId)) continue;
    if (['acceptInvitation', 'deleteAccount'].includes(operationId)) continue;
    // For PostgreSQL: see test/cli/maintenance.test.ts.
    if (operationId === 'resealValues') continue;
    // And test/cluster/one-gateway.test.ts.
    if (operationId === 'forgetNode') continue;
    const examples = {
      ...Object.fromEntries(parameters.map(({ name, example }) => [name, example])),
      ...known,
    };
    const query = parameters
      .filter(({ required }) => required)
      .map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
    const url = `${path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof known) => examples[name] ?? '')}?${query.join('&')}`;
    // Whoever is refused too often must wait.
    gateway.clock.advance(5000);
    const verb = method.toUpperCase() as Method;
    const [body] = Object.values(request?.examples ?? {}) as object[];
    // A file has no code.
    codes.push((await checked(client, verb, url, body, operator)).body?.code ?? 'A000');
    if (access === 'operator') await checked(client, verb, url, body);
  }
  assert.ok(codes.length >= 25);
  assert.deepEqual([...new Set(codes)], ['A000']);
  await checked(client, 'GET', `/admin/v1/messages/none`, undefined, operator);
  await checked(client, 'GET', `/admin/v1/accounts/nobody/registry`, undefined, operator);
  await checked(client, 'GET', `/admin/v1/accounts/nobody/webhook`, undefined, operator);
  await checked(client, 'GET', `/admin/v1/webhooks`, undefined, operator);

  const { code } = (
    await checked(client, 'POST', '/admin/v1/invitations', { name: 'choi', role: 'viewer' }, operator)
  ).body.data;
  for (const _ of [1, 2]) await checked(client, 'POST', '/admin/v1/invitations/accept', { code });
  await checked(client, 'GET', '/admin/v1/sessions', undefined, operator);
  const remove = () => checked(client, 'DELETE', '/admin/v1/accounts/branch', undefined, operator);
  assert.equal((await remove()).body.code, 'A300', 'it is not blocked');
  await gateway.gateway.accounts.change('branch' as AccountId, { blocked: true });
  assert.equal((await remove()).body.code, 'A000');
  assert.equal((await remove()).status, 404);
  const fileKey = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02';
  await checked(client, 'DELETE', `/admin/v1/files/${fileKey}`, undefined, operator);
});
