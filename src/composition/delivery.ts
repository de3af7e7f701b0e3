/**
 * Puts deliver/ together: the carriers that run, the dispatcher that sends by them, settle, and what runs by the clock.
 * The simulation (test/simulation) puts its nodes together with it too.
 */
import { type Cancelling, createCancelling } from '../deliver/cancel.ts';
import { type CarrierPublisher, createCarrierPublisher } from '../deliver/carrier-publisher.ts';
import { Claims } from '../deliver/claims.ts';
import { Cluster } from '../deliver/cluster.ts';
import { Dispatcher, type InboundDesk } from '../deliver/dispatcher.ts';
import { QueueMeter } from '../deliver/queue-depth.ts';
import { createScheduledWork, type ScheduledWork } from '../deliver/scheduled-work.ts';
import { createSettle, type Settle } from '../deliver/settle.ts';
import { createSettleByHand, type SettleByHand } from '../deliver/settle-by-hand.ts';
import { createStepCheck } from '../deliver/step-check.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { IsOptedOut } from '../domain/delivery/opt-out.ts';
import { type ChooseRoute, chooseRoute } from '../domain/delivery/routing.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { CarrierSumsWriter } from '../observe/carrier-sums.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { NodeProfile, Store } from '../store/store.ts';
import type { NetworkConfig } from './configured-network.ts';
import { type CreateCarrier, RunningNetwork } from './running-network.ts';

export interface Delivery {
  readonly network: RunningNetwork;
  readonly dispatcher: Dispatcher;
  readonly cluster: Cluster;
  readonly carrierPublisher: CarrierPublisher;
  readonly scheduledWork: ScheduledWork;
  readonly queueMeter: QueueMeter;
  readonly route: ChooseRoute;
  readonly settle: Settle;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  readonly cancelling: Cancelling;
  readonly settleByHand: SettleByHand;
}

export function composeDelivery(deps: {
  readonly networkConfig: NetworkConfig;
  readonly createCarrier: CreateCarrier;
  readonly store: Store;
  readonly clock: ClusterClock;
  readonly random: Randomness;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly carrierSums: Pick<CarrierSumsWriter, 'add'>;
  readonly formatTime: FormatTime;
  readonly deadlines: DeadlineSettings;
  readonly shutdownTimeoutMs: number;
  readonly isOptedOut: IsOptedOut;
  /** The name of this node. */
  readonly node: string;
  /** What this node tells the others of itself, beside its carriers. */
  readonly about?: () => Partial<NodeProfile>;
  /** Takes what people send. */
  readonly inbound: InboundDesk;
  /** Report records were written. */
  readonly onReports: (reports: readonly ReportRecord[]) => void;
  /** The wall clock was set back. */
  readonly clockSetBack: () => void;
}): Delivery {
  const { store, clock, random, events, metrics, formatTime, deadlines, shutdownTimeoutMs, node } = deps;
  const network = new RunningNetwork({
    config: deps.networkConfig,
    createCarrier: deps.createCarrier,
    isAvailable: carrier => dispatcher.isAvailable(carrier),
  });
  const route: ChooseRoute = query => chooseRoute(network.current, query);
  const wake = () => dispatcher.wake();
  const profile = (): NodeProfile => ({
    ...network.profile(carrier => dispatcher.isUpHere(carrier)),
    ...deps.about?.(),
    dataKeys: store.dataKeys.own,
    sealing: store.dataKeys.mode,
    inFlight: dispatcher.inFlight,
    ...(clock.skewMs !== undefined && {
      clockSkewMs: clock.skewMs,
      isClockOff: clock.offReason !== undefined,
    }),
  });
  const cluster = new Cluster({
    ...{ store, clock, node, profile },
    nodeChanged: (name, state) => events.nodeChanged(name, state),
  });
  const claims = new Claims({ store, clock, owner: node });
  const { onReports, clockSetBack } = deps;
  const settle = createSettle({ store, clock, random, events, route, deadlines, wake, onReports });
  const dispatcher = new Dispatcher({
    store,
    settle,
    clock,
    events,
    route,
    network: () => network.current,
    claims,
    cluster,
    shutdownTimeoutMs,
    check: createStepCheck({ accounts: store.accounts, isOptedOut: deps.isOptedOut, formatTime }),
    inbound: deps.inbound,
  });
  const carrierPublisher = createCarrierPublisher({
    store,
    clock,
    events,
    metrics,
    carrierSums: deps.carrierSums,
    node,
    views: () => dispatcher.views(),
  });
  const scheduledWork = createScheduledWork({
    store,
    settle,
    clock,
    events,
    node,
    cluster,
    claims,
    partsOf: (carrier, message) => dispatcher.partsOf(carrier, message),
    receiptsOf: () => dispatcher.receiptsOf(),
    wake,
    clockSetBack,
  });
  const queueMeter = new QueueMeter({ store, clock, metrics, events });
  const cancelling = createCancelling({ store, settle });
  return {
    network,
    dispatcher,
    cluster,
    carrierPublisher,
    scheduledWork,
    queueMeter,
    route,
    settle,
    wake,
    cancelling,
    settleByHand: createSettleByHand({ settle }),
  };
}
