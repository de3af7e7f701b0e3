import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

test('statistics count by the minute, outlive a restart, and sum up in longer buckets', async t => {
  const store = await freshStore(t);
  const { gateway, client } = await testAccount(t, { env: store });
  await client.reportsOf((await client.sms()).body.msgKey);
  await client.reportsOf((await client.international({ to: '+14155550001' })).body.msgKey);
  gateway.clock.advance(60_000);
  await client.reportsOf((await client.sms()).body.msgKey);
  await gateway.close();

  const again = await testGateway(t, store, gateway.clock);
  const read = async (bucket: number) => {
    const from = encodeURIComponent('2026-01-05T12:00:00+09:00');
    const until = encodeURIComponent('2026-01-05T12:02:00+09:00');
    const query = `from=${from}&until=${until}&bucket=${bucket}`;
    return (await again.operator('GET', `/statistics?${query}`)).body.data.buckets;
  };
  const buckets = await read(60);
  assert.deepEqual(buckets[0], {
    at: '2026-01-05T12:00:00+09:00',
    accepted: 2,
    delivered: 1,
    failed: 1,
    expired: 0,
    channels: { sms: { delivered: 1, failed: 0 }, international: { delivered: 0, failed: 1 } },
    p50Ms: 1,
    p99Ms: 1,
  });
  assert.equal(buckets.length, 2);
  assert.equal(buckets[1].accepted, 1);
  const [both] = await read(3600);
  assert.deepEqual([both.accepted, both.delivered, both.channels.sms.delivered], [3, 2, 2]);
});

test('an invalid range of statistics is refused', async t => {
  const { operator } = await testGateway(t);
  for (const query of ['bucket=90', 'bucket=0', 'bucket=x', 'from=now', 'from=1990-01-01T00:00:00Z']) {
    assert.equal((await operator('GET', `/statistics?${query}`)).body.code, 'A300', query);
  }
});

test('traffic is summed up over any range, by what is asked for, and outlives a restart', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const [shop, cafe] = [await gateway.account('shop'), await gateway.account('cafe')];
  await shop.reportsOf((await shop.sms()).body.msgKey);
  await shop.reportsOf((await shop.international({ to: '+14155550001' })).body.msgKey);
  gateway.clock.advance(2 * 3_600_000);
  await cafe.reportsOf((await cafe.sms({ from: '15440000' })).body.msgKey);
  gateway.clock.advance(16_000);
  const read = async (asked: TestGateway, query: string) =>
    (await asked.operator('GET', `/statistics/traffic?${query}`)).body.data;
  await until('all are counted', async () => {
    gateway.clock.advance(1000);
    return (await read(gateway, '')).total.messages === 3;
  });
  await gateway.close();

  const again = await testGateway(t, store, gateway.clock);
  const all = await read(again, '');
  assert.deepEqual(
    [all.from, all.until, all.isCut, all.rows.length],
    ['2026-01-05T00:00:00+09:00', '2026-01-05T15:00:00+09:00', false, 1],
  );
  assert.ok(all.countedUntil >= '2026-01-05T14:00:00+09:00');
  const { total } = all;
  assert.deepEqual(
    [total.accepted, total.ended, total.messages, total.delivered, total.failed, total.expired, total.parts],
    [3, 3, 3, 2, 1, 0, 3],
  );
  assert.ok(total.p50Ms > 0 && total.p99Ms <= 50);

  const keysOf = async (query: string) => {
    const { rows } = await read(again, query);
    return rows.map((row: Record<string, unknown>) => [
      ...['at', 'account', 'sender', 'channel', 'carrier', 'code']
        .filter(name => name in row)
        .map(name => row[name]),
      row.accepted,
      row.ended,
      row.delivered,
    ]);
  };
  const noon = '2026-01-05T12:00:00+09:00';
  assert.deepEqual(await keysOf('by=account'), [
    ['shop', 2, 2, 1],
    ['cafe', 1, 1, 1],
  ]);
  assert.deepEqual(await keysOf('by=hour'), [
    [noon, 2, 2, 1],
    ['2026-01-05T14:00:00+09:00', 1, 1, 1],
  ]);
  assert.deepEqual(await keysOf('by=day,channel'), [
    ['2026-01-05T00:00:00+09:00', 'sms', 2, 2, 2],
    ['2026-01-05T00:00:00+09:00', 'international', 1, 1, 0],
  ]);
  assert.deepEqual(await keysOf('by=sender&channel=sms&account=cafe'), [['15440000', 1, 1, 1]]);
  const monthBefore = 'from=2025-12-05T00:00:00%2B09:00&until=2026-01-06T00:00:00%2B09:00';
  assert.deepEqual(await keysOf(`by=account&${monthBefore}`), [
    ['shop', 2, 2, 1],
    ['cafe', 1, 1, 1],
  ]);
  assert.deepEqual(await keysOf('by=code,carrier&account=shop'), [
    ['simulator', '10000', 0, 1, 1],
    ['simulator', '23001', 0, 1, 0],
  ]);
  // A part of a day is read by its hours, whichever of them it cuts.
  const cut = `from=${encodeURIComponent('2026-01-05T12:30:00+09:00')}&until=${encodeURIComponent('2026-01-05T12:31:00+09:00')}`;
  assert.deepEqual(await keysOf(`${cut}&by=day`), [['2026-01-05T00:00:00+09:00', 2, 2, 1]]);
  assert.equal((await read(again, cut)).from, noon);
  assert.deepEqual(await keysOf(`by=day&from=${encodeURIComponent('2026-01-01T00:00:00Z')}&code=23001`), [
    ['2026-01-05T00:00:00+09:00', 0, 1, 0],
  ]);
});

test('traffic to carriers is summed up by minute, hour and day', async t => {
  const { gateway, client } = await testAccount(t);
  await client.reportsOf((await client.sms()).body.msgKey);
  const carriers = await until('it is written', async () => {
    gateway.clock.advance(1000);
    const { data } = (await gateway.operator('GET', '/statistics/carriers')).body;
    return data.carriers.length > 0 && data.carriers;
  });
  const sums = { submitted: 1, refused: 0, throttled: 0 };
  assert.deepEqual(carriers, [
    { carrier: 'simulator', ...sums, buckets: [{ at: '2026-01-05T12:00:00+09:00', ...sums }] },
  ]);
  const days = (
    await gateway.operator(
      'GET',
      `/statistics/carriers?bucket=day&from=${encodeURIComponent('2026-01-05T00:00:00+09:00')}`,
    )
  ).body;
  assert.equal(days.data.carriers[0].buckets[0].at, '2026-01-05T00:00:00+09:00');
});

test('an invalid range or grouping of traffic is refused', async t => {
  const { operator } = await testGateway(t);
  for (const query of [
    ...[
      'traffic?by=hour,day',
      'traffic?by=recipient',
      'traffic?by=account,account',
      'traffic?from=yesterday',
    ],
    ...[
      'traffic?by=account,sender,channel,carrier',
      'traffic?channel=fax',
      `traffic?sender=${'1'.repeat(101)}`,
    ],
    ...['traffic?from=2024-01-01T00:00:00Z', 'traffic?by=hour&from=2025-11-01T00:00:00Z'],
    ...['traffic?from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'carriers?bucket=week'],
    'carriers?from=2026-01-01T00:00:00Z',
  ]) {
    assert.equal((await operator('GET', `/statistics/${query}`)).body.code, 'A300', query);
  }
});

interface Watch {
  /** Everything read so far. */
  text(): string;
  stop(): void;
}

/** Reads the events of a gateway that listens, as a browser does. */
async function watch(t: TestContext, gateway: TestGateway, query = ''): Promise<Watch> {
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const abort = new AbortController();
  t.after(() => abort.abort());
  const response = await fetch(`${url}/admin/v1/events${query}`, {
    headers: bearer(ADMIN_TOKEN),
    signal: abort.signal,
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const chunks: string[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) chunks.push(decoder.decode(chunk));
  };
  // Ends with the connection, one way or the other.
  read().catch(() => {});
  return { text: () => chunks.join(''), stop: () => abort.abort() };
}

function dataOf(
  text: string,
  event: string,
): { rows: { event: string; to: string | null }[]; skipped: number }[] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith(`event: ${event}\n`))
    .map(block => JSON.parse(block.slice(block.indexOf('data: ') + 6)));
}

test('events tell what happens to messages, and figures once a second', async t => {
  const { gateway, client } = await testAccount(t);
  const other = await gateway.account('cafe');
  const events = await watch(t, gateway, '?account=shop');
  await client.reportsOf((await client.sms()).body.msgKey);
  await other.reportsOf((await other.sms()).body.msgKey);
  gateway.clock.advance(1000);
  await until('figures have come', () => events.text().includes('event: figures'));
  const [messages] = dataOf(events.text(), 'messages');
  assert.deepEqual(
    messages?.rows.map(({ event, to }) => [event, to]),
    [
      ['accepted', '01012345678'],
      ['submitted', '01012345678'],
      ['ended', '01012345678'],
    ],
  );
  const [figures] = dataOf(events.text(), 'figures') as unknown as Record<string, unknown>[];
  assert.deepEqual([figures?.acceptedPerSecond, figures?.endedPerSecond], [2, 2]);
  assert.deepEqual(figures?.channels, { sms: { delivered: 2, failed: 0 } });
});

test('a busy moment is shown by its newest fifty rows and the number of the others', async t => {
  const { gateway, client } = await testAccount(t);
  const events = await watch(t, gateway);
  const sent = await Promise.all(Array.from({ length: 100 }, () => client.sms()));
  for (const { body } of sent) await client.reportsOf(body.msgKey);
  gateway.clock.advance(250);
  const [messages] = await until('rows have come', () => {
    const told = dataOf(events.text(), 'messages');
    return told.length > 0 && told;
  });
  assert.equal(messages?.rows.length, 50);
  assert.equal(messages?.skipped, 250);
});

test('a watcher does not keep the gateway from closing', async t => {
  const gateway = await testGateway(t);
  await watch(t, gateway);
  await gateway.close();
});

test('events are for the operator only', async t => {
  const { gateway, client } = await testAccount(t);
  for (const headers of [{}, bearer(client.token)]) {
    const answer = await gateway.request('GET', '/admin/v1/events', { headers });
    assert.equal(answer.body.code, 'A002');
  }
});
