/** Moves steps to another carrier if no node runs their carrier any more, or no node has it up. */

import { familyOf } from '../domain/channels/channel-table.ts';
import { alternativesOf, type ChooseRoute, type Network, UNROUTED } from '../domain/delivery/routing.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import type { AccountId } from '../domain/ids.ts';
import { NO_ROUTE_CODE } from '../domain/reports/report-codes.ts';
import type { Clock } from '../platform/clock.ts';
import type { QueueEvent, Store } from '../store/store.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { stepOf } from './prepare-step.ts';
import type { Settle } from './settle.ts';

/** Limits for one carrier in a round, in steps and accounts; the next round goes on after the last account. */
const MOVE_LIMIT = 500;
const MOVE_ACCOUNTS = 100;
/** When a step is looked at again that waits for a carrier which is down, and has no other. */
const WAIT_MS = 5_000;

export function createMoveStrandedSteps(deps: {
  readonly store: { readonly queue: Pick<Store['queue'], 'carriers' | 'readyAccounts'> };
  readonly settle: Settle;
  readonly clock: Clock;
  readonly claims: Pick<Claims, 'claim' | 'abandon'>;
  readonly cluster: Pick<Cluster, 'isMember' | 'isUnserved' | 'isUnroutedElsewhere'>;
  readonly route: ChooseRoute;
  readonly network: () => Network;
  /** This node sends by the carrier. */
  readonly hasLane: (carrier: string) => boolean;
  /** It takes messages of this node or of another one now, or will in a moment. */
  readonly isAvailable: (carrier: string) => boolean;
}): () => Promise<void> {
  const { store, settle, clock, claims, cluster, route, network, hasLane, isAvailable } = deps;

  /** The last account of the round before, while there are more: steps that cannot be moved stay ready, and hold up nobody. */
  const movedUpTo = new Map<string, AccountId>();

  return async () => {
    if (!cluster.isMember) return;
    for (const carrier of await store.queue.carriers()) {
      const mustMove = hasLane(carrier) ? hasBetter(carrier) : cluster.isUnserved(carrier);
      // Steps that were accepted by a node without a route for them are moved as soon as a node has one.
      if (mustMove || carrier === UNROUTED) await move(carrier);
    }
  };

  /** The carrier takes nothing, and another would. */
  function hasBetter(carrier: string): boolean {
    if (isAvailable(carrier)) return false;
    const others = alternativesOf(network().rules, carrier);
    return [...others].some(other => isAvailable(other));
  }

  async function move(carrier: string): Promise<void> {
    const accounts = await store.queue.readyAccounts({
      carrier,
      after: movedUpTo.get(carrier),
      limit: MOVE_ACCOUNTS,
    });
    const last = accounts.at(-1);
    if (last !== undefined && accounts.length === MOVE_ACCOUNTS) movedUpTo.set(carrier, last);
    else movedUpTo.delete(carrier);
    if (accounts.length === 0) return;
    const limit = Math.ceil(MOVE_LIMIT / accounts.length);
    const shares = accounts.map(account => ({ account, limit }));
    const stranded = await claims.claim({ carrier, shares, now: clock.now(), onlyMovable: true });
    if (stranded.length === 0) return;
    try {
      await settle(stranded.map(queueEventOf));
    } finally {
      // Stored or not, none of them was handed to a carrier. If not, they are found as strays.
      claims.abandon(stranded);
    }
  }

  function queueEventOf(live: LiveStep): QueueEvent {
    const { msgKey, step, attempt, claim } = live;
    return {
      kind: 'step',
      msgKey,
      step,
      attempt,
      event: eventOf(live),
      ...(claim !== undefined && { claim }),
    };
  }

  function eventOf(live: LiveStep): StepEvent {
    const { channel } = stepOf(live);
    const choice = route({ account: live.account, channel, to: live.to });
    if (choice.carrier === live.carrier && hasLane(live.carrier)) {
      return { name: 'returned', retryAfterMs: WAIT_MS };
    }
    // A message meant for a real carrier is never "delivered" by the sandbox's own network.
    const isStandIn = choice.carrier === network().otherwise;
    const isServed = choice.carrier !== UNROUTED && hasLane(choice.carrier) && !isStandIn;
    if (isServed) return { name: 'rerouted', ...choice };
    // Both are asked at once: the grace time of each begins when it is asked for.
    const lost = [cluster.isUnserved(live.carrier), cluster.isUnroutedElsewhere(channel)];
    return lost.every(Boolean)
      ? { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)], isUnasked: true }
      : { name: 'returned', retryAfterMs: WAIT_MS };
  }
}
