import assert from 'node:assert/strict';
import test from 'node:test';
import { sms } from '../harness/flows.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';

test('each recipient has a reference of its own, and the group comes back in its reports', async t => {
  const { gateway, client } = await testAccount(t);
  const answer = await client.call('POST', '/v1/send/omni', {
    messageFlow: [sms()],
    destinations: [
      { to: '01012345678', ref: 'row-1' },
      { to: '01012345679' },
      { to: '0101', ref: 'row-3' },
      { to: '01012345670', ref: 'x'.repeat(201) },
    ],
    ref: 'all',
    groupKey: 'spring',
  });
  const { destinations } = answer.body.data;
  assert.deepEqual(
    destinations.map((each: { code: string; ref?: string }) => [each.code, each.ref]),
    [
      ['A000', 'row-1'],
      ['A000', undefined],
      ['A306', 'row-3'],
      ['A305', undefined],
    ],
  );
  assert.equal(answer.body.ref, 'all');
  const [first, second] = destinations;
  for (const [{ msgKey }, ref] of [
    [first, 'row-1'],
    [second, 'all'],
  ]) {
    const [report] = await client.reportsOf(msgKey, 1);
    assert.deepEqual([report?.ref, report?.groupKey], [ref, 'spring']);
    const data = await gateway.message(msgKey);
    assert.deepEqual([data.ref, data.groupKey], [ref, 'spring']);
  }
  const batch = (await client.poll()).body.data;
  assert.deepEqual(batch.report.map(({ ref }: { ref: string }) => ref).sort(), ['all', 'row-1']);
});

test('messages are found by group and by the reference of the recipient, indexed or not', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const body = { messageFlow: [sms()], ref: 'all', groupKey: 'spring' };
  const destinations = [{ to: '01012345678', ref: 'row-1' }, { to: '01012345679' }];
  const [own, common] = (
    await client.call('POST', '/v1/send/omni', { ...body, destinations })
  ).body.data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
  const single = (await client.sms({ groupKey: 'spring', ref: 'lone' })).body.msgKey;
  const foreign = (await other.sms({ groupKey: 'spring' })).body.msgKey;
  const found = async (query: string) => {
    const path = `/messages?${query}`;
    const { data } = (await gateway.operator('GET', path)).body;
    return data.messages.map(({ msgKey }: { msgKey: string }) => msgKey).sort();
  };
  const everything = async () => {
    assert.deepEqual(await found('ref=row-1'), [own]);
    assert.deepEqual(
      await found('ref=all'),
      [common],
      'the reference of a recipient replaces that of the request',
    );
    assert.deepEqual(await found('groupKey=spring&account=shop'), [own, common, single].sort());
    assert.deepEqual(await found('groupKey=spring'), [own, common, single, foreign].sort());
    assert.deepEqual(await found('groupKey=autumn'), []);
  };
  await everything();
  await gateway.gateway.store.search.index(gateway.clock.now() + 1, 100);
  await everything();
  const long = await client.sms({ groupKey: 'x'.repeat(65) });
  assert.deepEqual(long.refusal, [400, 'A300', '"groupKey" is longer than 64 characters (was 65)']);
});

test('an account has as many recipients in a request as its setting says, up to 1,000', async t => {
  const gateway = await testGateway(t);
  const ten = await gateway.account('ten');
  const most = await gateway.account('most', { recipientLimit: 1000 });
  const to = (count: number) => ({
    messageFlow: [sms({ text: '#{n}' })],
    destinations: Array.from({ length: count }, (_, n) => ({
      to: `0101${String(n).padStart(7, '0')}`,
      ref: `row-${n}`,
      replaceWords: Object.fromEntries('nabcdefgh'.split('').map(key => [key, String(n)])),
    })),
  });
  const refused = await ten.call('POST', '/v1/send/omni', to(11));
  assert.deepEqual(refused.refusal, [400, 'A318', '"destinations" has more than 10 entries (was 11)']);
  const { destinations } = (await most.call('POST', '/v1/send/omni', to(1000))).body.data;
  assert.equal(new Set(destinations.map(({ msgKey }: { msgKey: string }) => msgKey)).size, 1000);
  assert.ok(
    destinations.every(
      ({ code, ref }: Record<string, string>, n: number) => code === 'A000' && ref === `row-${n}`,
    ),
  );
  const excess = await most.call('POST', '/v1/send/omni', to(1001));
  assert.deepEqual(excess.refusal, [400, 'A318', '"destinations" has more than 1000 entries (was 1001)']);
});
