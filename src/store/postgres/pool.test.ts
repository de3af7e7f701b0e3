import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../platform/clock.ts';
import { Pool, type PooledConnection } from './pool.ts';

const SIZE = 8;
const CONNECT_MS = 5_000;

class FakeConnection implements PooledConnection {
  isBroken = false;
  async end(): Promise<void> {}
  destroy(): void {}
  onLost(): void {}
}

/** A server that needs `needsMs` for a session, and does not open one for a client that has gone. */
function poolOn(server: { needsMs: number; isRefusing?: boolean }) {
  const clock = new ManualClock();
  const attempts: { readonly at: number; readonly withinMs: number }[] = [];
  const pool = new Pool<FakeConnection>({
    clock,
    size: SIZE,
    connectTimeoutMs: CONNECT_MS,
    open: withinMs => {
      attempts.push({ at: clock.monotonic(), withinMs });
      return new Promise((resolve, reject) => {
        const isInTime = server.needsMs <= withinMs && !server.isRefusing;
        clock.schedule(server.isRefusing ? 0 : Math.min(server.needsMs, withinMs), () => {
          if (isInTime) resolve(new FakeConnection());
          else reject(new Error(server.isRefusing ? 'refused' : 'too late'));
        });
      });
    },
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await turn();
    }
  };
  return { pool, clock, attempts, pass };
}

/** Callers who come every second, give a connection back at once, and write down whether they got one. */
async function callEverySecond(
  { pool, pass }: ReturnType<typeof poolOn>,
  seconds: number,
  callers = 1,
): Promise<number> {
  let served = 0;
  for (let second = 0; second < seconds; second++) {
    for (let caller = 0; caller < callers; caller++) {
      pool.take(6_500).then(
        connection => {
          served++;
          pool.give(connection);
        },
        () => {},
      );
    }
    await pass(1_000);
  }
  return served;
}

test('a server that needs longer than the usual time for a session gets that time', async () => {
  const bench = poolOn({ needsMs: 12_000 });
  await callEverySecond(bench, 60, SIZE);
  assert.ok(bench.attempts.some(({ withinMs }) => withinMs >= 12_000));
  assert.ok((await callEverySecond(bench, 5)) > 0, 'there is a connection');
});

test('after a failure attempts begin one by one and last, however many callers wait', async () => {
  const bench = poolOn({ needsMs: 1_000_000 });
  await callEverySecond(bench, 6, 20);
  const before = bench.attempts.length;
  await callEverySecond(bench, 120, 20);
  const later = bench.attempts.slice(before);
  assert.ok(later.length <= 25, `${later.length} attempts in two minutes`);
  assert.ok(later.slice(-12).every(({ withinMs }) => withinMs === 30_000));
});

test('a server that refuses is asked every two seconds at most, and used soon after it is back', async () => {
  const server = { needsMs: 0, isRefusing: true };
  const bench = poolOn(server);
  await callEverySecond(bench, 10);
  const before = bench.attempts.length;
  await callEverySecond(bench, 60);
  assert.ok(bench.attempts.length - before <= 31, `${bench.attempts.length - before} attempts in a minute`);
  server.isRefusing = false;
  assert.ok((await callEverySecond(bench, 3)) > 0);
});

test('a slow attempt does not keep others from the server that is there now', async () => {
  const server = { needsMs: 1_000_000 };
  const bench = poolOn(server);
  await callEverySecond(bench, 30);
  // The packets of the attempt under way went to a server that is dead; a new one answers at once.
  server.needsMs = 100;
  assert.ok((await callEverySecond(bench, 12)) > 0);
});
