import assert from 'node:assert/strict';
import test from 'node:test';
import { type Clock, ManualClock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import { createRetention } from './retention.ts';

/** A store whose calls end when they are told to. */
function slowStore() {
  const pending: (() => void)[] = [];
  const rooms = new Set<string>();
  let most = 0;
  const call = (room: string, name: string) =>
    new Promise(resolve => {
      rooms.add(room);
      // Pages are empty, and of nothing else there is more.
      pending.push(() => resolve(['endedSince', 'rest'].includes(name) ? [] : false));
      most = Math.max(most, pending.length);
    });
  const roomOf = (room: string) =>
    new Proxy(
      {},
      {
        get: (_, name) => () =>
          name === 'sweeps' ? { all: () => call(room, 'all') } : call(room, String(name)),
      },
    );
  const store = new Proxy({}, { get: (_, room) => roomOf(String(room)) }) as Store;
  return { store, rooms, end: () => pending.shift()?.(), most: () => most };
}

function retentionOf(store: Store, clock: Clock) {
  const failures: unknown[] = [];
  const retention = createRetention({
    store,
    clock,
    files: { sweep: async () => {}, remove: () => Promise.reject(new Error('nothing is removed')) },
    events: { failed: (...failure) => void failures.push(failure) },
    deadlines: { textMs: 1, mmsMs: 1, messengerMs: 1 },
    reportRetentionMs: 1,
    inquiryWindowMs: 1,
    textRetentionMs: 1,
  });
  return { retention, failures };
}

test('sweeps share two connections, and each has its turn', async () => {
  const { store, rooms, end, most } = slowStore();
  const clock = new ManualClock();
  const { retention, failures } = retentionOf(store, clock);
  retention.start();
  clock.advance(60_000);
  for (let turn = 0; turn < 1000 && rooms.size < 5; turn++) {
    end();
    await new Promise(resolve => setImmediate(resolve));
  }
  assert.deepEqual([...rooms].sort(), ['accounts', 'inbound', 'privacy', 'reservations', 'upkeep']);
  assert.equal(most(), 2);
  assert.deepEqual(failures, []);
});

test('while the time is in doubt days are made, orders to erase are carried out, and nothing is deleted', async () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  const roomOf = (room: string) =>
    new Proxy({}, { get: (_, name) => async () => void calls.push(`${room}.${String(name)}`) });
  const store = new Proxy({}, { get: (_, room) => roomOf(String(room)) }) as Store;
  const { retention } = retentionOf(store, Object.assign(clock, { trusted: () => undefined }));
  retention.start();
  clock.advance(60_000);
  await retention.stop();
  assert.deepEqual(
    calls.filter(call => !call.startsWith('privacy.')),
    ['upkeep.makeDays'],
  );
});
