import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type Client, testAccount, testGateway } from '../harness/gateway.ts';

const DAY = 86_400_000;

async function sendAndSettle(client: Client, refs: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const ref of refs) {
    const { msgKey } = (await client.sms({ ref })).body;
    await client.reportsOf(msgKey);
    keys.push(msgKey ?? '');
  }
  return keys;
}

const refsOf = (report: readonly { readonly ref?: string }[]) => report.map(({ ref }) => ref);

test('the same batch comes back until it is deleted, then the next one', async t => {
  const { client } = await testAccount(t);
  await sendAndSettle(client, ['a', 'b']);
  const first = (await client.poll()).body.data;
  assert.deepEqual(refsOf(first.report), ['a', 'b']);
  await sendAndSettle(client, ['c']);
  assert.deepEqual((await client.poll()).body.data, first, 'what arrives meanwhile waits');
  await client.call('DELETE', `/v1/report/polling/${first.reportId}`);
  const second = (await client.poll()).body.data;
  assert.deepEqual(refsOf(second.report), ['c']);
  assert.notEqual(second.reportId, first.reportId);
});

test('the batch comes back after a restart, with its reportId', async t => {
  const store = await freshStore(t);
  const clock = new ManualClock();
  const { gateway: first, client } = await testAccount(t, { env: store, clock });
  await sendAndSettle(client, ['a', 'b']);
  const before = (await client.poll()).text;
  await first.close();
  const second = await testGateway(t, store, clock);
  const headers = bearer(client.token);
  const after = await second.request('GET', '/v1/report/polling', { headers });
  assert.equal(after.text, before);
});

test('concurrent pollers get one and the same batch', async t => {
  const { client } = await testAccount(t);
  await sendAndSettle(client, ['a', 'b', 'c']);
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.poll()));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('many pollers of one account read its batch once, and share what was read', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  await sendAndSettle(client, ['a', 'b', 'c']);
  await sendAndSettle(other, ['d']);
  const { store } = gateway.gateway;
  const read = t.mock.method(store.reports, 'poll');
  const answers = await Promise.all(Array.from({ length: 64 }, () => client.poll()));
  for (let count = 0; count < 64; count++) answers.push(await client.poll());
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(read.mock.callCount(), 1);

  assert.deepEqual(
    refsOf((await other.poll()).body.data.report),
    ['d'],
    'nobody gets what is kept for another',
  );
  const { reportId } = answers[0]?.body.data ?? {};
  await client.call('DELETE', `/v1/report/polling/${reportId}`);
  assert.deepEqual((await client.poll()).body.data, { reportId: '', report: null });
});

test('a batch that another node acknowledged does not come back', async t => {
  const { gateway, client } = await testAccount(t);
  await sendAndSettle(client, ['a']);
  const { reportId } = (await client.poll()).body.data;
  const { store } = gateway.gateway;
  await store.reports.acknowledge('shop' as AccountId, reportId, gateway.clock.now());
  await sendAndSettle(client, ['b']);
  assert.deepEqual(refsOf((await client.poll()).body.data.report), ['b']);
});

test('a shared batch is written anew when the account changes the form of its reports', async t => {
  const { gateway, client } = await testAccount(t);
  await sendAndSettle(client, ['a']);
  assert.ok('sendTime' in (await client.poll()).body.data.report[0]);
  await gateway.operator('PATCH', '/accounts/shop', { settings: { reportFormat: 'legacy' } });
  assert.ok(!('sendTime' in (await client.poll()).body.data.report[0]));
});

test('a batch holds at most 1000 records, the oldest first, and none is lost between batches', async t => {
  const { client } = await testAccount(t);
  const sent = new Set<string | undefined>();
  while (sent.size < 1205) {
    const answers = await Promise.all(Array.from({ length: 241 }, () => client.sms()));
    for (const { body } of answers) sent.add(body.msgKey);
  }
  for (const key of sent) await client.reportsOf(key);
  const fetched: string[] = [];
  const sizes: number[] = [];
  for (;;) {
    const { reportId, report } = (await client.poll()).body.data;
    if (!report) break;
    sizes.push(report.length);
    fetched.push(...report.map(({ msgKey }: { msgKey: string }) => msgKey));
    await client.call('DELETE', `/v1/report/polling/${reportId}`);
  }
  assert.deepEqual(sizes, [1000, 205]);
  assert.equal(fetched.length, 1205);
  assert.deepEqual(new Set(fetched), sent);
});

test('an invalid reportId is A805 and changes nothing', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  await sendAndSettle(client, ['a']);
  const { reportId } = (await client.poll()).body.data;
  const refused = [400, 'A805', 'Invalid Report ID(Pull API)'];

  const unknown = await client.call('DELETE', '/v1/report/polling/nonsense');
  assert.deepEqual(unknown.refusal, refused, 'never handed out');
  const foreign = await other.call('DELETE', `/v1/report/polling/${reportId}`);
  assert.deepEqual(foreign.refusal, refused, "another account's");
  assert.equal((await client.poll()).body.data.reportId, reportId);
  await client.call('DELETE', `/v1/report/polling/${reportId}`);
  const again = await client.call('DELETE', `/v1/report/polling/${reportId}`);
  assert.deepEqual(again.refusal, refused, 'already processed');
  for (const odd of ['x'.repeat(200), 'x'.repeat(300), 'x'.repeat(8000), '%00', '%ED%95%9C']) {
    const { refusal } = await client.call('DELETE', `/v1/report/polling/${odd}`);
    assert.deepEqual(refusal, refused, `cannot be one: ${odd.slice(0, 10)}`);
  }
});

test('an empty reportId is an unknown path', async t => {
  const { client } = await testAccount(t);
  const answer = await client.call('DELETE', '/v1/report/polling/');
  assert.deepEqual([answer.status, answer.body.code], [404, 'A300']);
});

test('polling needs the permission, inquiry does not', async t => {
  const { client } = await testAccount(t, { settings: { pull: false } });
  const { msgKey } = (await client.sms()).body;
  const refused = [403, 'A802', 'No permission to Pull API'];
  assert.deepEqual((await client.poll()).refusal, refused);
  assert.deepEqual((await client.call('DELETE', '/v1/report/polling/x')).refusal, refused);
  assert.equal((await client.reportsOf(msgKey)).length, 1);
});

test('a record not fetched within 3 days leaves the queue, and inquiry still finds it for 30', async t => {
  const { gateway, client } = await testAccount(t, { env: { BONGSU_TOKEN_LIFETIME: '90d' } });
  const [key] = await sendAndSettle(client, ['a']);
  gateway.clock.advance(3 * DAY);
  await sendAndSettle(client, ['b']);
  gateway.clock.advance(1);
  assert.deepEqual(refsOf((await client.poll()).body.data.report), ['b']);
  assert.deepEqual(refsOf(await client.inquire(key)), ['a']);
  gateway.clock.advance(27 * DAY - 1);
  assert.deepEqual(refsOf(await client.inquire(key)), ['a']);
  gateway.clock.advance(1);
  assert.deepEqual(await client.inquire(key), []);
});

test('a batch that was handed out stays beyond the 3 days', async t => {
  const { gateway, client } = await testAccount(t, { env: { BONGSU_TOKEN_LIFETIME: '90d' } });
  await sendAndSettle(client, ['a']);
  const { text } = await client.poll();
  gateway.clock.advance(20 * DAY);
  assert.equal((await client.poll()).text, text);
});

test('an unknown msgKey is A000 with an empty list, whatever it looks like', async t => {
  const { client } = await testAccount(t);
  for (const key of ['0'.repeat(32), 'x', "' OR 1=1 --", '%00', 'admin/v1']) {
    const answer = await client.call('GET', `/v1/report/inquiry/${encodeURIComponent(key)}`);
    assert.deepEqual(answer.body, { code: 'A000', result: 'Success', data: { report: [] } }, key);
  }
});

test("another account's reports are never seen", async t => {
  const gateway = await testGateway(t);
  const [mine, other] = [await gateway.account('mine'), await gateway.account('other')];
  const [key] = await sendAndSettle(mine, ['secret']);
  assert.deepEqual(await other.inquire(key), []);
  assert.deepEqual((await other.poll()).body.data, { reportId: '', report: null });
  assert.deepEqual(refsOf((await mine.poll()).body.data.report), ['secret']);
});

test('the legacy record leaves out what two public clients refuse', async t => {
  const { gateway, client } = await testAccount(t, { settings: { reportFormat: 'legacy' } });
  const { msgKey } = (await client.international({ ref: 'r' })).body;
  const [record] = await client.reportsOf(msgKey);
  assert.deepEqual(Object.keys(record ?? {}), [
    'msgKey',
    'serviceType',
    'msgType',
    'reportTime',
    'reportType',
    'reportCode',
    'reportText',
    'ref',
  ]);
  await gateway.gateway.accounts.change('shop' as AccountId, { settings: { reportFormat: 'spec' } });
  const [full] = await client.inquire(msgKey);
  assert.equal(full?.resCnt, '1');
  assert.equal(full?.sendTime, '2026-01-05T12:00:00+09:00');
});

test('resCnt is the number of parts of an international message', async t => {
  const { client } = await testAccount(t);
  const { msgKey } = (await client.international({ text: 'a'.repeat(400) })).body;
  const [record] = await client.reportsOf(msgKey);
  assert.deepEqual([record?.serviceType, record?.msgType, record?.resCnt], ['INTERNATIONAL', 'IM', '3']);
});

test('times carry the configured zone', async t => {
  const { client } = await testAccount(t, { env: { BONGSU_TIME_ZONE: 'America/New_York' } });
  const [record] = await client.reportsOf((await client.sms()).body.msgKey);
  assert.equal(record?.reportTime, '2026-01-04T22:00:00-05:00');
});
