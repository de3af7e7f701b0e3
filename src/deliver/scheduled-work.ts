/** The part of delivery that runs by the clock, on every node: the tasks below. */
import { backgroundTasks } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { whenTrusted } from '../platform/cluster-clock.ts';
import type { ParkedReceipt, Store } from '../store/store.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { OrphanReceipts, type PartsOf } from './orphan-receipts.ts';
import { ownersOf, type ReceiptsOf } from './receipt-owners.ts';
import { createReleaseDueSteps } from './release-due-steps.ts';
import type { Settle } from './settle.ts';

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
  readonly partsOf: PartsOf;
  readonly receiptsOf: () => ReceiptsOf;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** The wall clock was set back: data that was ordered by its time may no longer be. */
  readonly clockSetBack: () => void;
}

export function createScheduledWork(deps: Deps): ScheduledWork {
  const { store, settle, clock, events, cluster, partsOf, receiptsOf, wake, clockSetBack } = deps;
  const orphans = new OrphanReceipts({ store, settle, clock, partsOf, receiptsOf });
  const releaseDueSteps = createReleaseDueSteps({ store, clock, events, wake, clockSetBack });
  const tasks = backgroundTasks(deps, [
    ['heartbeat', () => cluster.beat()],
    ['stray claims', () => returnStrayClaims(deps)],
    ['release', releaseDueSteps],
    ['orphan receipts', () => orphans.match()],
    ['take over', () => takeOverFromDeadNodes(deps)],
    ['deadlines', whenTrusted(clock, now => expireOverdueSteps(deps, now))],
    ['parked receipts', () => settleMatchedReceipts(deps)],
  ]);

  return {
    async start() {
      await cluster.beat();
      await takeOverFromDeadNodes(deps);
      tasks.start();
    },
    async stop() {
      await tasks.stop();
      await leaveCluster(deps);
    },
  };
}

async function takeOverFromDeadNodes({ store, clock, events, node, cluster, wake }: Deps): Promise<void> {
  const taken = await store.nodes.takeOver({
    self: node,
    now: clock.now(),
    promises: cluster.promises(),
  });
  if (taken.length === 0) return;
  for (const [dead, ofNode] of Map.groupBy(taken, each => each.node)) {
    events.takenOver(cluster.nameOf(dead), ofNode);
  }
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

/** What arrived before the deadline counts, also for a message that could not be read until now. */
async function expireOverdueSteps(deps: Deps, now: number): Promise<void> {
  const { store, settle } = deps;
  for (;;) {
    const overdue = await store.queue.overdue(now, BATCH);
    if (overdue.length === 0) return;
    await settleMatchedReceipts(deps);
    await settle(overdue.map(key => ({ kind: 'step', ...key, event: { name: 'deadline' } })));
    if (overdue.length < BATCH) return;
  }
}

/** Receipts that came before the reference they name was known. */
async function settleMatchedReceipts({ store, settle, clock, receiptsOf }: Deps): Promise<void> {
  const othersBy = receiptsOf();
  const receipts = await store.queue.matchedParked(clock.now(), BATCH, othersBy);
  if (receipts.length === 0) return;
  const owners = new Map<ParkedReceipt, string>();
  for (const [carrier, brought] of Map.groupBy(receipts, receipt => receipt.carrier)) {
    const others = othersBy.get(carrier) ?? [];
    if (others.length === 0) continue;
    for (const [receipt, owner] of await ownersOf(store.queue, [carrier, ...others], brought))
      owners.set(receipt, owner);
  }
  await settle(receipts.map(receipt => ({ ...receipt, carrier: owners.get(receipt) ?? receipt.carrier })));
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
