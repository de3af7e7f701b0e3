/** A row that a frozen node holds: who asks for it waits, and takes no connection of others meanwhile. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import {
  type FileKey,
  type FormId,
  type ReportId,
  type RequestId,
  type ResvKey,
  timePrefix,
} from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { operatorToken, sessionNamed } from './contract/operator.ts';
import { newReservation } from './contract/reservations.ts';
import { ACME, accountNamed, PROFILE, StoreUnderTest } from './contract/store-under-test.ts';
import { file } from './contract/usage.ts';

const ADDRESS = { hash: 'h', owner: ACME, seenAt: 1 };
const OFF = { url: 'http://a/', reason: 'gone', at: 1 } as const;
const SENDER = { kind: 'sender', number: '0212345678' } as const;
const FORM = { account: ACME, formId: 'FORM1' as FormId, entries: '[]', savedAt: 1 };
const SINCE = { at: 1000, way: 'api', by: ACME } as const;
const optOutOf = (number: string) =>
  ({ number, sender: '*', covers: 'advertisements', source: undefined }) as const;

/** Twice as many as there are connections. */
const CALLS = 16;
/** Far less than a lock is waited for, and far more than it takes to ask. */
const SOON_MS = 2_000;
const RESERVATION = { resvKey: '0'.repeat(26) as ResvKey, account: ACME };

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

interface Held {
  /** What is there before, and what the frozen node did. */
  readonly prepare: (bench: StoreUnderTest, sql: (text: string) => Promise<unknown>) => Promise<unknown>;
  readonly hold: string;
  readonly call: (bench: StoreUnderTest) => Promise<unknown>;
}

const HELD: Readonly<Record<string, Held>> = {
  'a poll for reports': {
    prepare: (bench, sql) =>
      sql(`INSERT INTO report_queue (account, msg_key, step, is_last, reported_at)
           VALUES ('${ACME}', 'k', 0, 1, ${bench.clock.now()})`),
    hold: `INSERT INTO report_batch (account, report_id, created_at) VALUES ('${ACME}', 'batch', 1)`,
    call: bench => bench.poll(),
  },
  'an acknowledgement of reports': {
    prepare: (_, sql) =>
      sql(`INSERT INTO report_batch (account, report_id, created_at) VALUES ('${ACME}', 'batch', 1)`),
    hold: 'SELECT FROM report_batch FOR UPDATE',
    call: ({ store, clock }) => store.reports.acknowledge(ACME, 'batch' as ReportId, clock.now()),
  },
  'an acknowledgement of inbound messages': {
    prepare: (_, sql) =>
      sql(`INSERT INTO inbound_batch (account, batch_id, created_at) VALUES ('${ACME}', 'batch', 1)`),
    hold: 'SELECT FROM inbound_batch FOR UPDATE',
    call: ({ store, clock }) => store.inbound.acknowledge(ACME, 'batch', clock.now()),
  },
  'an address that is remembered': {
    prepare: ({ store }) => store.accounts.rememberAddress(ADDRESS, 10),
    hold: 'SELECT FROM known_address FOR UPDATE',
    call: ({ store }) => store.accounts.rememberAddress(ADDRESS, 10),
  },
  'a new account': {
    prepare: async () => {},
    hold: `INSERT INTO account (id, password_hash, blocked, token_epoch, created_at, settings)
           SELECT 'globex', password_hash, blocked, token_epoch, created_at, settings FROM account`,
    call: ({ store }) => store.accounts.create(accountNamed('globex')),
  },
  'a change of an account': {
    prepare: async () => {},
    hold: 'SELECT FROM account FOR UPDATE',
    call: ({ store }) => store.accounts.update(ACME, account => account),
  },
  'a new secret of a webhook': {
    prepare: async () => {},
    hold: 'SELECT FROM account FOR UPDATE',
    call: ({ store }) =>
      store.webhooks.addSecret(
        ACME,
        { id: 's1', sealed: 'sealed', createdAt: 1 },
        { previousUntil: 2, onlyFirst: true },
      ),
  },
  'a webhook that is switched off': {
    prepare: ({ store }) => store.webhooks.switchOff(ACME, OFF),
    hold: 'SELECT FROM webhook_off FOR UPDATE',
    call: ({ store }) => store.webhooks.switchOff(ACME, OFF),
  },
  'an entry of the registry': {
    prepare: ({ store }) => store.registry.put(ACME, [SENDER]),
    hold: 'SELECT FROM registry FOR UPDATE',
    call: ({ store }) => store.registry.put(ACME, [SENDER]),
  },
  'a form': {
    prepare: ({ store }) => store.forms.put(FORM),
    hold: 'SELECT FROM form FOR UPDATE',
    call: ({ store }) => store.forms.put(FORM),
  },
  'a form that is removed': {
    prepare: ({ store }) => store.forms.put(FORM),
    hold: 'SELECT FROM account_usage FOR UPDATE',
    call: ({ store }) => store.forms.remove(ACME, FORM.formId),
  },
  'a file that is ended': {
    prepare: ({ store }) => store.files.add(file('k1')),
    hold: 'SELECT FROM file FOR UPDATE',
    call: ({ store }) => store.files.expire('k1' as FileKey, 1),
  },
  'consent after an opt-out': {
    prepare: ({ store }) => store.optOuts.add(ACME, [optOutOf('+821012345678')], SINCE),
    hold: 'SELECT FROM opt_out FOR UPDATE',
    call: ({ store }) => store.optOuts.consent(ACME, [{ number: '+821012345678', sender: undefined }], SINCE),
  },
  'a request that is taken back': {
    prepare: bench => bench.accept(bench.request({ requestId: bench.requestIdAt(0) })),
    hold: 'SELECT FROM job FOR UPDATE',
    call: ({ store }) => store.messages.withdraw(`${timePrefix(0)}${'0'.repeat(19)}` as RequestId),
  },
  'a carrier that is to reconnect': {
    prepare: ({ store }) => store.carriers.reconnect('alpha'),
    hold: 'SELECT FROM carrier_reconnect FOR UPDATE',
    call: ({ store }) => store.carriers.reconnect('alpha'),
  },
  'a node that is drained': {
    prepare: ({ store }) => store.nodes.heartbeat('node-1', 60_000, PROFILE),
    hold: 'SELECT FROM node FOR UPDATE',
    call: ({ store }) => store.nodes.drain('node-1', 1),
  },
  'a session that is used': {
    prepare: ({ store }) => store.sessions.add(sessionNamed('h'), 10),
    hold: 'SELECT FROM session FOR UPDATE',
    call: ({ store }) => store.sessions.used('h', 1),
  },
  'the role of an operator': {
    prepare: ({ store }) => store.operatorTokens.add(operatorToken('kim'), 10),
    hold: 'SELECT FROM operator_token FOR UPDATE',
    call: ({ store }) => store.operatorTokens.setRole('kim', 'admin'),
  },
  'a change of a reservation': {
    prepare: bench =>
      bench.store.reservations.reserve(newReservation(bench, { resvKey: RESERVATION.resvKey, lists: [] })),
    hold: 'SELECT FROM reservation FOR UPDATE',
    call: ({ store, clock }) => store.reservations.move(RESERVATION, ['PENDING'], 'STOPPED', clock.now()),
  },
};

for (const [name, { prepare, hold, call }] of Object.entries(HELD)) {
  test(`${name} that waits for a row takes no connection of others`, async t => {
    const { bench, connect } = await openBench(t);
    const holder = await connect();
    await prepare(bench, text => holder.query(text));
    await holder.query('BEGIN');
    await holder.query(hold);
    const calls = Array.from({ length: CALLS }, () => call(bench));
    const startedAt = performance.now();
    for (let time = 0; time < CALLS; time++) await bench.store.ping();
    const waitedMs = performance.now() - startedAt;
    await holder.query('ROLLBACK');
    await Promise.all(calls);
    assert.ok(waitedMs < SOON_MS, `the others waited ${waitedMs} ms`);
  });
}

test('calls of a node for one row are served in the order in which they came', async t => {
  const { bench, connect } = await openBench(t);
  const holder = await connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT pg_advisory_xact_lock(hashtextextended('${ACME}', 27))`);
  const numbers = Array.from({ length: 10 * CALLS }, (_, index) => `+8210${10_000_000 + index}`);
  const calls = numbers.map(number => bench.store.optOuts.add(ACME, [optOutOf(number)], SINCE));
  await bench.store.ping();
  await holder.query('ROLLBACK');
  await Promise.all(calls);
  const stored = await bench.store.optOuts.page(ACME, { limit: numbers.length });
  assert.deepEqual(
    stored.map(({ number }) => number),
    numbers.toReversed(),
  );
});

async function openBench(t: TestContext) {
  const url = server.direct(await server.databaseFor(t));
  const clock = new ManualClock();
  const open = () => openPostgresStore({ url, now: () => clock.now() });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  await bench.store.accounts.create(accountNamed(ACME));
  async function connect(): Promise<Client> {
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    t.after(() => client.end());
    return client;
  }
  return { bench, connect };
}
