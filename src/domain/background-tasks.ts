/**
 * Every task that a node repeats. Tasks are started from this table (background.ts of observe), a failure is logged and
 * counted under the name of the task, and docs/background-tasks.md is made from it.
 */

/** `all nodes`: each passes over rows that another has locked, and doing it twice does no harm. */
type By = 'each node' | 'all nodes' | 'one node';

export interface BackgroundTask {
  /** Pause after each run. */
  readonly everyMs: number;
  /** `each node` does it for itself; of `all nodes` and `one node` the work is shared. */
  readonly by: By;
  readonly does: string;
  /** Limit of one run. */
  readonly limit: string;
  /** Connections to the database at the same time; without it one. */
  readonly connections?: string;
  /** Without it the next run finds the same rows. */
  readonly afterFailure?: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

function task(by: By, everyMs: number, text: Omit<BackgroundTask, 'by' | 'everyMs'>): BackgroundTask {
  return { by, everyMs, ...text };
}

export const BACKGROUND_TASKS = {
  // This node in the cluster.
  heartbeat: task('each node', SECOND_MS, {
    does: 'renews the lease of this node, publishes its carriers and reads those of others',
    limit: 'a row for each live node',
    afterFailure: 'after 4 s the node sends nothing until it has a lease again; others take over its steps',
  }),
  'take over': task('all nodes', SECOND_MS, {
    does: 'takes over steps of nodes whose lease has ended; retries rows that could not be read',
    limit: '2,000 steps at a time (SQLite: 1,000)',
  }),
  'stray claims': task('each node', SECOND_MS, {
    does: 'gives back steps that the store assigns to this node and that it does not hold',
    limit: '5,000 steps; every five minutes, each second for a minute after an answer was lost',
  }),
  'paused carriers': task('each node', SECOND_MS, {
    does: 'reads which carriers are paused or to be reconnected, and whether this node is drained',
    limit: 'a row for each such carrier',
    afterFailure: 'the last values stay',
  }),
  'rate shares': task('each node', SECOND_MS, {
    does: "leases this node's share of the rate of each carrier",
    limit: 'a row for each carrier with a rate',
    afterFailure: 'after 3 s the node sends nothing by these carriers',
  }),
  'tell carriers': task('each node', SECOND_MS, {
    does: 'updates the metrics of carriers, and their state in the store',
    limit: 'a row for each carrier, on a change or every 10 s',
    afterFailure: 'others see the old state',
  }),
  'shared limits': task('each node', SECOND_MS, {
    does: 'PostgreSQL: returns leased limits that are not used; every minute deletes those that are full again',
    limit: '1,000 limits; deletes 10,000 at a time',
    afterFailure: 'what was returned is lost, and refills',
  }),
  announcements: task('each node', SECOND_MS, {
    connections: 'none',
    does: 'PostgreSQL behind a pooler without NOTIFY: drops cached accounts and settings',
    limit: 'no statement',
    afterFailure: 'cannot fail',
  }),

  // The queue.
  claim: task('all nodes', 200, {
    connections: 'one a carrier',
    does: 'lane of a carrier: claims steps and submits them; new steps wake it earlier',
    limit: '100 steps, within window and rate of the carrier',
    afterFailure: 'the lane rests for a second; "stray claims" gives back a claim whose answer was lost',
  }),
  release: task('all nodes', 200, {
    does: 'puts steps that were put off back into the queue when their time has come',
    limit: '500 steps at a time',
  }),
  deadlines: task('all nodes', SECOND_MS, {
    does: 'ends steps whose deadline has passed',
    limit: '500 steps at a time',
  }),
  'parked receipts': task('all nodes', SECOND_MS, {
    does: 'settles receipts that arrived before the answer with their reference',
    limit: '500 receipts',
  }),
  'orphan receipts': task('all nodes', 10 * SECOND_MS, {
    does: 'settles steps whose answer was lost by receipts that can only be about them',
    limit: 'the 10,000 oldest steps in doubt',
  }),
  reroute: task('all nodes', SECOND_MS, {
    does: 'moves steps to another carrier when no live node has theirs up; refuses them when no node has a route',
    limit: '500 steps of 100 accounts a carrier; the next run goes on after them',
  }),
  'measure queue': task('each node', SECOND_MS, {
    does: 'counts the queue, for metrics, readiness and BONGSU_QUEUE_LIMIT',
    limit: 'one count; then rests 20 times as long as it took',
    afterFailure: 'the last count stays',
  }),
  reservations: task('one node', 500, {
    connections: 'one an account, up to eight',
    does: 'releases reservations whose time has come; every 25 ms while one is in progress',
    limit:
      '500 begin at a time; of an account 20 and 20 others a turn, 4 lists of each, 2,000 ready steps for a carrier',
    afterFailure: 'one that fails rests for 5 s; another node takes over when this one loses its lease',
  }),

  // Carriers.
  'fetch receipts': task('one node', SECOND_MS, {
    does: 'fetches receipts from a provider, at the interval of its carrier in bongsu.yaml',
    limit: 'one batch of the provider',
    afterFailure: 'the pause doubles up to 5 min, and another node may fetch (`pollFailed`)',
  }),
  'ask for silent messages': task('one node', 10 * SECOND_MS, {
    does: 'asks an upstream service for messages without a report, shortly before their deadline',
    limit: '50 messages',
    afterFailure: 'the next run asks again (`inquiryFailed`)',
  }),

  // What people send, and opt-outs.
  'inbound rules': task('all nodes', SECOND_MS, {
    connections: 'up to eight',
    does: 'applies rules (opt-outs, automatic replies) to inbound messages whose node died before it had',
    limit: '100 messages at a time',
    afterFailure: 'a message that fails is retried later and delays no other',
  }),
  'inbound parts': task('all nodes', MINUTE_MS, {
    connections: 'up to eight',
    does: 'stores long inbound messages whose missing parts did not come for an hour',
    limit: '50 messages at a time',
    afterFailure: 'a message that fails waits for the next run',
  }),
  'read opt-out lists': task('each node', SECOND_MS, {
    does: 'reads which accounts have opt-outs, and whether these cover more than advertisements',
    limit: 'a row for each account with a list',
    afterFailure: 'new lists of other nodes are not known yet',
  }),

  // Reports.
  'webhook retries': task('each node', SECOND_MS, {
    connections: 'one, and one a lane that claims',
    does: 'wakes the lanes of accounts whose webhook deliveries are due',
    limit:
      'a row for each account with pending deliveries; 8 claimed a call, 256 calls; 500 records of an account go back to polling at a time',
  }),
  'webhook accounts': task('each node', 3 * SECOND_MS, {
    does: 'reads which accounts have a webhook, wakes their lanes, finds deliveries that this node holds unknowingly',
    limit: 'all accounts; counts pending deliveries up to 100,000',
    afterFailure: 'the last values stay',
  }),

  // What operators see.
  'tell health': task('each node', SECOND_MS, {
    does: 'looks at store, durability (every 10 s), disk and carriers, for the metrics',
    limit: 'one small statement; a write after 10 s without a commit',
    afterFailure: 'a store that does not answer counts as down',
  }),
  'index messages': task('all nodes', SECOND_MS, {
    does: 'writes the search index of operators',
    limit: '250 messages at a time, 150 ms of each second; 25 ms while the node is busy',
  }),
  'count messages': task('all nodes', SECOND_MS, {
    does: 'counts messages into the sums of the traffic',
    limit: '100 messages at a time, 100 ms of each second; 15 ms while the node is busy',
  }),
  'write statistics': task('each node', 4 * SECOND_MS, {
    does: 'writes what was counted by the minute',
    limit: 'a row for each minute and count',
    afterFailure: 'the batch is written again under its number, so it counts once',
  }),
  'write sums of carriers': task('each node', 4 * SECOND_MS, {
    does: 'writes what went to each carrier by the minute',
    limit: 'a row for each minute and carrier',
    afterFailure: 'the batch is written again under its number, so it counts once',
  }),
  'live events of other nodes': task('each node', 250, {
    does: 'exchanges the newest live events between nodes',
    limit: 'a row of 50 events for each node; nothing while nobody watches',
    afterFailure: 'those events are missing on the page',
  }),
  'look up a watcher': task('each node', 2 * SECOND_MS, {
    connections: 'one a stream',
    does: 'checks that the token of each open live stream is still valid',
    limit: 'one look-up; 50 streams',
    afterFailure: 'the stream goes on, for 15 min at most',
  }),

  // How long things are kept.
  'make days': task('all nodes', MINUTE_MS, {
    does: 'PostgreSQL: creates the partitions of the next three days, also while the time is in doubt',
    limit: 'a partition waits 100 ms for its lock; the first that fails ends the run',
    afterFailure: 'after runs without a lock 1, 3, 7 … 60 runs are left out',
  }),
  sweep: task('all nodes', MINUTE_MS, {
    does: 'drops old days (PostgreSQL); deletes expired messages, records, tokens, idempotency keys, parked receipts, deliveries',
    limit: '1,000 rows of a table at a time (SQLite: 500); partitions as in "make days"',
    afterFailure: 'a part that fails ends no other; partitions as in "make days"',
  }),
  'sweep inbound': task('all nodes', MINUTE_MS, {
    does: 'removes texts of inbound messages, and deletes expired ones',
    limit: '1,000 rows of a kind at a time (SQLite: 500)',
    afterFailure: 'a part that fails ends no other',
  }),
  'sweep reservations': task('all nodes', MINUTE_MS, {
    does: 'cancels reservations that nobody decided about; deletes texts and recipients of finished ones',
    limit: '500 rows of a kind at a time (SQLite: 100)',
    afterFailure: 'a part that fails ends no other',
  }),
  'remove texts': task('all nodes', MINUTE_MS, {
    does: 'removes texts and variables after BONGSU_TEXT_RETENTION',
    limit: '1,000 messages or 4 MB at a time, 1,000 times',
    afterFailure: 'the next run goes on from there',
  }),
  'complete erasures': task('all nodes', MINUTE_MS, {
    connections: 'one, and one for VACUUM',
    does: 'erases what an order to erase could not reach at once',
    limit: 'everything left of open orders, page by page; ends after 100 failures',
    afterFailure: 'the order stays open',
  }),
  'purge accounts': task('all nodes', MINUTE_MS, {
    does: 'deletes what deleted accounts had',
    limit: '500 rows at a time',
  }),
  'sweep files': task('all nodes', MINUTE_MS, {
    does: 'deletes uploaded files that have expired or that nothing needs',
    limit: '200 files at a time; ends after 1,000 failures',
    afterFailure: 'a file that fails stays, and the others go',
  }),
  'sweep operator': task('all nodes', 10 * MINUTE_MS, {
    does: 'deletes expired sessions, statistics, sums, audit entries, ended opt-outs and finished orders to erase',
    limit: '1,000 rows of a kind, 5,000 sums (SQLite: 2,000) at a time; sessions, tokens and orders at once',
    afterFailure: 'a part that fails ends no other',
  }),
} satisfies Readonly<Record<string, BackgroundTask>>;

export type BackgroundTaskName = keyof typeof BACKGROUND_TASKS;
