import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenStore } from './store-under-test.ts';

export function carriersContract(open: OpenStore): void {
  test('a paused carrier stays paused until it is resumed, also across a restart', async t => {
    const bench = await open(t);
    await bench.store.carriers.pause('sky', bench.clock.now());
    await bench.store.carriers.pause('sky', bench.clock.now());
    await bench.store.carriers.pause('sea', bench.clock.now());
    await bench.reopen();
    assert.deepEqual(await bench.store.carriers.paused(), ['sea', 'sky']);
    await bench.store.carriers.resume('sky');
    assert.deepEqual(await bench.store.carriers.paused(), ['sea']);
  });

  test('counts how often all nodes were asked to try a carrier at once', async t => {
    const bench = await open(t);
    const { carriers } = bench.store;
    assert.deepEqual(await carriers.reconnects(), new Map());
    for (const carrier of ['sky', 'sea', 'sky']) await carriers.reconnect(carrier);
    assert.deepEqual(
      await carriers.reconnects(),
      new Map([
        ['sky', 2],
        ['sea', 1],
      ]),
    );
  });

  test('keeps what each node published last about its carriers', async t => {
    const bench = await open(t);
    const publish = (node: string, carriers: readonly string[]) =>
      bench.store.carriers.publish(
        node,
        carriers.map(carrier => ({ carrier, report: `${node} on ${carrier}` })),
        bench.clock.now(),
      );
    await publish('b', ['sky', 'sea']);
    bench.clock.advance(1000);
    const since = bench.clock.now();
    await publish('a', ['sky']);
    await publish('b', ['sky']);
    const reports = await bench.store.carriers.reports(0);
    assert.deepEqual(
      reports.map(({ report, publishedAt }) => [report, publishedAt]),
      [
        ['a on sky', since],
        ['b on sky', since],
      ],
    );
    assert.deepEqual(await bench.store.carriers.reports(since + 1), []);
  });
}
