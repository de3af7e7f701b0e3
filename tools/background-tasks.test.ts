/** What repeats itself in a node is in the table of background tasks; every other timer is here, with what ends it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { BACKGROUND_TASKS } from '../src/domain/background-tasks.ts';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const TABLE = 'domain/background-tasks.ts';
const TIMER =
  /(?<![.\w])set(?:Timeout|Interval)\(|\.schedule\(|'node:timers\/promises'|(?<![.\w])sleep\(|new Repeater\(/;

/** They start tasks of the table. */
const STARTERS: readonly string[] = [
  'observe/background.ts',
  'carriers/http/receipt-poller.ts',
  'carriers/omni/silent-inquiries.ts',
  'store/postgres/database.ts',
];

/** Timers of each file by what they belong to: with it they end. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'the clock, and tools made of it': [
    'platform/clock.ts',
    'platform/cluster-clock.ts',
    'platform/repeater.ts',
    'platform/expiry.ts',
    'platform/rest-while-busy.ts',
    'store/store-time.ts',
  ],
  'a command': ['cli/bulk.ts', 'cli/node.ts', 'cli/send.ts', 'cli/watch.ts'],
  'the start, or the end, of the process': [
    'main.ts',
    'platform/garbage.ts',
    'composition/stop-steps.ts',
    'store/postgres/migrate.ts',
  ],
  'a request, or a queue of them': [
    'accept/acceptance.ts',
    'http/contract/upload.ts',
    'http/front/engine-agent.ts',
    'http/front/turns.ts',
    'http/operator/long-answer.ts',
    'operate/doctor.ts',
    'operate/store-watch.ts',
    'platform/outbound.ts',
    'platform/pieces.ts',
    'store/postgres/busy.ts',
    'store/s3/bucket.ts',
  ],
  'a backup, an erasure, or a change of the data key': [
    'composition/backups.ts',
    'operate/data-keys.ts',
    'store/sqlite/erasure-rest.ts',
  ],
  'an HTTP connection, or a stream': [
    'http/front/front-server.ts',
    'http/front/written-answer.ts',
    'observe/live-feed.ts',
  ],
  'a link to a carrier, or a message on it': [
    'carriers/omni/sender.ts',
    'carriers/omni/trial-inquiry.ts',
    'carriers/simulator/simulator.ts',
    'carriers/smpp/inbound-inbox.ts',
    'carriers/smpp/link.ts',
    'carriers/smpp/part-sender.ts',
    'carriers/smpp/receipt-inbox.ts',
    'carriers/smpp/session.ts',
    'carriers/smpp/slowdown.ts',
    'carriers/smpp/smpp-carrier.ts',
    'deliver/lane.ts',
    'deliver/outcomes.ts',
    'deliver/receipt-owners.ts',
    'report/webhook/lane.ts',
  ],
  'a connection to the database': [
    'store/postgres/connection.ts',
    'store/postgres/listener.ts',
    'store/postgres/lost-sessions.ts',
    'store/postgres/pool.ts',
  ],
  'a thread: measures how late its event loop is': ['platform/loop-watch.ts'],
  'the process: tells systemd that it lives': ['platform/service-manager.ts'],
};

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  file => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);

function sourceOf(file: string): string {
  return readFileSync(join(SRC, file), 'utf8');
}

test('every timer of the gateway is a task of the table, or belongs to something that ends', () => {
  const known = [...STARTERS, ...Object.values(OTHERS).flat()];
  const unknown = FILES.filter(file => TIMER.test(sourceOf(file)) && !known.includes(file));
  assert.deepEqual(unknown, [], `a task goes into ${TABLE}, any other timer into OTHERS`);
});

test('every task of the table is run by something', () => {
  const sources = FILES.filter(file => file !== TABLE).map(sourceOf);
  for (const name of Object.keys(BACKGROUND_TASKS)) {
    const isRun = sources.some(source => source.includes(`'${name}'`) || source.includes(`_TASKS.${name}.`));
    assert.ok(isRun, `nothing runs "${name}"`);
  }
});
