/** Receipts that are fetched: a batch is acknowledged after it is settled, never before. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { until } from '../../harness/until.ts';
import { basicKeys, makeCarrier } from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

/** A provider that keeps batches until they are acknowledged. */
async function withPolling(t: TestContext, batches: object[][]) {
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
    receipt: { id: '/id', status: '/status', statuses: { OK: 'delivered', '*': 'failed' } },
    polling: {
      url: `${provider.url}/receipts`,
      interval: '1s',
      idleInterval: '10s',
      list: '/receipts',
      batch: '/batch',
      acknowledge: { url: `${provider.url}/ack`, json: { key: '{{batch}}', ids: '{{ids}}' } },
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
