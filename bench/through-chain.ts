/**
 * A gateway on SQLite (the edge) in front of one on PostgreSQL (the core): from the edge's accept until the core's report has
 * become the edge's. In the same round the core alone, with the same load. The core and its PostgreSQL have one processor, the
 * edge shares another with the clients, as if each were a machine of its own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ACCOUNT,
  assertSameKeys,
  type Engine,
  type GatewayUnderTest,
  openEngine,
  type Place,
} from './gateway-under-test.ts';
import { keepProcessTo, keepServerTo, keepThisTo } from './one-processor-each.ts';
import { asSet, drain, SINGLE, untilReported } from './plain-load.ts';
import type { Sample } from './results.ts';

const WINDOW = 500;
/** The edge gathers the same text for several recipients, not for one. */
const EACH_TO_ANOTHER = { counted: SINGLE.to };
const OF_CLIENTS = 0;
const OF_CORE = 1;

interface ChainRound {
  /** Of the core. */
  readonly engine: Engine;
  readonly requests: number;
  sample(row: string, sample: Sample): void;
}

export async function throughChain({ engine, requests, sample }: ChainRound): Promise<void> {
  const undo = keepThisTo(OF_CLIENTS);
  try {
    await engine.run({}, async (core, place) => {
      const freeServer = await keepCore(core, place);
      sample('core', (await untilReported(core, requests, EACH_TO_ANOTHER)).whole);
      freeServer();
      assertSameKeys(core.keys(), asSet(await drain(core)), 'records');
    });
    for (const [row, gather] of [
      ['chain', 10],
      ['chain of singles', 1],
    ] as const) {
      await engine.run({}, async (core, place) => {
        const freeServer = await keepCore(core, place);
        sample(row, await throughEdge(core, gather, requests));
        freeServer();
      });
    }
  } finally {
    undo();
  }
}

async function throughEdge(core: GatewayUnderTest, gather: number, requests: number): Promise<Sample> {
  const config = configFor(core.port, gather);
  try {
    const edges = await openEngine('sqlite');
    return await edges.run({ BONGSU_CONFIG: config.path }, async edge => {
      const { whole } = await untilReported(edge, requests, EACH_TO_ANOTHER);
      assertSameKeys(edge.keys(), asSet(await drain(edge)), 'records');
      const { size } = await core.storedKeys();
      const sent = edge.keys().length;
      if (size !== sent) throw new Error(`the core has ${size} messages of ${sent}`);
      return whole;
    });
  } finally {
    config.remove();
  }
}

function keepCore(core: GatewayUnderTest, { env }: Place): Promise<() => void> {
  keepProcessTo(core.pid, OF_CORE);
  return keepServerTo(String(env.BONGSU_DATABASE_URL), OF_CORE);
}

function configFor(port: number, gather: number): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-config-'));
  const path = join(directory, 'bongsu.yaml');
  writeFileSync(
    path,
    `carriers:
  core:
    kind: omni
    url: http://127.0.0.1:${port}
    account: ${ACCOUNT.id}
    password: ${ACCOUNT.password}
    allowPrivate: true
    window: ${WINDOW}
    gather: ${gather}
    interval: 100ms
    idleInterval: 200ms
routes:
  - { channel: sms, via: [core] }
`,
  );
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
