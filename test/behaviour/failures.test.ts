import assert from 'node:assert/strict';
import test from 'node:test';
import type { FailureDesk } from '../../src/operations/failures.ts';
import { rcs, sms } from '../harness/flows.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 86_400_000;
const GONE = '01012340001';

async function desk(
  gateway: TestGateway,
  query = '',
  headers?: Record<string, string>,
): Promise<FailureDesk> {
  const answer = await gateway.operator('GET', `/failures?${query}`, undefined, headers);
  assert.equal(answer.body.code, 'A000', answer.text);
  return answer.body.data;
}

async function send(gateway: TestGateway, account: string, to: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    const body = { from: '0212345678', to, text: 'hello' };
    await gateway.operator('POST', `/accounts/${account}/send/sms`, body);
  }
}

/** Until so many messages of the day have ended and are counted. */
const counted = (gateway: TestGateway, messages: number) =>
  until(`${messages} are counted`, async () => {
    gateway.clock.advance(20_000);
    const found = await desk(gateway);
    return found.days.at(-1)?.messages === messages && found;
  });

test('failures of a day are grouped, with their share, the days before and what can be done', async t => {
  const gateway = await testGateway(t);
  for (const id of ['shop', 'cafe']) await gateway.account(id);
  assert.deepEqual((await desk(gateway)).groups, []);
  await send(gateway, 'shop', GONE, 1);
  await send(gateway, 'shop', '01012345678', 3);
  await counted(gateway, 4);
  gateway.clock.advance(DAY_MS);
  await send(gateway, 'shop', GONE, 3);
  await send(gateway, 'cafe', GONE, 1);
  await send(gateway, 'cafe', '01012345678', 1);
  const flow = { destinations: [{ to: '01012340001' }], messageFlow: [rcs(), sms()] };
  const sent = await gateway.operator('POST', '/accounts/shop/send/omni', flow);
  const omni = sent.body.data.destinations[0].msgKey;
  const found = await counted(gateway, 6);

  assert.deepEqual([found.day, found.today], ['2026-01-06', '2026-01-06']);
  assert.deepEqual([found.from, found.until], ['2026-01-06T00:00:00+09:00', '2026-01-07T00:00:00+09:00']);
  assert.ok(found.countedUntil);
  assert.deepEqual(found.days.slice(-2), [
    { day: '2026-01-05', messages: 4, failed: 1 },
    { day: '2026-01-06', messages: 6, failed: 5 },
  ]);
  // A message counts once, by the step that was its last.
  const [first, second, ...others] = found.groups;
  assert.deepEqual(first, {
    ...{ code: '23001', channel: 'sms', carrier: 'simulator', account: 'shop' },
    ...{ reportText: 'No such subscriber', advice: 'number' },
    ...{ failed: 4, share: 0.8, rate: 4 / 6, usualRate: 0.25, days: [0, 0, 0, 0, 0, 0, 1, 4] },
  });
  assert.deepEqual([second?.account, second?.failed, second?.usualRate], ['cafe', 1, 0]);
  assert.deepEqual([others, found.left], [[], { groups: 0, failed: 0 }]);

  const byCode = await desk(gateway, 'by=code');
  assert.deepEqual(
    byCode.groups.map(({ code, account, failed }) => [code, account, failed]),
    [['23001', undefined, 5]],
  );
  const ofCafe = await desk(gateway, 'account=cafe&by=account,channel');
  assert.deepEqual(
    ofCafe.groups.map(({ reportText, account, channel, failed, rate }) => [
      reportText,
      account,
      channel,
      failed,
      rate,
    ]),
    [[undefined, 'cafe', 'sms', 1, 0.5]],
  );
  const yesterday = await desk(gateway, 'day=2026-01-05');
  assert.deepEqual(
    [yesterday.day, yesterday.today, yesterday.groups[0]?.failed],
    ['2026-01-05', '2026-01-06', 1],
  );

  // The messages of a group are those that the search finds with its members.
  const { from, until: end } = found;
  const query = new URLSearchParams({
    ...{ code: '23001', lastChannel: 'sms', carrier: 'simulator', account: 'shop', from, until: end },
  });
  const { messages } = (await gateway.operator('GET', `/messages?${query}`)).body.data;
  assert.equal(messages.length, 4);
  assert.ok(messages.some(({ msgKey }: { msgKey: string }) => msgKey === omni));

  const { headers } = await gateway.addOperator('lee', 'viewer');
  assert.deepEqual((await desk(gateway, '', headers)).groups, found.groups);
});

test('an invalid day, account or grouping is named with its rule', async t => {
  const { operator } = await testGateway(t);
  for (const [query, says] of [
    ['day=yesterday', /"day" must be a date such as/],
    ['day=2026-02-30', /"day"/],
    ['day=0000-01-01', /"day"/],
    ['day=1970-01-01', /"day"/],
    ['account=a%20b', /"account" must be the id/],
    ['account=a&account=b', /"account"/],
    ['by=pigeon', /"by" must be some of code, channel, carrier, account/],
    ['by=code,code', /"by"/],
    ['by=code&by=code', /"by"|A000/],
  ] as const) {
    const { body } = await operator('GET', `/failures?${query}`);
    assert.match(`${body.code} ${body.result}`, says, query);
  }
});
