/** Every metric of the gateway, declared once; docs/health.md has them all. Labels have few values: never an account, a number or a key. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { FastHistogram } from '../platform/histogram.ts';

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LAG_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'bongsu_process_' });
  const metrics = {
    registry,
    requests: new FastHistogram({
      name: 'bongsu_http_request_seconds',
      help: 'Time from the complete request to its answer',
      labelNames: ['route', 'status'],
      buckets: LATENCY_BUCKETS,
      registry,
    }),
    accepted: new Counter({
      name: 'bongsu_messages_accepted_total',
      help: 'Messages answered A000, by channel of their first step',
      labelNames: ['channel'],
      registers,
    }),
    refused: new Counter({
      name: 'bongsu_requests_refused_total',
      help: 'Answers other than A000; the route is none for requests that reach no route',
      labelNames: ['route', 'code'],
      registers,
    }),
    internalErrors: new Counter({
      name: 'bongsu_internal_errors_total',
      help: 'Answers A999: internal errors; the log has the cause',
      registers,
    }),
    recipientsRefused: new Counter({
      name: 'bongsu_recipients_refused_total',
      help: 'Recipients of combined sends that were refused while the request was answered A000',
      labelNames: ['code'],
      registers,
    }),
    loopLag: new FastHistogram({
      name: 'bongsu_event_loop_lag_seconds',
      help: 'Longest delay of the event loop of a thread in each second',
      labelNames: ['thread'],
      buckets: LAG_BUCKETS,
      registry,
    }),
    loopBusy: new Counter({
      name: 'bongsu_event_loop_busy_seconds_total',
      help: 'Time in which the event loop of a thread was busy',
      labelNames: ['thread'],
      registers,
    }),
    connectionsClosed: new Counter({
      name: 'bongsu_connections_closed_total',
      help: 'HTTP connections closed to make room for others, or refused because there was no room',
      registers,
    }),
    certificateExpires: new Gauge({
      name: 'bongsu_tls_certificate_expires_timestamp_seconds',
      help: 'Expiry of the TLS certificate, in seconds since 1970; 0 without TLS',
      registers,
    }),
    failures: new Counter({
      name: 'bongsu_failures_total',
      help: 'Failures inside the gateway that were logged',
      labelNames: ['where'],
      registers,
    }),
    doubtfulAccepts: new Counter({
      name: 'bongsu_doubtful_accepts_total',
      help: 'Accepts whose commit was not confirmed, by the outcome that was found later',
      labelNames: ['outcome'],
      registers,
    }),
    submitted: new Counter({
      name: 'bongsu_submits_total',
      help: 'Answers to submits',
      labelNames: ['carrier', 'answer'],
      registers,
    }),
    ended: new Counter({
      name: 'bongsu_steps_ended_total',
      help: 'Channel messages that ended',
      labelNames: ['service', 'code'],
      registers,
    }),
    receipts: new Counter({
      name: 'bongsu_receipts_total',
      help: 'Receipts, by how they were settled',
      labelNames: ['carrier', 'settled'],
      registers,
    }),
    setAside: new Counter({
      name: 'bongsu_events_set_aside_total',
      help: 'Answers and receipts that could not be written and are kept for the operator',
      labelNames: ['kind'],
      registers,
    }),
    unreadableRows: new Counter({
      name: 'bongsu_unreadable_rows_total',
      help: 'Stored rows that could not be read and were set aside',
      labelNames: ['table'],
      registers,
    }),
    strayClaims: new Counter({
      name: 'bongsu_stray_claims_total',
      help: 'Steps claimed by a node that never learned of it, and given back',
      registers,
    }),
    takenOver: new Counter({
      name: 'bongsu_steps_taken_over_total',
      help: 'Steps of dead nodes that this node took over: repeated, or unknown because they may have been sent',
      labelNames: ['carrier', 'outcome'],
      registers,
    }),
    clockTrusted: new Gauge({
      name: 'bongsu_clock_trusted',
      help: '0 while the clock is in doubt and nothing is deleted, expired or released; see /admin/v1/health',
      registers,
    }),
    clockAhead: new Gauge({
      name: 'bongsu_clock_ahead_seconds',
      help: 'How far the wall clock of this machine is ahead of the clock of the database; 0 without a database',
      registers,
    }),
    clockSet: new Counter({
      name: 'bongsu_clock_set_total',
      help: 'Times that the clock of this node was set or jumped; with PostgreSQL, the clock of the database',
      registers,
    }),
    inbound: new Counter({
      name: 'bongsu_inbound_total',
      help: 'Inbound messages: matched, unmatched or repeated',
      labelNames: ['carrier', 'result'],
      registers,
    }),
    carrierNotices: new Counter({
      name: 'bongsu_carrier_notices_total',
      help: 'Notices of carriers about their links',
      labelNames: ['carrier', 'notice'],
      registers,
    }),
    carrierUp: new Gauge({
      name: 'bongsu_carrier_up',
      help: '1 while the carrier accepts messages or waits for a test message',
      labelNames: ['carrier'],
      registers,
    }),
    carrierInFlight: new Gauge({
      name: 'bongsu_carrier_in_flight',
      help: 'Parts that wait for the carrier to answer',
      labelNames: ['carrier'],
      registers,
    }),
    carrierWindow: new Gauge({
      name: 'bongsu_carrier_window',
      help: 'Maximum number of unanswered parts',
      labelNames: ['carrier'],
      registers,
    }),
    carrierRate: new Gauge({
      name: 'bongsu_carrier_rate',
      help: 'Maximum parts per second; 0 means no limit',
      labelNames: ['carrier'],
      registers,
    }),
    carrierHeadAge: new Gauge({
      name: 'bongsu_carrier_head_age_seconds',
      help: 'How long the oldest ready message of a carrier has been due',
      labelNames: ['carrier'],
      registers,
    }),
    carrierWindowFull: new Gauge({
      name: 'bongsu_carrier_window_full_seconds',
      help: 'How long the window has been full; 0 while there is room',
      labelNames: ['carrier'],
      registers,
    }),
    carrierStuck: new Gauge({
      name: 'bongsu_carrier_stuck',
      help: '1 while messages are due for a carrier that is up and has room, and this node claims none',
      labelNames: ['carrier'],
      registers,
    }),
    storeUp: new Gauge({
      name: 'bongsu_store_up',
      help: '1 while the store answers in time and accepts writes',
      registers,
    }),
    diskFree: new Gauge({
      name: 'bongsu_disk_free_bytes',
      help: 'Free bytes on the disk of the data directory; absent where nothing is kept there',
      labelNames: ['disk'],
      registers,
    }),
    diskReserve: new Gauge({
      name: 'bongsu_disk_reserve_bytes',
      help: 'With fewer bytes free, reservations and uploads are refused',
      labelNames: ['disk'],
      registers,
    }),
    durabilityRisks: new Gauge({
      name: 'bongsu_durability_risks',
      help: 'Reasons why the database may lose acknowledged messages; see /admin/v1/health',
      registers,
    }),
    carrierFoundRate: new Gauge({
      name: 'bongsu_carrier_found_rate',
      help: 'Measured parts per second that the carrier accepts; absent if it accepts the configured rate',
      labelNames: ['carrier'],
      registers,
    }),
    carrierThrottled: new Counter({
      name: 'bongsu_carrier_throttled_total',
      help: 'Submits that the carrier refused because they exceeded its rate',
      labelNames: ['carrier'],
      registers,
    }),
    reported: new Counter({
      name: 'bongsu_reports_fetched_total',
      help: 'Report records handed out by polling',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'bongsu_webhook_attempts_total',
      help: 'Calls to webhooks',
      labelNames: ['outcome'],
      registers,
    }),
    webhookPending: new Gauge({
      name: 'bongsu_webhook_pending',
      help: 'Report records that wait for their webhook, counted up to 100000',
      registers,
    }),
    webhookFailing: new Gauge({
      name: 'bongsu_webhook_failing_accounts',
      help: 'Accounts with waiting records whose webhook keeps failing, or was switched off by its receiver',
      registers,
    }),
    webhookSeconds: new FastHistogram({
      name: 'bongsu_webhook_seconds',
      help: 'Duration of calls to webhooks, up to the answer or the time-out',
      buckets: LATENCY_BUCKETS,
      registry,
    }),
    deliverySeconds: new FastHistogram({
      name: 'bongsu_step_seconds',
      help: 'Time from submit to the end of a step',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
      registry,
    }),
    commitBatch: new Histogram({
      name: 'bongsu_commit_batch_size',
      help: 'Writes that shared one durable commit',
      buckets: BATCH_BUCKETS,
      registers,
    }),
    queueDepth: new Gauge({
      name: 'bongsu_queue_depth',
      help: 'Pending messages',
      labelNames: ['phase'],
      registers,
    }),
    queueHeadAge: new Gauge({
      name: 'bongsu_queue_head_age_seconds',
      help: 'How long the oldest ready message has been due',
      registers,
    }),
  };
  // An alert sees how much a counter grew, and of one that begins with 1 it sees nothing.
  metrics.doubtfulAccepts.inc({ outcome: 'kept' }, 0);
  for (const kind of ['step', 'receipt']) metrics.setAside.inc({ kind }, 0);
  return metrics;
}
