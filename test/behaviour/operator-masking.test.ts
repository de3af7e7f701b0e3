import assert from 'node:assert/strict';
import test from 'node:test';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { Role } from '../../src/domain/operator/role.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { type AuditStore, StoreFault } from '../../src/store/store.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { type Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const TO = '01098765432';
const SECRET = 'The code of 홍길동 is 493817';
const REASON = 'The recipient asks what he got';

/** Members of a request that say how it is sent, not what or to whom. */
const HOW =
  /^(ref|paymentCode|from|fileKey|ttl|formatId|templateCode|senderKey|bizFormKey|\w+Id|brandKey|agencyKey|groupTagKey|type|msgType|sendType|\w+Flag|adult|pushAlarm|targeting|copyAllowed|expiryOption)$/;

function* contentsOf(value: unknown, name = ''): Generator<string> {
  if (typeof value === 'string' && !HOW.test(name)) yield value;
  if (Array.isArray(value)) for (const item of value) yield* contentsOf(item, name);
  else if (typeof value === 'object' && value !== null) {
    for (const [member, inner] of Object.entries(value)) yield* contentsOf(inner, member);
  }
}

test('no answer shows a viewer what was sent, on any channel', async t => {
  const { gateway, client } = await testAccount(t);
  const { headers } = await gateway.addOperator('kim', 'viewer');
  const channels = new Set<Channel>();
  const sent: string[] = [];
  for (const [kind, examples] of Object.entries(SEND_EXAMPLES)) {
    for (const body of Object.values(examples)) {
      const answer = await client.call('POST', `/v1/send/${kind}`, body);
      const msgKey = /"msgKey":"(\w{32})"/.exec(answer.text)?.[1];
      if (answer.body.code !== 'A000' || msgKey === undefined) continue;
      sent.push(msgKey);
      // Its history has the words of a refusal by then.
      await client.reportsOf(msgKey);
      const { text, body: shown } = await gateway.operator('GET', `/messages/${msgKey}`, undefined, headers);
      assert.equal(shown.data.masked, true, text);
      for (const { channel } of shown.data.flow) channels.add(channel);
      for (const content of contentsOf(body)) {
        // Short ones are in other words by chance.
        if (content.length < 4) continue;
        const isThere = text.includes(JSON.stringify(content).slice(1, -1));
        assert.equal(isThere, false, `${kind}: "${content}" is in ${text}`);
      }
    }
  }
  assert.deepEqual(
    [...channels].sort(),
    ['alimtalk', 'brandmessage', 'friendtalk', 'international', 'mms', 'rcs', 'sms'],
    'every channel was looked at',
  );
  const list = await gateway.operator('GET', '/messages', undefined, headers);
  assert.equal(list.body.data.messages.length >= sent.length, true);
  for (const { to } of list.body.data.messages) assert.match(to, /^\+?\d{2,3}\*{4}\d{4}$/);
});

test('in production nobody sees an unmasked message, and in the sandbox the admin does', async t => {
  const sees = async (gateway: TestGateway, headers: Record<string, string>) => {
    const call = gateway.operator;
    await call('POST', '/accounts', { id: 'shop' });
    const body = { from: '0212345678', to: TO, text: SECRET };
    const { msgKey } = (await call('POST', '/accounts/shop/send/sms', body)).body;
    const answer = await call('GET', `/messages/${msgKey}`, undefined, headers);
    const session = await call('GET', '/session', undefined, headers);
    assert.equal(session.body.data.masked, answer.body.data.masked);
    assert.equal(answer.text.includes('493817'), !answer.body.data.masked);
    return answer.body.data.to;
  };
  const masked = '010****5432';
  for (const [env, role, to] of [
    [{}, 'admin', TO],
    [{}, 'operator', masked],
    [{}, 'viewer', masked],
    [{ BONGSU_MASKING: 'everyone' }, 'admin', masked],
  ] as const) {
    const gateway = await testGateway(t, env);
    const { headers } = await gateway.addOperator('kim', role);
    assert.equal(await sees(gateway, headers), to, `${JSON.stringify(env)} ${role}`);
  }
  // Without carriers nothing can be sent there, but what would be seen is known.
  for (const [env, isMasked] of [
    [{}, true],
    [{ BONGSU_MASKING: 'non-admins' }, false],
  ] as const) {
    const gateway = await testGateway(t, { BONGSU_MODE: 'production', ...env });
    assert.equal((await gateway.operator('GET', '/session')).body.data.masked, isMasked);
  }
});

async function withMessage(
  t: Parameters<typeof testGateway>[0],
  env: Record<string, string> = {},
): Promise<{ gateway: TestGateway; client: Client; msgKey: string; as: (role: Role) => Promise<Headers> }> {
  const { gateway, client } = await testAccount(t, { env });
  const msgKey = (await client.sms({ to: TO, text: SECRET })).body.msgKey ?? '';
  return {
    gateway,
    client,
    msgKey,
    as: async role => (await gateway.addOperator(`a ${role}`, role)).headers,
  };
}

type Headers = Record<string, string>;

test('an operator reveals one message with a reason, which is in the audit log; a viewer never does', async t => {
  const { gateway, msgKey, as } = await withMessage(t);
  const reveal = async (headers: Headers, body: object, key = msgKey) =>
    gateway.operator('POST', `/messages/${key}/reveal`, body, headers);
  const [viewer, operator] = [await as('viewer'), await as('operator')];
  const audit = async () => (await gateway.operator('GET', '/audit?limit=1')).body.data.entries[0];

  const refused = await reveal(viewer, { reason: REASON });
  assert.deepEqual([refused.status, refused.text.includes('493817')], [403, false]);
  const wrongReasons = [{}, { reason: 'why?' }, { reason: '     x     ' }, { reason: 'x'.repeat(201) }];
  for (const body of [
    ...wrongReasons,
    { reason: 12345 },
    { reason: 'two\nlines' },
    { reason: 'lone \ud800' },
  ]) {
    const answer = await reveal(operator, body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'A300'], JSON.stringify(body));
  }
  assert.equal((await reveal(operator, { reason: REASON }, 'x')).status, 404);
  assert.equal((await audit()).action, 'operator.add', 'nothing was revealed yet');

  const shown = await reveal(operator, { reason: ` ${REASON} ` });
  const { to, masked, flow, rendered, request } = shown.body.data;
  assert.deepEqual([to, masked, request.body.to, request.body.text], [TO, false, TO, SECRET]);
  assert.deepEqual([flow[0].text, rendered[0].text], [SECRET, SECRET]);
  const { who, name, action, target, details } = await audit();
  assert.deepEqual(
    { who, name, action, target, details },
    {
      ...{ who: 'token', name: 'a operator', action: 'personal.reveal', target: msgKey },
      details: { account: 'shop', reason: REASON },
    },
  );
});

test('a message is not revealed if the audit log cannot be written', async t => {
  const { gateway, msgKey, as } = await withMessage(t);
  const headers = await as('operator');
  const { audit } = gateway.gateway.store as { audit: { add: AuditStore['add'] } };
  audit.add = async () => {
    throw new StoreFault('didNotHappen', 'the disk is full');
  };
  const answer = await gateway.operator('POST', `/messages/${msgKey}/reveal`, { reason: REASON }, headers);
  assert.deepEqual([answer.status, answer.body.code], [503, 'A920']);
  assert.doesNotMatch(answer.text, /493817|01098765432/);
});

test('a number is found only by the whole number', async t => {
  const { gateway, msgKey, as } = await withMessage(t);
  const headers = await as('viewer');
  const found = async (to: string) => {
    const query = new URLSearchParams({ to });
    const answer = await gateway.operator('GET', `/messages?${query}`, undefined, headers);
    return answer.body.data?.messages.map((message: { msgKey: string }) => message.msgKey) ?? [];
  };
  assert.deepEqual(await found(TO), [msgKey]);
  for (const part of ['010', TO.slice(0, -1), TO.slice(2), '%', '0109876543_', '010****5432', '***']) {
    assert.deepEqual(await found(part), [], part);
  }
});

test('the live feed shows a viewer masked numbers, and the admin of a sandbox whole ones', async t => {
  const { gateway, client } = await testAccount(t);
  const { headers } = await gateway.addOperator('kim', 'viewer');
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const abort = new AbortController();
  t.after(() => abort.abort());
  const watch = async (of: Headers) => {
    const response = await fetch(`${url}/admin/v1/events`, { headers: of, signal: abort.signal });
    const seen = { text: '' };
    const read = async () => {
      for await (const chunk of response.body ?? []) seen.text += new TextDecoder().decode(chunk);
    };
    read().catch(() => {});
    return seen;
  };
  const [viewer, admin] = [await watch(headers), await watch(bearer(ADMIN_TOKEN))];
  await client.sms({ to: TO, text: SECRET });
  await until('both have seen it', () => {
    gateway.clock.advance(250);
    return viewer.text.includes('5432') && admin.text.includes('5432');
  });
  assert.match(viewer.text, /"to":"010\*{4}5432"/);
  assert.doesNotMatch(viewer.text, /98765/);
  assert.match(admin.text, /"to":"01098765432"/);
});

test('a session of the console sees what its operator sees', async t => {
  const { gateway, msgKey } = await withMessage(t);
  const kim = await gateway.addOperator('kim', 'operator');
  const cookie = await gateway.signIn({ token: kim.token });
  const answer = await gateway.operator('GET', `/messages/${msgKey}`, undefined, { cookie });
  assert.deepEqual([answer.body.data.masked, answer.body.data.to], [true, '010****5432']);
});

test('only admins see a possible token in a webhook URL', async t => {
  const webhookUrl = 'https://hooks.example/bongsu/S3CRET?token=S3CRET';
  const { gateway } = await testAccount(t, { settings: { reportMode: 'webhook', webhookUrl } });
  const calls = [
    ['GET', '/accounts'],
    ['GET', '/accounts/shop'],
    ['GET', '/accounts/shop/webhook'],
    ['POST', '/accounts/shop/webhook/resume'],
  ] as const;
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    const { headers } = await gateway.addOperator(`a ${role}`, role);
    for (const [method, path] of calls) {
      const answer = await gateway.operator(method, path, undefined, headers);
      assert.equal(answer.text.includes('S3CRET'), role === 'admin', `${path} as ${role}: ${answer.text}`);
    }
  }
});
