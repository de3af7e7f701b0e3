import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import test from 'node:test';
import { testGateway } from '../harness/gateway.ts';
import { bongsu } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { scratchDirectory } from '../harness/scratch.ts';

type Call = readonly ['POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object];

interface Entry {
  readonly who: string;
  readonly name: string;
  readonly action: string;
  readonly target: string;
  readonly details: object;
}

const RANGE = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

/** Every change that both can make: as a command, as a call of the API, its action, and what makes it a change again. */
const CHANGES: readonly (readonly [line: string, call: Call, action: string, undo?: Call])[] = [
  [
    'account set shop --send-rate 5 --channels all',
    ['PATCH', '/accounts/shop', { settings: { sendRate: 5, channels: null } }],
    'account.change',
    ['PATCH', '/accounts/shop', { settings: { sendRate: 9 } }],
  ],
  [
    'account block shop',
    ['PATCH', '/accounts/shop', { blocked: true }],
    'account.change',
    ['PATCH', '/accounts/shop', { blocked: false }],
  ],
  [
    'account unblock shop',
    ['PATCH', '/accounts/shop', { blocked: false }],
    'account.change',
    ['PATCH', '/accounts/shop', { blocked: true }],
  ],
  ['account set-password shop', ['POST', '/accounts/shop/password'], 'account.password'],
  ['account revoke-tokens shop', ['DELETE', '/accounts/shop/tokens'], 'account.revoke-tokens'],
  [
    'registry add shop sender 0212345678',
    ['PUT', '/accounts/shop/registry/sender/0212345678', { number: '0212345678' }],
    'registry.put',
  ],
  [
    'registry remove shop sender 0212345678',
    ['DELETE', '/accounts/shop/registry/sender/0212345678'],
    'registry.delete',
    ['PUT', '/accounts/shop/registry/sender/0212345678', { number: '0212345678' }],
  ],
  ['webhook rotate shop', ['POST', '/accounts/shop/webhook/secret'], 'webhook.rotate'],
  ['webhook test shop', ['POST', '/accounts/shop/webhook/test'], 'webhook.test'],
  [
    `webhook replay shop --from ${RANGE.from} --until ${RANGE.until}`,
    ['POST', '/accounts/shop/webhook/replay', RANGE],
    'webhook.replay',
  ],
  ['webhook resume shop', ['POST', '/accounts/shop/webhook/resume'], 'webhook.resume'],
  ['carrier pause simulator', ['POST', '/carriers/simulator/pause'], 'carrier.pause'],
  ['carrier resume simulator', ['POST', '/carriers/simulator/resume'], 'carrier.resume'],
  ['carrier reconnect simulator', ['POST', '/carriers/simulator/reconnect'], 'carrier.reconnect'],
  ['carrier test simulator', ['POST', '/carriers/simulator/test'], 'carrier.test'],
];

test('the same change by the command line and by the API has the same action, target and details', async t => {
  const receiver = await startReceiver(t);
  const env = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_WEBHOOK_PRIVATE: 'allow' };
  const gateway = await testGateway(t, env);
  const call = gateway.operator;
  const entries = async (): Promise<Entry[]> => (await call('GET', '/audit?limit=200')).body.data.entries;

  const options = `--report-mode webhook --webhook-url ${receiver.url}`;
  assert.equal((await bongsu(`account create shop ${options}`.split(' '), env)).code, 0);
  const settings = { reportMode: 'webhook', webhookUrl: receiver.url };
  await call('POST', '/accounts', { id: 'branch', settings });
  // Their clocks differ: the gateway has a manual one.
  const created = (await entries())
    .toReversed()
    .map(({ who, action, target, details }) => [who, action, target, details]);
  assert.deepEqual(created, [
    ['token', 'account.create', 'branch', { settings }],
    ['cli', 'account.create', 'shop', { settings }],
  ]);

  // Commands beside it know its node once it has told its carriers.
  await gateway.clock.advance(1000);
  for (const [line, [method, path, body], action, undo] of CHANGES) {
    if (undo) await call(...undo);
    const command = await bongsu(line.split(' '), env);
    assert.equal(command.code, 0, command.stderr);
    const byCommand = (await entries()).find(entry => entry.action === action && entry.who === 'cli');
    if (undo) await call(...undo);
    const answer = await call(method, path, body);
    assert.equal(answer.body.code, 'A000', answer.text);
    const byApi = (await entries()).find(entry => entry.action === action && entry.who === 'token');
    assert.deepEqual([byApi?.name, byCommand?.name], ['admin', userInfo().username], line);
    const same = { who: '', name: '', at: '' };
    assert.deepEqual({ ...byApi, ...same }, { ...byCommand, ...same }, line);
  }
});

test('a failed change is not in the audit log', async t => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  const gateway = await testGateway(t, env);
  const call = gateway.operator;
  assert.equal((await bongsu(['account', 'block', 'nobody'], env)).code, 1);
  assert.equal((await bongsu(['carrier', 'pause', 'nobody'], env)).code, 1);
  await call('PATCH', '/accounts/nobody', { blocked: true });
  await call('POST', '/carriers/nobody/pause');
  await call('PUT', '/accounts/nobody/registry/sender/0212345678', { number: '0212345678' });
  await gateway.account('shop', { sendRate: 5 });
  await call('PATCH', '/accounts/shop', { settings: { sendRate: 5 }, blocked: false });
  await call('PATCH', '/accounts/shop', {});
  assert.deepEqual((await call('GET', '/audit')).body.data.entries, []);
});
