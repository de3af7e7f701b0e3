/** A whole gateway whose database is cut, stalled, refused and frozen: what clients are told is what is stored. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Gateway, openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { OPERATOR_TOKEN_LENGTH, OPERATOR_TOKEN_PREFIX } from '../../src/domain/operator/operator-token.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { bearer } from '../harness/credentials.ts';
import { startPostgres } from '../harness/postgres.ts';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';

const TIMEOUT_MS = 1_500;
const CLIENTS = 20;
const ROUNDS = Number(process.env.BONGSU_FAULTS ?? 8);
const PASSWORD = 'correct horse battery staple';
const ADMIN_TOKEN = 'a-token-that-the-store-does-not-have';

interface Told {
  readonly code: string;
  readonly result: string;
  readonly retryAfter: unknown;
  readonly msgKey: string | undefined;
}

/** On the system's clock, because the database is. */
async function startGateway(dataDir: string, url: string): Promise<{ gateway: Gateway; token: string }> {
  const config = loadConfig(
    {
      BONGSU_DATA_DIR: dataDir,
      BONGSU_DATABASE_URL: url,
      BONGSU_STORE_TIMEOUT: `${TIMEOUT_MS}ms`,
      BONGSU_SIMULATOR_LATENCY: '0',
      BONGSU_LOG: 'silent',
      BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    },
    CHANNELS,
  );
  const gateway = await openGateway(config);
  try {
    await gateway.start();
    await gateway.accounts.create('acme' as AccountId, PASSWORD, {});
    const headers = { 'x-svc-client-id': 'acme', 'x-svc-client-passwd': PASSWORD };
    const answer = await gateway.http.inject({ method: 'POST', url: '/v1/auth/token', headers });
    return { gateway, token: answer.json().data.token };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

function sender({ gateway, token }: { gateway: Gateway; token: string }) {
  return async (ref: string, key?: string): Promise<Told> => {
    const answer = await gateway.http.inject({
      method: 'POST',
      url: '/v1/send/sms',
      headers: {
        ...bearer(token),
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      payload: JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello', ref }),
    });
    const { code, result, msgKey } = answer.json();
    return { code, result, msgKey, retryAfter: answer.headers['retry-after'] };
  };
}

async function refsIn(url: string): Promise<string[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ ref: string }>('SELECT ref FROM request');
  await client.end();
  return rows.map(row => row.ref);
}

/** A gateway before a proxy before a server, closed in this order when the test ends. */
async function startAll(t: TestContext) {
  const server = await startPostgres();
  let close = async () => {};
  t.after(async () => {
    await close();
    await server.stop();
  });
  const { databaseUrl, proxy, running } = await until(
    'a gateway starts within the short time of its store',
    async () => {
      const databaseUrl = await server.createDatabase();
      const { proxy, url } = await TcpProxy.before(t, databaseUrl);
      try {
        return { databaseUrl, proxy, running: await startGateway(scratchDirectory(), url) };
      } catch (error) {
        if (error instanceof StoreFault) return false;
        throw error;
      }
    },
  );
  close = async () => {
    server.process?.thaw();
    proxy.heal();
    await running.gateway.close();
  };
  return { server, databaseUrl, proxy, ...running, send: sender(running) };
}

test('clients are told the truth through faults of the database, and a repetition by key is safe', async t => {
  const { server, databaseUrl, proxy, gateway, send } = await startAll(t);
  const told = new Map<string, Told>();
  const odd: Told[] = [];
  let isOver = false;
  let successes = 0;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let count = 0; !isOver; count++) {
      const ref = `${client}-${count}`;
      const key = client % 2 === 0 ? `key-${ref}` : undefined;
      let answer = await send(ref, key);
      // As a careful client does.
      while (key !== undefined && answer.code === 'A920') {
        await pause(10);
        answer = await send(ref, key);
      }
      told.set(ref, answer);
      if (answer.code === 'A000') successes++;
      else if (answer.code !== 'A920' || answer.retryAfter !== '1') odd.push(answer);
      if (answer.code !== 'A000') await pause(5);
    }
  });
  const faults: (() => unknown)[] = [
    () => proxy.cut(),
    () => proxy.cutAfter(500),
    () => {
      proxy.refuse();
      proxy.cut();
    },
    async () => {
      proxy.stall();
      await pause(1.5 * TIMEOUT_MS);
    },
    async () => {
      server.process?.freeze();
      await pause(1.5 * TIMEOUT_MS);
      server.process?.thaw();
    },
    () => server.process?.restart('fast'),
    async () => {
      proxy.stall();
      await pause(50);
      proxy.cut();
    },
    () => server.process?.restart('immediate'),
  ];
  for (let round = 0; round < ROUNDS; round++) {
    await faults[round % faults.length]?.();
    await pause(30);
    proxy.heal();
    const before = successes;
    await until(`messages are accepted again after fault ${round}`, () => successes > before + CLIENTS);
  }
  isOver = true;
  await Promise.all(clients);

  assert.deepEqual(odd, [], 'every other answer is A920 with Retry-After');
  const unknown = [...told].filter(([, { result }]) => /not known/.test(result)).map(([ref]) => ref);
  await until('what is in doubt has been resolved', async () => {
    const metrics = await gateway.http.inject({ url: '/metrics' });
    const resolved = [...metrics.body.matchAll(/bongsu_doubtful_accepts_total\{.*\} (\d+)/g)];
    return resolved.reduce((sum, [, count]) => sum + Number(count), 0) >= unknown.length;
  });
  const refs = await refsIn(databaseUrl);
  const stored = new Set(refs);
  t.diagnostic(`${successes} accepted, ${told.size - successes} refused, ${unknown.length} not known`);
  assert.equal(stored.size, refs.length, 'nothing is stored twice');
  for (const [ref, { code, result }] of told) {
    if (code === 'A000') assert.ok(stored.has(ref), `${ref} was accepted and is lost`);
    else if (!/not known/.test(result)) assert.ok(!stored.has(ref), `${ref} was refused and is stored`);
  }
});

test('answers A920 within its time while the database is away, and is ready again when it is back', async t => {
  const { proxy, gateway, send } = await startAll(t);
  const ready = async () => (await gateway.http.inject({ url: '/readyz' })).statusCode;
  await until('it accepts', async () => (await send('before')).code === 'A000');
  proxy.stall();
  const answers = await Promise.all([send('a'), send('b', 'key'), ready()]);
  assert.deepEqual(
    answers.map(answer => (typeof answer === 'number' ? answer : [answer.code, answer.retryAfter])),
    [['A920', '1'], ['A920', '1'], 503],
  );
  proxy.refuse();
  proxy.cut();
  const away = await until('the loss is noticed', async () => {
    const answer = await send('c');
    return answer.result === 'Service is busy' && answer;
  });
  assert.deepEqual([away.code, away.retryAfter, await ready()], ['A920', '1', 503]);

  // What operators are told: without the store nobody is known but whoever has the token of the configuration.
  const operator = async (path: string, token: string) => {
    const headers = bearer(token);
    return (await gateway.http.inject({ url: `/admin/v1${path}`, headers })).json();
  };
  const { data: health } = await operator('/health', ADMIN_TOKEN);
  assert.deepEqual([health.ready, health.store.state, health.carriers[0].name], [false, 'away', 'simulator']);
  assert.match(health.store.detail, /cannot be reached/);
  const named = await operator('/health', `${OPERATOR_TOKEN_PREFIX}${'A'.repeat(OPERATOR_TOKEN_LENGTH)}`);
  assert.match(`${named.code} ${named.result}`, /^A920 The store does not answer, so only the admin token/);
  const guesses = await Promise.all(Array.from({ length: 40 }, () => operator('/health', 'a-guess')));
  assert.deepEqual([...new Set(guesses.map(({ code }) => code))].sort(), ['A002', 'A020']);
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const env = { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
  const [doctor, status] = [
    await bongsu(['doctor', '--url', url], env),
    await bongsu(['status', '--url', url], env),
  ];
  assert.match(doctor.stdout, /PROBLEM {2}store +The store has not answered since .*cannot be reached/);
  assert.match(doctor.stdout, /ok +carriers +The carrier is up/);
  assert.match(status.stdout, /ready +no: the store does not answer\nstore +away since .*cannot be reached/);
  assert.match(status.stdout, /\nsimulator +\S+ +/);
  assert.deepEqual([doctor.code, status.code], [1, 1]);

  proxy.heal();
  await until('it is ready', async () => (await ready()) === 200);
  await until('it accepts again', async () => (await send('after')).code === 'A000');
});
