/** The part of delivery that runs by the clock, on every node: see the table of tasks below. */
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { OrphanReceipts } from './orphan-receipts.ts';
import { createReleaseDueSteps } from './release-due-steps.ts';
import type { Settle } from './settle.ts';

const TICK_MS = 1000;
/** How soon a step that was put off is sent when its time has come. */
const RELEASE_INTERVAL_MS = 200;
const ORPHAN_INTERVAL_MS = 10_000;
const BATCH = 500;

export interface ScheduledWork {
  /** Joins the cluster, takes over what dead nodes left behind, then begins. */
  start(): Promise<void>;
  /** Ends the tasks under way, then leaves the cluster. */
  stop(): Promise<void>;
}

interface Deps {
  readonly store: Store;
  readonly settle: Settle;
  readonly clock: Clock;
  readonly events: Events;
  /** The name of this node. */
  readonly node: string;
  readonly cluster: Cluster;
  readonly claims: Claims;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** The wall clock was set back: data that was ordered by its time may no longer be. */
  readonly clockSetBack: () => void;
}

export function createScheduledWork(deps: Deps): ScheduledWork {
  const { store, settle, clock, events, cluster, wake, clockSetBack } = deps;
  const orphans = new OrphanReceipts({ store, settle, clock });
  const releaseDueSteps = createReleaseDueSteps({ store, clock, events, wake, clockSetBack });
  const every = (intervalMs: number, name: string, task: () => Promise<void>) =>
    new Repeater(clock, intervalMs, task, error => events.failed(name, error));
  const repeaters = [
    every(TICK_MS, 'heartbeat', () => cluster.beat()),
    every(TICK_MS, 'stray claims', () => returnStrayClaims(deps)),
    every(RELEASE_INTERVAL_MS, 'release', releaseDueSteps),
    every(ORPHAN_INTERVAL_MS, 'orphan receipts', () => orphans.match()),
    every(TICK_MS, 'take over', () => takeOverFromDeadNodes(deps)),
    every(TICK_MS, 'deadlines', () => expireOverdueSteps(deps)),
    every(TICK_MS, 'parked receipts', () => settleMatchedReceipts(deps)),
  ];

  return {
    async start() {
      await cluster.beat();
      await takeOverFromDeadNodes(deps);
      for (const repeater of repeaters) repeater.start();
    },
    async stop() {
      await Promise.all(repeaters.map(repeater => repeater.stop()));
      await leaveCluster(deps);
    },
  };
}

async function takeOverFromDeadNodes({ store, clock, events, node, cluster, wake }: Deps): Promise<void> {
  const steps = await store.nodes.takeOver({
    self: node,
    now: clock.now(),
    promises: cluster.promises(),
  });
  if (steps === 0) return;
  events.takenOver(steps);
  wake();
}

/** Steps that the store says this node holds, and that it does not: they were never handed to a carrier. */
async function returnStrayClaims({ claims, settle, events }: Deps): Promise<void> {
  const strays = await claims.strays();
  if (strays.length === 0) return;
  events.strayClaims(strays.length);
  await settle(
    strays.map(({ claim, ...key }) => ({
      kind: 'step',
      ...key,
      event: { name: 'returned', retryAfterMs: 0 },
      ...(claim !== undefined && { claim }),
    })),
  );
}

async function expireOverdueSteps({ store, settle, clock }: Deps): Promise<void> {
  for (;;) {
    const overdue = await store.queue.overdue(clock.now(), BATCH);
    if (overdue.length === 0) return;
    await settle(overdue.map(key => ({ kind: 'step', ...key, event: { name: 'deadline' } })));
    if (overdue.length < BATCH) return;
  }
}

/** Receipts that came before the reference they name was known. */
async function settleMatchedReceipts({ store, settle, clock }: Deps): Promise<void> {
  const receipts = await store.queue.matchedParked(clock.now(), BATCH);
  if (receipts.length > 0) await settle(receipts);
}

async function leaveCluster(deps: Deps): Promise<void> {
  try {
    await returnStrayClaims(deps);
    await deps.cluster.leave();
  } catch (error) {
    // The others notice when the lease ends.
    deps.events.failed('leave', error);
  }
}
