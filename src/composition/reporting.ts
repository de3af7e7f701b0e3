/** Puts report/ together: polling and inquiry, and the pusher that calls webhooks. */
import type { Config } from '../config/config.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import { createInboundMessages, type InboundMessages } from '../report/inbound-messages.ts';
import { createOwnMessages, type OwnMessages } from '../report/own-messages.ts';
import { createReports, type Reports } from '../report/reports.ts';
import { WebhookPusher } from '../report/webhook/pusher.ts';
import type { Store } from '../store/store.ts';
import { openWebhookCalls, type WebhookCalls } from './webhook-calls.ts';

export interface Reporting {
  readonly ownMessages: OwnMessages;
  readonly reports: Reports;
  readonly inboundMessages: InboundMessages;
  readonly pusher: WebhookPusher;
  readonly webhookCalls: WebhookCalls;
}

export function composeReporting(
  config: Config,
  deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly random: Randomness;
    readonly events: Events;
    readonly metrics: Metrics;
    readonly formatTime: FormatTime;
    readonly pieces: Pieces;
    /** The name of this node. */
    readonly node: string;
    /** This node is to begin nothing more. */
    readonly isDraining: () => boolean;
  },
): Reporting {
  const { store, clock, random, events, metrics, formatTime, node } = deps;
  const { reportRetentionMs, inquiryWindowMs, storeTimeoutMs } = config;
  const reports = createReports({
    store,
    clock,
    random,
    events,
    formatTime,
    reportRetentionMs,
    inquiryWindowMs,
    storeTimeoutMs,
  });
  const inboundMessages = createInboundMessages({
    ...{ store, clock, random, formatTime, reportRetentionMs, inquiryWindowMs, storeTimeoutMs },
  });
  const ownMessages = createOwnMessages({ store, clock, formatTime, inquiryWindowMs, pieces: deps.pieces });
  const webhookCalls = openWebhookCalls(config, { store, clock, random });
  const { secrets, callWebhook } = webhookCalls;
  const pusher = new WebhookPusher({
    store,
    clock,
    random,
    events,
    metrics,
    formatTime,
    secrets,
    callWebhook,
    owner: node,
    isDraining: deps.isDraining,
  });
  return { reports, inboundMessages, ownMessages, pusher, webhookCalls };
}
