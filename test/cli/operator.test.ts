import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import test from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { bearer } from '../harness/credentials.ts';
import { testGateway } from '../harness/gateway.ts';
import { bongsu, type Env } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const run = (env: Env, line: string) => bongsu(line.split(' '), env);

test('an operator who was added on the store can sign in to a running gateway until revoked', async t => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  const added = await run(env, 'operator add kim --role viewer --expires 7d');
  const [, token = ''] = /\ntoken +(bongsu_op_\w{32}) {4}\(shown only once\)\n$/.exec(added.stdout) ?? [];
  const again = await run(env, 'operator add kim --role admin');
  assert.deepEqual([again.code, again.stderr], [1, 'bongsu: There is an operator "kim" already\n']);
  const [listed] = JSON.parse((await run(env, 'operator list --json')).stdout);
  const { name, role, state, createdBy, createdAt, expiresAt } = listed;
  assert.deepEqual([name, role, state, createdBy], ['kim', 'viewer', 'active', userInfo().username]);
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 86_400_000);

  const gateway = await testGateway(t, env);
  const queue = () => gateway.operator('GET', '/queue', undefined, bearer(token));
  assert.equal((await queue()).status, 200);
  const revoked = await run(env, 'operator revoke kim');
  assert.equal(revoked.stdout, 'token of operator kim revoked\n');
  assert.equal((await queue()).body.code, 'A002');
  assert.match((await run(env, 'operator list')).stdout, /\nkim +viewer +revoked /);
  assert.match((await run(env, 'operator revoke kim')).stderr, /There is no such operator/);

  const { entries } = (await gateway.operator('GET', '/audit')).body.data;
  assert.deepEqual(
    entries.map(({ who, action, target }: Record<string, string>) => [who, action, target]),
    [
      ['cli', 'operator.revoke', 'kim'],
      ['cli', 'operator.add', 'kim'],
    ],
  );
});

test('an operator who is invited on the store accepts at a running gateway, and gets another role', async t => {
  const env = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_PUBLIC_URL: 'https://msg.example.com/' };
  const invited = await run(env, 'operator invite kim --role viewer --expires 7d');
  const [, code = ''] =
    /\nlink +https:\/\/msg\.example\.com\/console\/#invite=(bongsu_in_\w{32}) {4}\(shown only once\)\n$/.exec(
      invited.stdout,
    ) ?? [];
  assert.equal((await run(env, 'operator invite lee --role admin')).code, 0);
  // Commands go by the clock of the system.
  const gateway = await testGateway(t, env, new ManualClock(Date.now()));
  const accepted = await gateway.request('POST', '/admin/v1/invitations/accept', { body: { code } });
  assert.deepEqual([accepted.body.data.name, accepted.body.data.role], ['kim', 'viewer']);
  const changed = await run(env, 'operator set-role kim operator');
  assert.equal(changed.stdout, 'operator kim has the role operator\n');
  assert.equal((await run(env, 'operator revoke lee')).code, 0, 'an invitation is withdrawn');
  const { stdout } = await run(env, 'operator list');
  assert.match(stdout, /\nkim +operator +active /);
  assert.match(stdout, /\nlee +admin +revoked /);
});
