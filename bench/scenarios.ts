/**
 * The scenarios of `npm run bench`. Each starts what it measures anew, takes one sample of every row that it is named in, and
 * then verifies the keys: every answered message is in the store, and has one record where records are what is measured.
 */
import { queueIsEmpty, tokenOf } from './gateway-calls.ts';
import { assertSameKeys, type Engine, type EngineName, type GatewayUnderTest } from './gateway-under-test.ts';
import { hasKannel } from './kannel.ts';
import {
  asSet,
  CONNECTIONS,
  drain,
  measuredWarm,
  order,
  perSecondSince,
  SINGLE,
  TEXT,
  untilReported,
  WARM_UP,
} from './plain-load.ts';
import { load, startServer } from './processes.ts';
import { reservation } from './reservation.ts';
import type { Sample } from './results.ts';
import { throughChain } from './through-chain.ts';
import { configFor, measureKannel, reaches, startSmsc } from './through-smpp.ts';

const RECIPIENTS = 10;
const TENANTS = [2, 32];
const LONE_CALLS = 300;
/** Latency at a fixed rate: this share of what goes through to the report. */
const FIXED_SHARE = 0.7;
/** V8 gives memory back some seconds after what the start has left behind is collected. */
const UNTIL_IDLE_MS = 15_000;
const OMNI = {
  messageFlow: [{ sms: { from: SINGLE.from, text: TEXT } }],
  destinations: Array.from({ length: RECIPIENTS }, (_, index) => ({ to: `0101234567${index}` })),
  ref: SINGLE.ref,
};
const SILENT = { BONGSU_SIMULATOR_LATENCY: '900000-900000ms' };

export interface Round {
  readonly engine: Engine;
  readonly requests: number;
  /** How many messages a full store has. */
  readonly stored: number;
  /** Tells one sample of a row. */
  sample(row: string, sample: Sample): void;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** The engine that it needs, if not every one will do; none where it is not about a gateway. */
  readonly only?: EngineName | 'none';
  /** The yardstick is measured again right before it: a machine that is shared is now fast, now slow. */
  readonly isComparedWithBare?: boolean;
  /** Takes minutes: run only if it is named. */
  readonly isLong?: boolean;
  run(round: Round): Promise<void>;
}

export const BARE: Scenario = {
  name: 'bare',
  about: 'node:http that parses and answers the same, and does nothing else',
  only: 'none',
  run: bare,
};

export const SCENARIOS: readonly Scenario[] = [
  BARE,
  {
    name: 'accepts',
    about: 'sends while the carrier answers nothing',
    isComparedWithBare: true,
    run: accepts,
  },
  { name: 'omni', about: `combined sends of ${RECIPIENTS} recipients each`, run: omni },
  {
    name: 'report',
    about: 'sends while messages are delivered, until the last report is there',
    isComparedWithBare: true,
    run: report,
  },
  {
    name: 'polled',
    about: 'the same while one poller fetches and acknowledges, until it has the last record',
    run: polled,
  },
  { name: 'tenants', about: `the same from ${TENANTS.join(' and from ')} accounts`, run: tenants },
  { name: 'webhook', about: 'the same until the last record is pushed', run: webhook },
  { name: 'smpp', about: 'the same through a light SMSC, receipts included', run: throughSmpp },
  { name: 'kannel', about: 'Kannel on the same machine, for comparison', only: 'none', run: kannel },
  { name: 'nodes', about: 'two nodes on one PostgreSQL', only: 'postgres', run: nodes },
  {
    name: 'chain',
    about: 'the same through a gateway on SQLite to one on PostgreSQL, and to that one alone',
    only: 'postgres',
    run: throughChain,
  },
  {
    name: 'reservation',
    about: 'a reservation made, due and drained, and another account meanwhile',
    isLong: true,
    run: reservation,
  },
  { name: 'stored', about: 'the same with many messages stored', isLong: true, run: stored },
];

async function bare({ requests, sample }: Round): Promise<void> {
  const server = await startServer('bench/bare-server.ts');
  try {
    const cpuBefore = server.cpuSeconds();
    const result = await load({ ...order(requests), port: server.port, headers: {} });
    sample('bare', { ...result, cpuMicros: cpuMicros(server.cpuSeconds() - cpuBefore, requests) });
  } finally {
    await server.kill();
  }
}

async function accepts({ engine, requests, sample }: Round): Promise<void> {
  await engine.run(SILENT, async gateway => {
    await acceptsInto(gateway, `${engine.name} accepts`, requests, sample);
    assertSameKeys(gateway.keys(), await gateway.storedKeys(), 'after a crash');
  });
}

async function acceptsInto(
  gateway: GatewayUnderTest,
  row: string,
  requests: number,
  sample: Round['sample'],
): Promise<void> {
  const cpuBefore = gateway.cpuSeconds();
  const result = await gateway.load(order(requests));
  sample(row, { ...result, cpuMicros: cpuMicros(gateway.cpuSeconds() - cpuBefore, requests) });
}

async function omni({ engine, requests, sample }: Round): Promise<void> {
  await engine.run(SILENT, async gateway => {
    const few = Math.round(requests / 4);
    const cpuBefore = gateway.cpuSeconds();
    const { perSecond, ...times } = await gateway.load({
      ...order(few),
      path: '/v1/send/omni',
      body: JSON.stringify(OMNI),
    });
    const cpu = cpuMicros(gateway.cpuSeconds() - cpuBefore, few * RECIPIENTS);
    sample(`${engine.name} omni`, { perSecond: perSecond * RECIPIENTS, ...times, cpuMicros: cpu });
    assertSameKeys(gateway.keys(), await gateway.storedKeys(), 'after a crash');
  });
}

async function report({ engine, requests, sample }: Round): Promise<void> {
  await engine.run({}, async gateway => {
    await new Promise(resolve => setTimeout(resolve, UNTIL_IDLE_MS));
    sample('memory', { idleMb: gateway.rssMb() });
    const { result, whole } = await untilReported(gateway, requests);
    sample(`${engine.name} sending`, result);
    sample(`${engine.name} report`, whole);
    const perSecond = FIXED_SHARE * (whole.perSecond ?? 0);
    sample(`${engine.name} fixed`, await gateway.load({ ...order(requests), warmUp: 0, perSecond }));
    await queueIsEmpty(gateway);
    const startedAt = performance.now();
    const records = await drain(gateway);
    sample(`${engine.name} polling`, { perSecond: perSecondSince(startedAt, records.length) });
    assertSameKeys(gateway.keys(), asSet(records), 'records');
    if (engine.name === 'sqlite') sample('memory', { peakMb: gateway.peakMb() });
  });
}

async function polled({ engine, requests, sample }: Round): Promise<void> {
  await engine.run({}, async gateway => {
    const records: string[] = [];
    let isSending = true;
    const polling = async () => {
      while (isSending) {
        records.push(...(await drain(gateway)));
        await pause();
      }
    };
    const sending = measuredWarm(gateway, order(requests), async () => {
      await queueIsEmpty(gateway);
      while (records.length < gateway.keys().length) await pause();
    }).finally(() => {
      isSending = false;
    });
    const [{ whole }] = await Promise.all([sending, polling()]);
    sample(`${engine.name} polled`, whole);
    assertSameKeys(gateway.keys(), asSet(records), 'records');
  });
}

async function tenants({ engine, requests, sample }: Round): Promise<void> {
  for (const count of TENANTS) {
    await engine.run({}, async gateway => {
      const authorizations: string[] = [];
      for (let index = 0; index < count; index++) {
        const account = { id: `tenant-${index}`, password: `tenant-password-${index}` };
        await gateway.call('POST', '/admin/v1/accounts', account);
        authorizations.push(`Bearer ${await tokenOf(gateway, account)}`);
      }
      const { whole } = await untilReported(gateway, requests, { authorizations });
      sample(`${engine.name} ${count} tenants`, whole);
      assertSameKeys(gateway.keys(), await gateway.storedKeys(), 'after a crash');
    });
  }
}

async function webhook({ engine, requests, sample }: Round): Promise<void> {
  const receiver = await startServer('bench/receiver-server.ts');
  const secretKey = { BONGSU_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  try {
    await engine.run({ ...secretKey, BONGSU_WEBHOOK_PRIVATE: 'allow' }, async gateway => {
      const settings = {
        reportMode: 'webhook',
        webhookUrl: `http://127.0.0.1:${receiver.port}/`,
        webhookCalls: 32,
      };
      await gateway.call('PATCH', '/admin/v1/accounts/bench', { settings });
      const { whole } = await measuredWarm(gateway, order(requests / 4), async () => {
        while ((await receiver.count()) < gateway.keys().length) await pause();
      });
      sample(`${engine.name} webhook`, whole);
      assertSameKeys(gateway.keys(), asSet((await receiver.ask('keys')).split(' ')), 'records pushed');
    });
  } finally {
    await receiver.kill();
  }
}

async function throughSmpp({ engine, requests, sample }: Round): Promise<void> {
  const smsc = await startSmsc();
  const config = configFor(smsc);
  try {
    await engine.run({ BONGSU_CONFIG: config.path }, async gateway => {
      const { whole } = await untilReported(gateway, requests);
      await reaches(smsc, gateway.keys().length);
      sample(`${engine.name} smpp`, whole);
      assertSameKeys(gateway.keys(), asSet(await drain(gateway)), 'records');
    });
  } finally {
    config.remove();
    await smsc.kill();
  }
}

async function kannel({ requests, sample }: Round): Promise<void> {
  if (!hasKannel()) return;
  const same = { ...order(requests), port: 0, headers: {} };
  sample('kannel', { perSecond: await measureKannel(same, false) });
  sample('kannel with receipts', { perSecond: await measureKannel(same, true) });
}

async function nodes({ engine, requests, sample }: Round): Promise<void> {
  await engine.run({}, async (first, place) => {
    await engine.run(
      {},
      async second => {
        const both = [first, second];
        const { warmUp, ...half } = { ...order(requests / 2), connections: CONNECTIONS / 2 };
        const reported = async (requests: number) => {
          await Promise.all(both.map(node => node.load({ ...half, requests, warmUp: 0 })));
          await Promise.all(both.map(node => queueIsEmpty(node)));
        };
        await reported(warmUp);
        const startedAt = performance.now();
        await reported(half.requests);
        sample('two nodes', { perSecond: perSecondSince(startedAt, 2 * half.requests) });
        const keys = both.flatMap(node => node.keys());
        assertSameKeys(keys, asSet(await drain(first)), 'records');
      },
      place,
    );
  });
}

/** Fills a store with combined sends, and measures a gateway that starts on it; the same on an empty one. */
async function stored({ engine, requests, stored: wanted, sample }: Round): Promise<void> {
  await engine.run({}, async gateway => loneCalls(gateway, `${engine.name} empty`, sample));
  await engine.run({}, async (filler, place) => {
    const sends = Math.round(wanted / RECIPIENTS);
    await filler.load({ ...order(sends), warmUp: 0, path: '/v1/send/omni', body: JSON.stringify(OMNI) });
    await queueIsEmpty(filler);
    await filler.kill();
    await engine.run({}, async gateway => loneCalls(gateway, `${engine.name} full`, sample), place);
    await engine.run(
      SILENT,
      async gateway => acceptsInto(gateway, `${engine.name} accepts, full`, requests, sample),
      place,
    );
  });
}

/** Poll and inquiry of an account with few messages, one after the other. */
async function loneCalls(gateway: GatewayUnderTest, row: string, sample: Round['sample']): Promise<void> {
  const account = { id: 'lone', password: 'lone-password' };
  await gateway.call('POST', '/admin/v1/accounts', account);
  const authorization = `Bearer ${await tokenOf(gateway, account)}`;
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, init);
    return (await response.json()) as { msgKey?: string };
  };
  const { msgKey = '' } = await ask('POST', '/v1/send/sms', JSON.stringify(SINGLE));
  await queueIsEmpty(gateway);
  for (const [name, path] of [
    ['poll', '/v1/report/polling'],
    ['inquiry', `/v1/report/inquiry/${msgKey}`],
  ] as const) {
    const times: number[] = [];
    for (let call = 0; call < LONE_CALLS; call++) {
      const startedAt = performance.now();
      await ask('GET', path);
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
    sample(`${row} ${name}`, { p50Ms: at(0.5), p99Ms: at(0.99) });
  }
}

/** Of a request, those of the warming up included. */
function cpuMicros(seconds: number, requests: number): number {
  return (seconds * 1e6) / (requests * (1 + WARM_UP));
}

const pause = () => new Promise(resolve => setTimeout(resolve, 20));
