/**
 * A gateway on SQLite (the edge) in front of one on PostgreSQL (the core), all on the same machine: from the edge's accept until
 * the core's report has become the edge's. In the same round the core alone, with the same load.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNT, assertSameKeys, type Engine, openEngine } from './gateway-under-test.ts';
import { asSet, drain, SINGLE, untilReported } from './plain-load.ts';
import type { Sample } from './results.ts';

const WINDOW = 500;
/** The edge gathers the same text for several recipients, not for one. */
const EACH_TO_ANOTHER = { counted: SINGLE.to };

interface ChainRound {
  /** Of the core. */
  readonly engine: Engine;
  readonly requests: number;
  sample(row: string, sample: Sample): void;
}

export async function throughChain({ engine, requests, sample }: ChainRound): Promise<void> {
  await engine.run({}, async core => {
    sample('core', (await untilReported(core, requests, EACH_TO_ANOTHER)).whole);
    assertSameKeys(core.keys(), asSet(await drain(core)), 'records');
  });
  for (const [row, gather] of [
    ['chain', 10],
    ['chain of singles', 1],
  ] as const) {
    await engine.run({}, async core => {
      const config = configFor(core.port, gather);
      try {
        const edges = await openEngine('sqlite');
        await edges.run({ BONGSU_CONFIG: config.path }, async edge => {
          sample(row, (await untilReported(edge, requests, EACH_TO_ANOTHER)).whole);
          assertSameKeys(edge.keys(), asSet(await drain(edge)), 'records');
          const { size } = await core.storedKeys();
          const sent = edge.keys().length;
          if (size !== sent) throw new Error(`the core has ${size} messages of ${sent}`);
        });
      } finally {
        config.remove();
      }
    });
  }
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
