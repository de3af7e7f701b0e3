import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCsv } from '../../src/platform/csv.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import { freshStore } from '../harness/engines.ts';
import { rcs, sms } from '../harness/flows.ts';
import { type Answer, Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** The simulated network says that there is no such subscriber. */
const NOBODY = '01012340001';

const get = (client: Client, path: string) => client.call('GET', `/v1/message/${path}`);
const keysIn = ({ body }: Answer): string[] =>
  body.data.messages.map(({ msgKey }: { msgKey: string }) => msgKey);

async function omni(client: Client, numbers: readonly string[], more: object = {}): Promise<string[]> {
  const destinations = numbers.map(to => ({ to }));
  const answer = await client.call('POST', '/v1/send/omni', { messageFlow: [sms()], destinations, ...more });
  return answer.body.data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey);
}

test('an account sees its own messages: one, with every channel message tried, and those of a request', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const [failed = '', delivered = ''] = await omni(client, [NOBODY, '01012345678'], {
    messageFlow: [rcs(), sms()],
    ref: 'order-1',
    groupKey: 'spring',
    paymentCode: 'dept',
  });
  await client.reportsOf(failed, 2);
  await client.reportsOf(delivered, 1);
  const { data } = (await get(client, failed)).body;
  assert.deepEqual(
    [data.msgKey, data.requestId, data.to, data.ref, data.groupKey, data.paymentCode, data.state],
    [failed, failed.slice(0, -3), NOBODY, 'order-1', 'spring', 'dept', 'failed'],
  );
  assert.deepEqual(
    data.messages.map((each: Record<string, string>) => [
      each.serviceType,
      each.fallback,
      each.state,
      each.reportCode,
      each.ref,
      each.groupKey,
    ]),
    [
      ['RCS', 'N', 'failed', '33001', 'order-1', 'spring'],
      ['SMS', 'Y', 'failed', '23001', 'order-1', 'spring'],
    ],
  );
  assert.deepEqual((await get(client, `inquiry/msgKey/${failed}`)).body.data, { messages: data.messages });
  const request = await get(client, `inquiry/requestId/${failed.slice(0, -3)}`);
  assert.deepEqual(
    request.body.data.messages.map((each: Record<string, string>) => [each.msgKey, each.to, each.state]),
    [
      [failed, NOBODY, 'failed'],
      [delivered, '01012345678', 'delivered'],
    ],
  );

  await gateway.holdQueue();
  const [waiting = ''] = await omni(client, ['01012345678']);
  const [status] = (await get(client, `inquiry/msgKey/${waiting}`)).body.data.messages;
  assert.deepEqual([status.state, status.responseCode, status.reportCode], ['queued', 'A000', undefined]);

  assert.equal((await get(other, failed)).status, 404);
  assert.equal((await get(client, 'nothing')).status, 404);
  for (const [asking, key] of [
    [other, failed],
    [client, 'nothing'],
  ] as const) {
    assert.deepEqual(keysIn(await get(asking, `inquiry/msgKey/${key}`)), []);
    assert.deepEqual(keysIn(await get(asking, `inquiry/requestId/${key.slice(0, -3)}`)), []);
  }
});

test('the history is filtered, goes on by its cursor, is streamed as a file, and shows nothing of others', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const began = gateway.clock.now();
  const [nobody = '', first = ''] = await omni(client, [NOBODY, '01012345678'], { groupKey: 'spring' });
  gateway.clock.advance(60_000);
  const [second = ''] = await omni(client, ['01012345678'], { messageFlow: [rcs(), sms()], ref: '=1+1' });
  const [foreign = ''] = await omni(other, ['01012345678'], { groupKey: 'spring', ref: '=1+1' });
  await other.reportsOf(foreign, 1);
  for (const key of [nobody, first, second]) await client.reportsOf(key, 1);
  gateway.clock.advance(60_000);
  const third = (await client.sms({ to: '01012345679' })).body.msgKey ?? '';
  await client.reportsOf(third, 1);
  await gateway.holdQueue();
  gateway.clock.advance(10);
  const open = (await client.sms({ to: '01012345679' })).body.msgKey ?? '';

  const all = [open, third, second, first, nobody];
  const history = async (query: string) => keysIn(await get(client, `history?${query}`));
  const moment = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const everything = async () => {
    assert.deepEqual(await history(''), all);
    assert.deepEqual(await history('outcome=delivered'), [third, second, first]);
    assert.deepEqual(await history('outcome=failed'), [nobody]);
    assert.deepEqual(await history('outcome=open'), [open]);
    assert.deepEqual(await history('groupKey=spring'), [first, nobody]);
    assert.deepEqual(await history('ref=%3D1%2B1'), [second]);
    assert.deepEqual(await history('to=010-1234-5678'), [second, first]);
    assert.deepEqual(await history('serviceType=RCS,alimtalk'), [second]);
    assert.deepEqual(await history('reportCode=23001'), [nobody]);
    assert.deepEqual(await history(`requestTime=${moment(began + 60_000)}&until=${moment(began + 60_001)}`), [
      second,
    ]);
    const pages: string[] = [];
    let next = '';
    do {
      const { data } = (await get(client, `history?limit=2${next && `&lastSeq=${next}`}`)).body;
      assert.equal(data.hasNext, data.lastSeq !== null);
      pages.push(...data.messages.map(({ msgKey }: { msgKey: string }) => msgKey));
      next = data.lastSeq ?? '';
    } while (next !== '');
    assert.deepEqual(pages, all);
  };
  await everything();
  await gateway.gateway.store.search.index(gateway.clock.now() + 1, 100);
  await everything();

  const file = await get(client, 'history/export?groupKey=spring');
  assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
  const [columns, ...rows] = parseCsv(file.text);
  assert.deepEqual(columns?.slice(0, 3), ['msgKey', 'to', 'serviceType']);
  assert.deepEqual(
    rows.map(([key]) => key),
    [first, nobody],
  );
  const whole = (await get(client, 'history/export')).text;
  assert.deepEqual(
    parseCsv(whole)
      .slice(1)
      .map(([key]) => key),
    all,
  );
  assert.ok(whole.includes("'=1+1"), 'no cell begins a formula');

  for (const [query, result] of [
    ['limit=1001', '"limit" must be a whole number from 1 to 1000'],
    ['outcome=maybe', '"outcome" must be one of delivered, failed, open'],
    ['reportCode=1', '"reportCode" must be a report code such as 10000'],
    ['lastSeq=x', '"lastSeq" must be the "lastSeq" of an earlier answer'],
    ['groupKey=a%00b', '"groupKey" must be a group of at most 64 characters'],
  ] as const) {
    const refused = await get(client, `history?${query}`);
    assert.deepEqual(refused.refusal, [400, 'A300', result]);
  }
  assert.equal((await get(client, 'history/export?outcome=maybe')).status, 400);
});

test('statistics are by day, channel and outcome, of the account alone', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('other');
  const keys = await omni(client, [NOBODY, '01012345678'], { messageFlow: [rcs(), sms()] });
  await client.reportsOf(keys[0], 2);
  await client.reportsOf(keys[1], 1);
  await other.reportsOf((await other.sms()).body.msgKey, 1);
  const { statistics, countedUntil } = await counted(gateway, client);
  const day = gateway.clock.now() + 9 * 3_600_000;
  const statDate = new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
  assert.deepEqual(statistics, [
    {
      statDate,
      serviceType: 'SMS',
      recvTotalCnt: 0,
      reportTotalCnt: 1,
      reportSuccCnt: 0,
      reportFailCnt: 1,
      outcomes: [{ reportCode: '23001', reportText: 'No such subscriber', cnt: 1 }],
    },
    {
      statDate,
      serviceType: 'RCS',
      recvTotalCnt: 2,
      reportTotalCnt: 2,
      reportSuccCnt: 1,
      reportFailCnt: 1,
      outcomes: [
        { reportCode: '10000', reportText: 'Delivered', cnt: 1 },
        { reportCode: '33001', reportText: 'No such subscriber', cnt: 1 },
      ],
    },
  ]);
  assert.ok(countedUntil);
  const asked = async (query: string) => (await get(client, `statistics?${query}`)).body;
  assert.equal((await asked(`startDate=${statDate}&serviceType=RCS`)).data.statistics.length, 1);
  assert.equal((await asked('startDate=20200101&endDate=20200131')).data.statistics.length, 0);
  for (const [query, result] of [
    ['startDate=20260230', '"startDate" must be a date such as 20260302'],
    ['startDate=20260302&endDate=20260301', '"endDate" must not be before "startDate"'],
    ['startDate=20250101&endDate=20260301', '"endDate" must be at most 61 days after "startDate"'],
    ['serviceType=FAX', /^"serviceType" must be some of SMS, /],
  ] as const) {
    const refused = await asked(query);
    if (typeof result === 'string') assert.equal(refused.result, result);
    else assert.match(refused.result, result);
  }
});

test('after a change of the time zone every message is counted once: days keep their dates, hours their moments', async t => {
  const store = await freshStore(t);
  // 12:00 on January 5 in Seoul, and then 02:00 on January 6.
  const { gateway: before, client } = await testAccount(t, { env: store });
  for (const messages of [3, 4]) {
    const to = [NOBODY, '01012345678', '01012345679', '01012345670'].slice(0, messages);
    for (const key of await omni(client, to)) await client.reportsOf(key, 1);
    before.clock.advance(messages === 3 ? 14 * 3_600_000 : 20_000);
  }
  const ownDays = 'startDate=20260104&endDate=20260107';
  await counted(before, client, 7, ownDays);
  await writtenOfCarriers(before);
  await before.close();
  for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Auckland']) {
    const after = await testGateway(t, { ...store, BONGSU_TIME_ZONE: zone }, before.clock);
    const { operator } = after;
    const own = await get(new Client(after, 'shop', client.token), `statistics?${ownDays}`);
    assert.deepEqual(
      own.body.data.statistics.map((day: Record<string, unknown>) => [day.statDate, day.reportTotalCnt]),
      [
        ['20260105', 3],
        ['20260106', 4],
      ],
      zone,
    );
    const { days } = (await operator('GET', '/failures?day=2026-01-06')).body.data;
    assert.deepEqual(
      days.slice(-2).map((day: Record<string, unknown>) => [day.day, day.messages]),
      [
        ['2026-01-05', 3],
        ['2026-01-06', 4],
      ],
      zone,
    );
    const traffic = async (query: string) => {
      const { rows, total } = (await operator('GET', `/statistics/traffic?${query}`)).body.data;
      return [total.ended, ...rows.map((row: Record<string, number>) => row.ended)];
    };
    const midnight = (date: string) => new Date(calendarOf(zone).startOf(Date.parse(date))).toISOString();
    const bothDays = `from=${midnight('2026-01-04')}&until=${midnight('2026-01-08')}`;
    assert.deepEqual(await traffic(`${bothDays}&by=day`), [7, 3, 4], zone);
    assert.deepEqual(await traffic(`${bothDays}&by=hour`), [7, 3, 4], zone);
    // Where its last day is cut, a range is of hours, none of which are those of a day that is counted as well.
    const cut = `from=${midnight('2026-01-04')}&until=2026-01-05T16:00:00Z`;
    assert.deepEqual(await traffic(cut), [3, 3], zone);
    assert.deepEqual(await traffic('from=2026-01-05T16:00:00Z&until=2026-01-07T16:00:00Z'), [4, 4], zone);
    const range = `bucket=day&from=${midnight('2026-01-05')}&until=${midnight('2026-01-07')}`;
    const { carriers } = (await operator('GET', `/statistics/carriers?${range}`)).body.data;
    const submitted = carriers[0].buckets.map((each: Record<string, unknown>) => each.submitted);
    assert.deepEqual(submitted, [3, 4], zone);
    await after.close();
  }
});

/** What went to carriers is written behind it. */
function writtenOfCarriers(gateway: TestGateway) {
  return until('sums of carriers are written', async () => {
    gateway.clock.advance(1000);
    const range = 'bucket=day&from=2026-01-04T00:00:00Z';
    const { body } = await gateway.operator('GET', `/statistics/carriers?${range}`);
    return body.data.carriers[0]?.submitted === 7;
  });
}

/** The statistics once everything is counted, which happens behind the traffic. */
function counted(gateway: TestGateway, client: Client, messages = 3, days = '') {
  return until('everything is counted', async () => {
    gateway.clock.advance(1000);
    const { data } = (await get(client, `statistics?${days}`)).body;
    const ended = data.statistics.map(({ reportTotalCnt }: { reportTotalCnt: number }) => reportTotalCnt);
    return ended.reduce((sum: number, count: number) => sum + count, 0) === messages && data;
  });
}
