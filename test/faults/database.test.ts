/**
 * Connections that are cut, stalled, delayed and refused, sessions that are ended, a server that restarts, crashes and
 * freezes, all under load. The process lives, every promise settles, and what the store told is what the store holds.
 *
 * `npm run suite database-faults` does the same with 200 faults; BONGSU_FAULTS and BONGSU_FAULT_SEED choose others.
 */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Client } from 'pg';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type NewRequest, type Store, StoreFault } from '../../src/store/store.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';
import { answer, PROFILE, StoreUnderTest } from '../store/contract/store-under-test.ts';

const FAULTS = Number(process.env.BONGSU_FAULTS ?? 20);
const SEED = Number(process.env.BONGSU_FAULT_SEED ?? 1);
/** Short, so that a server that does not answer is given up within the test. */
const TIMEOUT_MS = 1_500;
const ACCEPTERS = 30;
/** There each statement waits for its answer before the commit is sent: what was lost before that did not happen. */
const IS_POOLED = process.env.BONGSU_TEST_POOLER === '1';

let server: TestPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

/** Numbers below 1, the same ones for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Fault = (bench: FaultBench, random: () => number) => Promise<void>;

/** What a fault may touch. */
interface FaultBench {
  readonly proxy: TcpProxy;
  readonly databaseUrl: string;
}

const FAULTS_OF_THE_NETWORK: Readonly<Record<string, Fault>> = {
  cut: async ({ proxy }) => proxy.cut(),
  cutWithinAnswer: async ({ proxy }, random) => {
    proxy.cutAfter(Math.floor(random() * 4_000));
    await pause(50);
  },
  refuse: async ({ proxy }) => {
    proxy.refuse();
    proxy.cut();
    await pause(50);
  },
  stall: async ({ proxy }, random) => {
    proxy.stall();
    await pause(random() * 200);
  },
  stallTooLong: async ({ proxy }) => {
    proxy.stall();
    await pause(1.3 * TIMEOUT_MS);
  },
  stallAndCut: async ({ proxy }, random) => {
    proxy.stall();
    await pause(random() * 100);
    proxy.cut();
  },
  delay: async ({ proxy }, random) => {
    proxy.delay(random() * 50);
    await pause(100);
    proxy.cut();
  },
  terminate: async ({ databaseUrl }) => {
    await endSessions(databaseUrl);
  },
};

const FAULTS_OF_THE_SERVER: Readonly<Record<string, Fault>> = {
  restart: async () => server.process?.restart('fast'),
  crash: async () => server.process?.restart('immediate'),
  freeze: async (_bench, random) => {
    server.process?.freeze();
    await pause(random() * 1.5 * TIMEOUT_MS);
    server.process?.thaw();
  },
};

async function endSessions(url: string): Promise<void> {
  await onServer(url, async client => {
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  });
}

/** With a connection of its own, past the proxy. */
async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(server.direct(url));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Accepts all the time, and keeps book of what it was told. */
class Accepters {
  readonly stored = new Set<string>();
  readonly refused = new Set<string>();
  readonly bugs: unknown[] = [];
  doubts = 0;
  readonly #node: StoreUnderTest;
  readonly #running: Promise<void>[];
  #isStopped = false;

  constructor(node: StoreUnderTest) {
    this.#node = node;
    this.#running = Array.from({ length: ACCEPTERS }, (_, index) => this.#run(index));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #run(index: number): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      const key = `${index}-${count}`;
      const idempotency = count % 3 === 0 ? { key, bodyHash: 'b', response: 'r' } : undefined;
      await this.#accept(this.#node.request({ idempotency }));
    }
  }

  async #accept(request: NewRequest): Promise<void> {
    const { requestId } = request;
    try {
      await this.#node.accept(request);
      this.stored.add(requestId);
    } catch (error) {
      if (!(error instanceof StoreFault)) this.bugs.push(error);
      else if (error.outcome === 'didNotHappen') this.refused.add(requestId);
      else await this.#lookUp(requestId);
      // Nobody asks a store that is away without a breath.
      await pause(5);
    }
  }

  async #lookUp(requestId: NewRequest['requestId']): Promise<void> {
    this.doubts++;
    const isStored = await until(`it is known whether ${requestId} is stored`, async () => {
      try {
        return (await this.#node.store.messages.isStored(requestId)) ? 'stored' : 'absent';
      } catch (error) {
        if (!(error instanceof StoreFault)) this.bugs.push(error);
        return undefined;
      }
    });
    (isStored === 'stored' ? this.stored : this.refused).add(requestId);
  }
}

/** Claims and settles all the time; whatever fails must fail as a fault. */
async function settleUntil(isStopped: () => boolean, node: StoreUnderTest, bugs: unknown[]): Promise<void> {
  while (!isStopped()) {
    try {
      const steps = await node.claim({ limit: 50 });
      await node.settle(...steps.map(live => answer(live, { name: 'receivedDelivered' })));
    } catch (error) {
      if (!(error instanceof StoreFault)) bugs.push(error);
    }
    await pause(5);
  }
}

async function openThrough(t: TestContext, url: string): Promise<{ store: Store; bench: FaultBench }> {
  const through = await TcpProxy.before(t, url);
  const clock = new ManualClock();
  const store = await openPostgresStore({ url: through.url, now: () => clock.now(), timeoutMs: TIMEOUT_MS });
  return { store, bench: { proxy: through.proxy, databaseUrl: url } };
}

test(`tells the truth through ${FAULTS} faults under load, and lives (seed ${SEED})`, async t => {
  const url = await server.createDatabase();
  const { store, bench } = await openThrough(t, url);
  const clock = new ManualClock();
  const node = new StoreUnderTest(store, clock, async () => store);
  const faults = { ...FAULTS_OF_THE_NETWORK, ...(server.process && FAULTS_OF_THE_SERVER) };
  const names = Object.keys(faults);
  const random = randomNumbers(SEED);

  const accepters = new Accepters(node);
  let isOver = false;
  const settler = settleUntil(() => isOver, node, accepters.bugs);
  for (let count = 0; count < FAULTS; count++) {
    // Each kind in turn, so that few faults meet all of them.
    const name = names[count % names.length] ?? '';
    await faults[name]?.(bench, random);
    bench.proxy.heal();
    const before = accepters.stored.size;
    await until(`messages are accepted after ${name}`, () => accepters.stored.size > before + ACCEPTERS);
  }
  await accepters.stop();
  isOver = true;
  await settler;
  await until('all is quiet', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );
  await store.close();

  assert.deepEqual(accepters.bugs, []);
  const held = await onServer(url, async client => {
    const { rows } = await client.query<{ request_id: string }>('SELECT request_id FROM request');
    return new Set(rows.map(row => row.request_id));
  });
  t.diagnostic(`${held.size} stored, ${accepters.refused.size} refused, ${accepters.doubts} were in doubt`);
  assert.deepEqual(
    [...accepters.stored].filter(id => !held.has(id)),
    [],
    'stored, as it was told, and lost',
  );
  assert.deepEqual(
    [...accepters.refused].filter(id => held.has(id)),
    [],
    'refused for certain, and stored',
  );
  assert.equal(held.size, accepters.stored.size);
});

/** Holds up whatever needs the table, until it is released. */
async function holdTable(t: TestContext, url: string, table: string): Promise<() => Promise<void>> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await client.query('COMMIT');
  };
}

async function untilSomebodyWaits(url: string): Promise<void> {
  await until('somebody waits for the table', () =>
    onServer(url, async client => {
      const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted');
      return rows.length > 0;
    }),
  );
}

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'happened',
    error => (error instanceof StoreFault ? error.outcome : String(error)),
  );

async function openNode(t: TestContext): Promise<FaultBench & { readonly node: StoreUnderTest }> {
  const url = await server.createDatabase();
  const { store, bench } = await openThrough(t, url);
  t.after(() => store.close());
  return { ...bench, node: new StoreUnderTest(store, new ManualClock(), async () => store) };
}

test('a look-up waits for what a lost session may still do', async t => {
  const { node, proxy, databaseUrl } = await openNode(t);
  const release = await holdTable(t, databaseUrl, 'job');
  const request = node.request();
  const accepted = outcomeOf(node.accept(request));
  await untilSomebodyWaits(databaseUrl);
  proxy.cut();
  assert.equal(await accepted, IS_POOLED ? 'didNotHappen' : 'mayHaveHappened');
  assert.equal(await node.store.messages.isStored(request.requestId), false);
  await release();
  await node.send();
  assert.equal(await node.store.messages.isStored(request.requestId), false, 'and it did not happen later');
});

test('a lock that is held too long is given up by the server: it surely did not happen', async t => {
  const { node, databaseUrl } = await openNode(t);
  const release = await holdTable(t, databaseUrl, 'job');
  const requests = Array.from({ length: 20 }, () => node.request());
  const calls: Promise<string>[] = [];
  for (const request of requests) {
    // Not in one batch: two run, and the others wait for their turn.
    calls.push(outcomeOf(node.accept(request)));
    await turn();
  }
  const outcomes = await Promise.all(calls);
  await release();
  assert.equal(outcomes[0], 'didNotHappen');
  assert.ok(!outcomes.includes('happened'));
  for (const [index, { requestId }] of requests.entries()) {
    const isStored = await node.store.messages.isStored(requestId);
    if (outcomes[index] === 'didNotHappen') assert.equal(isStored, false);
  }
});

test('a server that is frozen makes nobody wait, and tells the truth when it is thawed', async t => {
  if (!server.process) return t.skip('the server is not ours');
  const { node } = await openNode(t);
  await node.send();
  server.process.freeze();
  t.after(() => server.process?.thaw());
  const requests = Array.from({ length: 10 }, () => node.request());
  const [accepts, ...reads] = await Promise.all([
    Promise.all(requests.map(request => outcomeOf(node.accept(request)))),
    outcomeOf(node.store.ping()),
    outcomeOf(node.poll()),
  ]);
  assert.deepEqual(reads, ['didNotHappen', 'didNotHappen'], 'reads are never in doubt');
  assert.ok(!accepts.includes('happened'));
  server.process.thaw();
  const stored = await until('the store can tell', () =>
    Promise.all(requests.map(({ requestId }) => node.store.messages.isStored(requestId))).catch(
      () => undefined,
    ),
  );
  await node.send();
  const later = await Promise.all(requests.map(({ requestId }) => node.store.messages.isStored(requestId)));
  assert.deepEqual(later, stored);
  for (const [index, outcome] of accepts.entries())
    if (outcome === 'didNotHappen') assert.equal(stored[index], false);
});

test('a database that is away refuses at once, and serves the first who comes after its return', async t => {
  const { node, proxy } = await openNode(t);
  proxy.refuse();
  proxy.cut();
  await until('the loss is noticed', async () => (await outcomeOf(node.send())) === 'didNotHappen');
  assert.equal(await outcomeOf(node.send()), 'didNotHappen');
  assert.equal(await outcomeOf(node.poll()), 'didNotHappen');
  proxy.heal();
  await until('it is back', async () => (await outcomeOf(node.send())) === 'happened');
});

test('a server that only reads refuses for certain, and is not well until it writes again', async t => {
  const { node, databaseUrl } = await openNode(t);
  const name = new URL(databaseUrl).pathname.slice(1);
  const setReadOnly = async (value: 'on' | 'off') => {
    await onServer(databaseUrl, async client => {
      await client.query('SET default_transaction_read_only = off');
      await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    });
    await endSessions(databaseUrl);
  };
  await setReadOnly('on');
  await until('the server only reads', async () => (await outcomeOf(node.poll())) === 'happened');
  assert.equal(await outcomeOf(node.send()), 'didNotHappen');
  assert.equal(await outcomeOf(node.store.ping()), 'didNotHappen');
  await setReadOnly('off');
  await until(
    'it writes again',
    async () => (await outcomeOf(node.store.nodes.heartbeat('me', 1, PROFILE))) === 'happened',
  );
  assert.equal(await outcomeOf(node.store.ping()), 'happened');
});

test('an item that PostgreSQL cannot store fails alone in its batch', async t => {
  const { node } = await openNode(t);
  const requests = Array.from({ length: 12 }, (_, index) => node.request(index === 5 ? { ref: 'a\0b' } : {}));
  const outcomes = await Promise.all(requests.map(request => outcomeOf(node.accept(request))));
  assert.match(outcomes[5] ?? '', /invalid byte sequence/);
  assert.deepEqual(
    outcomes.filter((_, index) => index !== 5),
    Array.from({ length: 11 }, () => 'happened'),
  );
});

test('a column that another node has added does not disturb what is prepared', async t => {
  const { node, databaseUrl } = await openNode(t);
  await node.deliver();
  const batch = await node.poll();
  await onServer(databaseUrl, client =>
    client.query('ALTER TABLE report ADD COLUMN of_a_newer_version integer'),
  );
  assert.equal((await node.poll())?.reportId, batch?.reportId);
  await node.deliver();
});

test('a store closes although the database is away and a session was lost', async t => {
  if (IS_POOLED) return t.skip('a pooler leaves nothing in doubt before the commit');
  const { store, bench } = await openThrough(t, await server.createDatabase());
  const node = new StoreUnderTest(store, new ManualClock(), async () => store);
  const release = await holdTable(t, bench.databaseUrl, 'job');
  const request = node.request();
  const accepted = outcomeOf(node.accept(request));
  await untilSomebodyWaits(bench.databaseUrl);
  bench.proxy.refuse();
  bench.proxy.cut();
  assert.equal(await accepted, 'mayHaveHappened');
  // Its caller is told in time; the look-up itself goes on.
  assert.equal(await outcomeOf(store.messages.isStored(request.requestId)), 'mayHaveHappened');
  await store.close();
  await release();
});

test('a store closes although its sessions are ended while others are being opened', async () => {
  for (let round = 0; round < 15; round++) {
    const url = await server.createDatabase('migrated');
    const store = await openPostgresStore({ url, now: () => 0 });
    await Promise.all([store.ping(), store.queue.depth(), store.accounts.list(), store.nodes.list()]);
    const dropping = server.dropDatabase(url);
    let isClosed = false;
    const closing = store.close().then(() => {
      isClosed = true;
    });
    await until('it is closed', () => isClosed);
    await closing;
    await dropping;
  }
});
