/** Receipts that are fetched: a batch is acknowledged after it is settled, never before. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { until } from '../../harness/until.ts';
import { basicKeys, type Keys, makeCarrier } from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

/** A provider that keeps batches until they are acknowledged. */
async function withPolling(t: TestContext, batches: object[][], more: Keys = {}) {
  const { receipt, polling } = more as { readonly receipt?: Keys; readonly polling?: Keys };
  const acknowledged: unknown[] = [];
  const provider = await startProvider(t, (request, response) => {
    if (request.path === '/ack') {
      acknowledged.push(JSON.parse(request.body));
      batches.shift();
      return json(response, 200, {});
    }
    const [receipts = []] = batches;
    return json(response, 200, { batch: `b${acknowledged.length + 1}`, receipts });
  });
  const made = await makeCarrier(t, {
    ...basicKeys(provider.url),
    // The clock is turned in big steps; calls must not run into it.
    timeout: '1d',
    receipt: {
      id: '/id',
      status: '/status',
      statuses: { OK: 'delivered', NO: 'failed', SENT: 'intermediate' },
      ...receipt,
    },
    polling: {
      url: `${provider.url}/receipts`,
      interval: '1s',
      idleInterval: '10s',
      list: '/receipts',
      batch: '/batch',
      acknowledge: { url: `${provider.url}/ack`, json: { key: '{{batch}}', ids: '{{ids}}' } },
      ...polling,
    },
  });
  const polled = (times: number) =>
    until(`polled ${times} times`, () => provider.at('/receipts').length === times);
  made.clock.advance(0);
  return { ...made, provider, acknowledged, polled };
}

test('fetches until there is nothing more, then waits longer', async t => {
  const { clock, host, acknowledged, polled } = await withPolling(t, [
    [
      { id: 'a', status: 'OK' },
      { id: 'b', status: 'NO' },
    ],
    [{ id: 'c', status: 'OK' }],
  ]);
  await until('the first batch is acknowledged', () => acknowledged.length === 1);
  await advanceUntil(clock, 1000, () => acknowledged.length === 2);
  assert.deepEqual(host.receipts, [
    { ref: 'a', reportCode: '10000' },
    { ref: 'b', reportCode: '99999' },
    { ref: 'c', reportCode: '10000' },
  ]);
  assert.deepEqual(acknowledged, [
    { key: 'b1', ids: ['a', 'b'] },
    { key: 'b2', ids: ['c'] },
  ]);
  await polled(2);
});

test('an id is acknowledged as the provider wrote it, and kept as a store can', async t => {
  const { host, acknowledged } = await withPolling(t, [[{ id: 'a\0b', status: 'OK' }]]);
  await until('the batch is acknowledged', () => acknowledged.length === 1);
  assert.deepEqual(host.refs(), ['ab']);
  assert.deepEqual(acknowledged, [{ key: 'b1', ids: ['a\0b'] }]);
});

test('everything that was read is acknowledged, also what is not final or not understood', async t => {
  const { host, acknowledged } = await withPolling(t, [
    [
      { id: 'a', status: 'SENT' },
      { id: 'b', status: 'WHAT' },
      { id: 'c', status: 'OK' },
    ],
  ]);
  await until('the batch is acknowledged', () => acknowledged.length === 1);
  assert.deepEqual(host.refs(), ['c']);
  assert.deepEqual(acknowledged, [{ key: 'b1', ids: ['a', 'b', 'c'] }]);
});

test("the provider's own ids are acknowledged where it gives ours back as well", async t => {
  const ours = `${'0'.repeat(32)}-0-1`;
  const { host, acknowledged } = await withPolling(t, [[{ id: 'theirs', key: ours, status: 'OK' }]], {
    receipt: { attemptId: '/key' },
  });
  await until('the batch is acknowledged', () => acknowledged.length === 1);
  assert.deepEqual(host.receipts, [{ attemptId: ours, reportCode: '10000' }]);
  assert.deepEqual(acknowledged, [{ key: 'b1', ids: ['theirs'] }]);
});

for (const [what, body] of [
  ['an error', '{"code":"EXPIRED_KEY"}'],
  ['a page', '<html>Please log in</html>'],
  ['nothing', ''],
  ['a list that is none', '{"receipts":{}}'],
] as const) {
  test(`an answer 200 with ${what} is a failed fetch, not an empty one`, async t => {
    const { host, provider, clock } = await withPolling(t, []);
    provider.handle = (_, response) => {
      response.writeHead(200).end(body);
    };
    await advanceUntil(clock, 10_000, () => host.notices.includes('pollFailed'));
  });
}

test('an empty list may be null, or left out where polling.ok tells success from failure', async t => {
  const ok = { pointer: '/code', equals: '0' };
  const { host, provider, polled, clock } = await withPolling(t, [], { polling: { ok } });
  await until('the answer without a code failed', () => host.notices.includes('pollFailed'));
  const before = provider.at('/receipts').length;
  provider.handle = (_, response) => json(response, 200, { code: 0 });
  await advanceUntil(clock, 10_000, () => provider.at('/receipts').length === before + 1);
  provider.handle = (_, response) => json(response, 200, { code: 0, receipts: null });
  await advanceUntil(clock, 10_000, () => provider.at('/receipts').length === before + 2);
  provider.handle = (_, response) => {
    response.writeHead(204).end();
  };
  await advanceUntil(clock, 10_000, () => provider.at('/receipts').length === before + 3);
  await advanceUntil(clock, 10_000, () => provider.at('/receipts').length === before + 4);
  await polled(before + 4);
  assert.equal(host.notices.filter(name => name === 'pollFailed').length, 1);
});

test('an acknowledgement that is refused with status 200 is a failure', async t => {
  const { host, provider } = await withPolling(t, [], { polling: { ok: { pointer: '/code', equals: '0' } } });
  provider.handle = ({ path }, response) =>
    json(response, 200, path === '/ack' ? { code: 7 } : { code: 0, receipts: [{ id: 'a', status: 'OK' }] });
  await until('it is told', () =>
    host.details.some(({ reason }) => reason === 'the answer does not match polling.ok'),
  );
  assert.deepEqual(host.refs(), ['a']);
});

test('what cannot be settled is not acknowledged, and comes again', async t => {
  const { clock, host, acknowledged, provider } = await withPolling(t, [[{ id: 'a', status: 'OK' }]]);
  host.refusals = Number.POSITIVE_INFINITY;
  await until('it was told', () => host.notices.includes('pollFailed'));
  assert.equal(acknowledged.length, 0);
  host.refusals = 0;
  await advanceUntil(clock, 10_000, () => acknowledged.length === 1);
  assert.deepEqual(host.receipts, [{ ref: 'a', reportCode: '10000' }]);
  assert.ok(provider.at('/receipts').length >= 2);
});

test('a fetch that fails is put off, longer each time', async t => {
  const { clock, host, provider, polled } = await withPolling(t, []);
  provider.handle = (_, response) => json(response, 500, {});
  await polled(1);
  const failures = () => host.notices.filter(name => name === 'pollFailed').length;
  await advanceUntil(clock, 10_000, () => failures() === 1);
  await advanceUntil(clock, 10_000, () => failures() === 2);
  const before = provider.at('/receipts').length;
  clock.advance(9_000);
  // A fetch that had begun would be there before this one.
  await fetch(`${provider.url}/other`);
  assert.equal(provider.at('/receipts').length, before, 'not after the first pause already');
  await advanceUntil(clock, 10_000, () => failures() === 3);
});

test('a carrier whose receipts cannot be fetched says why, until they are again', async t => {
  const { carrier, clock, provider } = await withPolling(t, []);
  const { handle } = provider;
  const hint = () => carrier.status().hint;
  provider.handle = (_, response) => json(response, 500, {});
  await advanceUntil(clock, 1000, () => hint() !== undefined);
  assert.equal(hint(), 'receipts cannot be fetched: status 500');
  assert.ok(provider.at('/receipts').length >= 3, 'one failure is nothing');
  provider.handle = handle;
  await advanceUntil(clock, 1000, () => hint() === undefined);
});

test('a node that is not the one to fetch fetches nothing, until it is', async t => {
  const { clock, host, provider, polled, carrier } = await withPolling(t, []);
  await polled(1);
  host.isPolling = false;
  clock.advance(10_000);
  await until('it was asked', () => !host.isPolling && provider.at('/receipts').length === 1);
  host.isPolling = true;
  await advanceUntil(clock, 2000, () => provider.at('/receipts').length === 2);
  await carrier.close();
  assert.equal(host.timesLeft, 1, 'another node may fetch at once');
});

test('a node whose fetch fails leaves it to another', async t => {
  const { host, acknowledged } = await withPolling(t, [[{ id: 'a', status: 'OK' }]]);
  host.refusals = 1;
  await until('it was left', () => host.timesLeft === 1);
  assert.equal(acknowledged.length, 0);
});

test('close ends it', async t => {
  const { carrier, clock, provider, polled } = await withPolling(t, []);
  await polled(1);
  await carrier.close();
  clock.advance(60_000);
  await fetch(`${provider.url}/other`);
  assert.equal(provider.at('/receipts').length, 1);
});

/** Turns the clock step by step until something has happened. */
async function advanceUntil(
  clock: { advance(ms: number): void },
  stepMs: number,
  isDone: () => boolean,
): Promise<void> {
  await until('the clock has brought it about', () => {
    if (isDone()) return true;
    clock.advance(stepMs);
    return isDone();
  });
}

test('a fetch that was put off is made at once when an operator asks, and only one at a time', async t => {
  let isAway = true;
  const provider = await startProvider(t, (_request, response) =>
    isAway ? json(response, 500, {}) : json(response, 200, { receipts: [] }),
  );
  const { carrier, clock, host } = await makeCarrier(t, {
    ...basicKeys(provider.url),
    timeout: '1d',
    receipt: { id: '/id', status: '/status', statuses: { OK: 'delivered' } },
    polling: { url: `${provider.url}/receipts`, interval: '1s', idleInterval: '10s', list: '/receipts' },
  });
  clock.advance(0);
  await until('it has failed', () => host.notices.includes('pollFailed'));
  isAway = false;
  carrier.reconnect();
  carrier.reconnect();
  clock.advance(0);
  await until('it works', () => host.notices.includes('pollRecovered'));
  assert.equal(provider.at('/receipts').length, 2);
});
