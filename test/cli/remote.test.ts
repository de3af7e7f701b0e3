/** Every command of an operator does the same on a gateway (`--url`) as on the store. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { localTools } from '../../src/cli/local-tools.ts';
import { operatorClient } from '../../src/cli/operator-call.ts';
import { remoteTools } from '../../src/cli/remote-tools.ts';
import type { CommandTools } from '../../src/cli/tools.ts';
import { openOperator } from '../../src/composition/operator-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { RegistryEntry } from '../../src/domain/registry/registry.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { bongsu } from '../harness/process.ts';

const SHOP = 'shop' as AccountId;
const LOGO: RegistryEntry = {
  kind: 'logo',
  profile: 'p1',
  image: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(40)}`,
};
const SENDER: RegistryEntry = { kind: 'sender', number: '0212345678' };
const RANGE = { from: '1970-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' };

/** What is read, by both; times of the system's clock left out. */
const READS: Readonly<Record<string, (tools: CommandTools) => Promise<unknown>>> = {
  'inbound list': ({ inbound }) => inbound.list({}, 10),
  'account list': ({ accounts }) => accounts.list(),
  'account show': ({ accounts }) => accounts.show(SHOP),
  'queue show': ({ call }) => call('GET /queue', {}),
  'queue peek': ({ call }) => call('GET /queue/messages', { limit: '1000' }),
  'queue set-aside': ({ call }) => call('GET /queue/set-aside', {}),
  'messages search': ({ messages }) => messages.find({ account: SHOP, to: '010-1234-0006' }, 20),
  'registry list': ({ call }) => call('GET /accounts/{id}/registry', { id: SHOP }),
  'registry list --kind': ({ call }) => call('GET /accounts/{id}/registry', { id: SHOP, kind: 'sender' }),
  'optout list': ({ call }) => call('GET /accounts/{id}/optouts', { id: SHOP, state: 'all' }),
  'optout export': async ({ call }) => (await call('GET /accounts/{id}/optouts/csv', { id: SHOP })).text,
  'carrier list': async ({ call }) =>
    (await call('GET /carriers', {})).carriers.map(({ name, kind }) => [name, kind]),
  'route explain': ({ call }) => call('GET /routes/explain', { channel: 'sms', to: '01012345678' }),
  'webhook show': ({ call }) => call('GET /accounts/{id}/webhook', { id: SHOP }),
  'webhook deliveries': ({ call }) => call('GET /webhooks', { account: SHOP, limit: '50' }),
  'operator list': async ({ call }) =>
    (await call('GET /operators', {})).operators.map(({ lastUsedAt: _, ...operator }) => operator),
  'time zone': ({ timeZone }) => timeZone(),
};

test('a command works on a gateway as it does on the store, and its changes are in the audit log', async t => {
  const store = await freshStore(t);
  // Commands go by the clock of the system.
  const gateway = await testGateway(t, store, new ManualClock(Date.now()));
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const remote = remoteTools(operatorClient(url, ADMIN_TOKEN));
  const config = loadConfig({ ...store, BONGSU_ADMIN_TOKEN: ADMIN_TOKEN, BONGSU_LOG: 'silent' }, CHANNELS);
  const operator = await openOperator(config, true);
  t.after(() => operator.close());
  const local = localTools(operator, config);

  const created = await remote.accounts.create(SHOP, 'password-of-shop', { sendRate: 50 });
  assert.deepEqual([created.id, created.settings.sendRate], ['shop', 50]);
  assert.equal(
    (await remote.accounts.change(SHOP, { settings: { sendRate: undefined } })).settings.sendRate,
    null,
  );
  await remote.accounts.setPassword(SHOP, 'another-password');
  const headers = { 'x-svc-client-id': SHOP, 'x-svc-client-passwd': 'another-password' };
  const token = await gateway.request('POST', '/v1/auth/token', { headers });
  assert.equal(token.body.code, 'A000', 'the password that was given is the one that holds');
  const sent = await gateway.request('POST', '/v1/send/sms', {
    headers: bearer(token.body.data.token),
    body: { from: '0212345678', to: '01012340006', text: 'silence' },
  });
  await remote.accounts.revokeTokens(SHOP);
  await remote.call('POST /accounts/{id}/registry', { id: SHOP, entries: [SENDER, LOGO] });
  const [id, list] = [SHOP, 'accounts/{id}/optouts'] as const;
  const optOuts = [{ to: '01012345678' }];
  assert.deepEqual(await remote.call(`POST /${list}`, { id, optOuts }), { added: 1, known: 0 });
  const file = '01087654321\n';
  assert.deepEqual(await remote.call(`POST /${list}/csv`, { id, file }), { added: 1, known: 0 });
  const [latest] = (await remote.call(`GET /${list}`, { id })).optOuts;
  const ended = await remote.call(`DELETE /${list}/{optOutId}`, { id, optOutId: latest?.id ?? '' });
  assert.equal(ended.endedBy, 'admin');
  await remote.accounts.change(SHOP, {
    settings: { reportMode: 'webhook', webhookUrl: 'https://shop.example.com/reports' },
  });
  const webhook = 'POST /accounts/{id}/webhook';
  assert.match((await remote.call(`${webhook}/secret`, { id })).secret, /^whsec_/);
  assert.deepEqual(await remote.call(`${webhook}/replay`, { id, ...RANGE }), { records: 0 });
  assert.deepEqual(await remote.call(`${webhook}/retry`, { id, ...RANGE }), { records: 0 });
  assert.equal((await remote.call(`${webhook}/resume`, { id })).isOff, false);
  const kim = await remote.call('POST /operators', { name: 'kim', role: 'viewer', lifetimeDays: 7 });
  assert.equal(
    (await remote.call('PATCH /operators/{operatorId}', { operatorId: kim.id, role: 'operator' })).role,
    'operator',
  );
  const lee = await remote.call('POST /invitations', { name: 'lee', role: 'admin', lifetimeDays: 7 });
  assert.equal(lee.link, `${url}/console/#invite=${lee.code}`);
  await remote.call('DELETE /operators/{operatorId}', { operatorId: lee.id });
  const said = { from: '01012345678', to: '15881234', text: 'When do you open?' };
  const { msgKey: question, account } = await remote.inbound.simulate(said);
  assert.equal(account, null);
  await assert.rejects(remote.inbound.assign(question, 'nobody'), /There is no account "nobody"/);
  assert.equal((await local.inbound.simulate({ ...said, to: '1234' })).account, null);
  await remote.call('POST /carriers/{name}/pause', { name: 'simulator' });
  await remote.call('POST /carriers/{name}/reconnect', { name: 'simulator' });
  assert.equal((await remote.call('POST /carriers/{name}/test', { name: 'simulator' })).isOk, true);
  const [line] = (await remote.call('GET /nodes', {})).nodes;
  const { node } = await remote.call('POST /nodes/{node}/drain', { node: line?.node ?? '' });
  assert.equal((await remote.call('GET /nodes', {})).nodes[0]?.state, 'drained');
  assert.deepEqual(await remote.call('POST /nodes/{node}/resume', { node }), { node });

  const filters = { account: SHOP };
  assert.equal((await remote.messages.cancel({ filters })).cancelled, 0);
  await assert.rejects(local.messages.cancel({ filters }), /--url/);
  assert.equal((await remote.messages.settle({ filters })).settleable, 0);
  await assert.rejects(local.messages.settle({ filters }), /--url/);

  for (const [what, read] of Object.entries(READS)) {
    // As JSON: the API leaves out what is undefined.
    const [here, there] = [await read(local), await read(remote)].map(value => JSON.stringify(value));
    assert.deepEqual(JSON.parse(there ?? ''), JSON.parse(here ?? ''), what);
  }
  const { version, mode, health, carriers } = await remote.status();
  assert.deepEqual([mode, health?.ready, carriers[0]?.paused], ['sandbox', true, true]);
  assert.equal(version, (await local.status()).version);
  // The disk is looked at where there is a directory, and a process on SQLite knows its own node only.
  const areasOf = async ({ call }: CommandTools) =>
    [...new Set((await call('GET /doctor', {})).findings.map(({ area }) => area))].filter(
      area => area !== 'disk' && area !== 'nodes',
    );
  assert.deepEqual(await areasOf(remote), await areasOf(local));
  const { link } = await remote.consoleLink();
  assert.match(link, new RegExp(`^${url}/console/#code=\\w{32}$`));
  assert.match((await local.consoleLink()).link, /^http:\/\/127\.0\.0\.1:8080\/console\/#code=\w{32}$/);
  const key = sent.body.msgKey ?? '';
  assert.equal((await remote.messages.detail(key)).msgKey, key);

  await remote.call('POST /carriers/{name}/resume', { name: 'simulator' });
  await remote.call('DELETE /accounts/{id}/registry/{kind}/{key}', { id: SHOP, kind: 'logo', key: 'p1' });
  await assert.rejects(
    remote.call('POST /accounts/{id}/registry', { id: SHOP, entries: [SENDER, { ...SENDER, number: 'x' }] }),
    /Entry 2: "number" must/,
  );
  await assert.rejects(remote.accounts.remove(SHOP), /A300 Block the account/);
  await assert.rejects(remote.accounts.show('nobody' as AccountId), /A300 There is no account "nobody"/);
  const { entries } = (await gateway.operator('GET', '/audit')).body.data;
  const actions = entries
    .filter(({ who }: Record<string, string>) => who === 'token')
    .map(({ action, who }: Record<string, string>) => `${who} ${action}`)
    .toReversed();
  assert.deepEqual(
    actions,
    [
      ...['account.create', 'account.change', 'account.password', 'account.revoke-tokens', 'registry.put'],
      ...['optout.add', 'optout.add', 'optout.end'],
      ...['account.change', 'webhook.rotate', 'webhook.replay', 'webhook.retry-range', 'webhook.resume'],
      ...['operator.add', 'operator.change', 'operator.invite', 'operator.revoke'],
      ...['inbound.simulate', 'carrier.pause', 'carrier.reconnect'],
      ...[
        'carrier.test',
        'node.drain',
        'node.resume',
        'optout.export',
        'session.link',
        'carrier.resume',
        'registry.delete',
      ],
    ].map(action => `token ${action}`),
  );

  const env = { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
  const settled = await bongsu(
    [
      ...['messages', 'settle', '0'.repeat(32), '--outcome', 'delivered', '--reason', 'list of sky'],
      ...['--yes', '--url', url],
    ],
    env,
  );
  assert.deepEqual(
    [settled.code, settled.stdout, settled.stderr],
    [
      1,
      '0 settled; 1 had already ended, or moved to another step or carrier\n',
      'bongsu: nothing was settled\n',
    ],
  );
  const [shown, byInput, noToken, wrong, nobody] = await Promise.all([
    bongsu(['account', 'list', '--json', '--url', `${url}/`], env),
    bongsu(['queue', 'show', '--url', url, '--token-stdin'], {}, { input: `${kim.token}\n` }),
    bongsu(['account', 'list', '--url', url]),
    bongsu(['account', 'block', 'shop', '--url', url, '--token-stdin'], {}, { input: kim.token }),
    bongsu(['account', 'list', '--url', 'http://127.0.0.1:9'], env),
  ]);
  assert.deepEqual(
    JSON.parse(shown.stdout).map(({ id }: { id: string }) => id),
    ['shop'],
  );
  assert.match(byInput.stdout, /^PHASE/);
  assert.deepEqual([noToken.code, wrong.code, nobody.code], [2, 1, 1]);
  assert.match(noToken.stderr, /no token: set BONGSU_ADMIN_TOKEN, or use --token-stdin/);
  assert.match(wrong.stderr, /refused: A300 This needs the role "admin"; yours is "operator"/);
  assert.match(nobody.stderr, /no gateway answers at http:\/\/127\.0\.0\.1:9/);
});
