import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import test from 'node:test';
import { testGateway } from '../harness/gateway.ts';
import { operatorOf } from '../harness/operator.ts';
import { bongsu, type Env } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const run = (env: Env, line: string) => bongsu(line.split(' '), env);

test('an operator who is added on the store can sign in to a running gateway until revoked', async t => {
  const env = { BONGSU_DATA_DIR: scratchDirectory(t) };
  const added = await run(env, 'operator add kim --role viewer --expires 7d');
  const [, token = ''] = /\ntoken +(bongsu_op_\w{32}) {4}\(shown only once\)\n$/.exec(added.stdout) ?? [];
  const again = await run(env, 'operator add kim --role admin');
  assert.deepEqual([again.code, again.stderr], [1, 'bongsu: There is an operator "kim" already\n']);
  const [listed] = JSON.parse((await run(env, 'operator list --json')).stdout);
  const { name, role, state, createdBy, createdAt, expiresAt } = listed;
  assert.deepEqual([name, role, state, createdBy], ['kim', 'viewer', 'active', userInfo().username]);
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 86_400_000);

  const gateway = await testGateway(t, env);
  const call = operatorOf(gateway);
  const queue = () => call('GET', '/queue', undefined, { authorization: `Bearer ${token}` });
  assert.equal((await queue()).status, 200);
  const revoked = await run(env, 'operator revoke kim');
  assert.equal(revoked.stdout, 'token of operator kim revoked\n');
  assert.equal((await queue()).body.code, 'A002');
  assert.match((await run(env, 'operator list')).stdout, /\nkim +viewer +revoked /);
  assert.match((await run(env, 'operator revoke kim')).stderr, /There is no such operator/);

  const { entries } = (await call('GET', '/audit')).body.data;
  assert.deepEqual(
    entries.map(({ who, action, target }: Record<string, string>) => [who, action, target]),
    [
      ['cli', 'operator.revoke', 'kim'],
      ['cli', 'operator.add', 'kim'],
    ],
  );
});
