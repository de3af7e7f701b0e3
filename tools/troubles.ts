/**
 * What an operator is told of ten troubles, when, and what to do. docs/troubles.md shows it; test/faults/troubles.test.ts causes
 * each trouble and proves what log, doctor, status and alerts say here. In texts `…` stands for what differs from case to case.
 */
export interface Trouble {
  readonly what: string;
  /** What the log, `doctor` and `status` say first, and within how many seconds each says so. */
  readonly log: readonly [event: string, withinSeconds: number];
  readonly doctor: readonly [finding: string, withinSeconds: number, later?: string];
  /** `status` and /admin/v1/health; null where they say nothing. */
  readonly status: readonly [line: string, withinSeconds: number] | null;
  /** Page of the console, and what it shows. */
  readonly console: string;
  /** Every alert that fires while it lasts, and after how many seconds, to the minute. */
  readonly alerts: Readonly<Record<string, number>>;
  /** The command that shows the cause. */
  readonly shows: string;
  readonly mends: string;
}

const CARRIER_ALERTS = { BongsuCarrierDown: 225, BongsuMessagesWait: 270 };
const ASK = 'Ask the carrier; meanwhile give the route a second carrier.';

export const TROUBLES = {
  bindsRefused: {
    what: 'An SMSC refuses binds',
    log: ['bindFailed', 5],
    doctor: ['problem carriers: The carrier sky is down: bind refused: ESME_RINVPASWD (0x0e)', 10],
    status: ['sky: down: bind refused: ESME_RINVPASWD (0x0e)', 10],
    console: '*Carriers*: Down, with the reason',
    alerts: CARRIER_ALERTS,
    shows: 'bongsu carrier list',
    mends:
      'Correct `systemId` and `password`, or have the carrier unlock the account; then `SIGHUP` or `bongsu carrier reconnect sky`.',
  },
  linkCut: {
    what: 'The link to an SMSC is cut, and cannot be made again',
    log: ['linkLost', 5],
    doctor: ['problem carriers: The carrier sky is down: connect ECONNREFUSED …', 10],
    status: ['sky: down: connect ECONNREFUSED …', 10],
    console: '*Carriers*: Down, with the reason',
    alerts: CARRIER_ALERTS,
    shows: 'bongsu carrier list',
    mends: 'Check the network and the firewall, then ask the carrier. The gateway binds again automatically.',
  },
  submitsUnanswered: {
    what: 'An SMSC answers `enquire_link`, but no submit',
    log: ['noResponse', 65],
    doctor: [
      'problem carriers: The carrier sky is full: bound to …',
      25,
      'problem carriers: The carrier sky is down: submits are not answered',
    ],
    status: ['sky: full: bound to …', 20],
    console: '*Carriers*: Not answering, later Down',
    alerts: { BongsuCarrierDown: 285, BongsuMessagesWait: 270, BongsuCarrierSilent: 375 },
    shows: 'bongsu carrier list',
    mends:
      'Ask the carrier which messages it took, and settle them by its answer (`bongsu messages settle`): until then they are unknown.',
  },
  accountRefused: {
    what: 'An SMSC is bound and refuses our account for each submit',
    log: ['accountRefused', 5],
    doctor: ['problem carriers: The carrier sky is down: it refuses messages: ESME_RINVPASWD', 10],
    status: ['sky: down: it refuses messages: ESME_RINVPASWD', 10],
    console: '*Carriers*: Resting, with the reason',
    alerts: CARRIER_ALERTS,
    shows: 'bongsu carrier list',
    mends: `${ASK} Until then one message at a time is tried; when the carrier accepts one, the rest follows.`,
  },
  http401: {
    what: 'A provider answers HTTP 401',
    log: ['resting', 10],
    doctor: ['problem carriers: The carrier sky is down: it refuses messages: status 401', 10],
    status: ['sky: down: it refuses messages: status 401', 10],
    console: '*Carriers*: Resting, with the reason',
    alerts: CARRIER_ALERTS,
    shows: 'bongsu carrier list',
    mends: 'Renew the key or password of the carrier, then `SIGHUP`. No message fails meanwhile.',
  },
  http500: {
    what: 'A provider answers HTTP 500',
    log: ['resting', 10],
    doctor: ['problem carriers: The carrier sky is down: the provider answered with status 500', 20],
    status: ['sky: down: the provider answered with status 500', 10],
    console: '*Carriers*: Resting, with the reason',
    alerts: { ...CARRIER_ALERTS, BongsuCarrierSilent: 375 },
    shows: 'bongsu carrier list',
    mends:
      'Ask the provider, also which messages it took: they are unknown unless a rule of `outcomes` says otherwise (`bongsu messages settle`).',
  },
  receiverDown: {
    what: 'The webhook receiver of an account is down',
    log: ['webhookFails', 10],
    doctor: ['warning webhooks: The webhook of shop has failed since …: HTTP 503; expected 200', 10],
    status: null,
    console: '*Webhooks*: The receiver keeps failing (circuit breaker open), with the last error',
    alerts: { BongsuWebhookFails: 630 },
    shows: 'bongsu webhook show ID',
    mends:
      'Tell the client. Its reports wait, and it is called again automatically; `bongsu webhook test ID` makes a test call.',
  },
  databaseAway: {
    what: 'PostgreSQL is away',
    log: ['storeAway', 5],
    doctor: ['problem store: The store has not answered since …: the database cannot be reached: …', 10],
    status: ['ready: no: the store does not answer', 10],
    console: 'every page says `A920`',
    alerts: { BongsuStoreDown: 45 },
    shows: 'bongsu status --url URL',
    mends: 'Bring PostgreSQL back; the node recovers automatically. Nothing accepted is lost.',
  },
  diskFull: {
    what: 'The disk of the store is full (SQLite)',
    log: ['diskLow', 10],
    doctor: ['problem store: The disk of the store has been full since …', 10],
    status: ['ready: no: the disk of the store is full', 10],
    console: '*Carriers*: Down, with the reason',
    alerts: { BongsuStoreDown: 45, BongsuDiskFull: 75, BongsuDiskNearlyFull: 315 },
    shows: 'bongsu doctor --url URL',
    mends: 'Free space or enlarge the disk; the node recovers automatically. Nothing accepted is lost.',
  },
  nodeKilled: {
    what: 'A node of two is killed',
    log: ['nodeGone', 15],
    doctor: ['warning nodes: The node n2 on … has stopped reporting', 15],
    status: ['sky: gone: its node has died', 15],
    console: '*Nodes*: Gone',
    alerts: { BongsuDown: 75 },
    shows: 'bongsu node list',
    mends:
      'Nothing at once: the other node has taken over. Start it under its name, or `bongsu node forget n2`.',
  },
} as const satisfies Record<string, Trouble>;

export type TroubleName = keyof typeof TROUBLES;
