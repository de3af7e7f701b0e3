/** The frame of a long run: its directory, load under trouble, the end of its nodes, its evidence. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { GatewayNode } from './gateway-node.ts';
import { bugsIn } from './node-log.ts';
import type { Pollers } from './pollers.ts';
import type { Senders, Sent } from './senders.ts';
import { type Track, Troublemaker } from './trouble.ts';

export interface RunScope {
  readonly directory: string;
  after(close: () => unknown): void;
}

export interface RunOrder {
  readonly seed: number;
  /** How long load and trouble last. */
  readonly seconds: number;
  /** Requests a second. */
  readonly rate: number;
}

export interface Progress {
  readonly phase: 'trouble' | 'rest';
  readonly accepted: number;
  readonly left: number | undefined;
  readonly troubles: number;
}

/** Closes everything at the end, and removes the directories of the processes; logs and evidence stay. */
export async function inScope<Result>(
  name: string,
  run: (scope: RunScope) => Promise<Result>,
): Promise<Result> {
  const closers: (() => unknown)[] = [];
  const directory = mkdtempSync(join(tmpdir(), `bongsu-${name}-`));
  try {
    return await run({ directory, after: close => void closers.push(close) });
  } finally {
    for (const close of closers.reverse()) await close();
    for (const each of readdirSync(directory, { withFileTypes: true })) {
      if (each.isDirectory()) rmSync(join(directory, each.name), { recursive: true, force: true });
    }
  }
}

/** Resolves when load and trouble are over and every send is answered. `tell` goes on until the end of the run. */
export async function loadUnderTrouble<Each extends Sent>(
  scope: RunScope,
  { seed, seconds, rate }: RunOrder,
  deps: {
    readonly senders: Senders<Each>;
    readonly pollers: Pollers;
    /** Nodes that reports are fetched from. */
    readonly polled: readonly GatewayNode[];
    readonly tracks: readonly Track[];
    readonly tell: (progress: Progress) => void;
  },
): Promise<{ readonly troublemaker: Troublemaker; readonly tellLeft: (left: number) => void }> {
  const { senders, pollers, polled, tracks, tell } = deps;
  const troublemaker = new Troublemaker(seed, join(scope.directory, 'trouble.log'));
  let phase: Progress['phase'] = 'trouble';
  let left: number | undefined;
  const telling = setInterval(() => {
    tell({ phase, accepted: senders.accepted, left, troubles: troublemaker.total });
  }, 1000);
  scope.after(() => clearInterval(telling));
  pollers.start(polled);
  senders.start(rate);
  await troublemaker.run(seconds, tracks);
  phase = 'rest';
  await senders.stop();
  return {
    troublemaker,
    tellLeft: count => {
      left = count;
    },
  };
}

/** Stops the nodes. What their processes and logs show that must not happen. */
export async function bugsOf(nodes: readonly GatewayNode[]): Promise<string[]> {
  const codes = await Promise.all(nodes.map(node => node.stop()));
  return nodes.flatMap(({ name, crashes, logFile }, index) => [
    ...crashes,
    ...(codes[index] === 0 ? [] : [`${name} ended with ${codes[index]}`]),
    ...bugsIn(logFile),
  ]);
}

export async function setAsideIn(client: Client): Promise<string[]> {
  const { rows } = await client.query('SELECT reason, event FROM set_aside');
  return rows.map(row => `set aside: ${JSON.stringify(row)}`);
}

/** Writes a file for each name: everything that was told, accepted and reported. */
export function keepEvidence({ directory }: RunScope, files: Readonly<Record<string, unknown>>): void {
  const plain = (_key: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(directory, `${name}.json`), JSON.stringify(value, plain, 1));
  }
}
