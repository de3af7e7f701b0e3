/** The wall that holds where a WHERE does not: see src/store/postgres/row-security.ts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, type TestContext, test } from 'node:test';
import { Client, type QueryResultRow } from 'pg';
import type {
  AccountId,
  FileKey,
  FormId,
  MsgKey,
  ReportId,
  RequestId,
  ResvKey,
} from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { openPostgresStore, type PostgresOptions } from '../../src/store/postgres/postgres-store.ts';
import { raiseWall } from '../../src/store/postgres/row-security.ts';
import type { FileRow } from '../../src/store/store.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { inboundMessage } from './contract/inbound.ts';
import { newReservation } from './contract/reservations.ts';
import { ACME, accountNamed, GLOBEX, StoreUnderTest } from './contract/store-under-test.ts';

/** What is done for an account reaches these tables and no others. */
const REACHED = [
  ...['account_usage', 'file', 'form', 'idempotency', 'inbound', 'inbound_batch', 'job', 'message', 'node'],
  ...[
    'opt_out',
    'opt_out_list',
    'recent_send',
    'registry',
    'report',
    'report_batch',
    'report_queue',
    'request',
    'reservation',
  ],
  ...['reservation_list', 'template_history', 'token', 'webhook_delivery', 'webhook_off', 'webhook_secret'],
];

/** Of several accounts at once nothing else can be read: requests that are stored together have keys. */
const READ_TOGETHER = ['idempotency'];

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

type Sql = (text: string, values?: unknown[]) => Promise<QueryResultRow[]>;

async function connectTo(t: TestContext, url: string): Promise<Sql> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return async (text, values) => (await client.query(text, values)).rows;
}

async function openNode(t: TestContext, url: string, options: Partial<PostgresOptions> = {}) {
  const clock = new ManualClock();
  const store = await openPostgresStore({ url, now: () => clock.now(), rowSecurity: 'on', ...options });
  t.after(() => store.close());
  return new StoreUnderTest(store, clock, async () => store);
}

/** Rows in every table that has an account. */
async function fillFor(node: StoreUnderTest, account: AccountId): Promise<void> {
  const { store, clock } = node;
  await store.accounts.create(accountNamed(account));
  await store.tokens.add({ hash: `token of ${account}`, account, expiresAt: 1, epoch: 0 });
  await node.deliver({ account });
  await node.deliver({ account });
  const order = { account, lastOnly: false, windowMs: 1000, now: clock.now(), limit: 1 };
  assert.equal(await store.webhooks.collect(order), 1);
  assert.equal((await node.poll({ account }))?.records.length, 1);
  await node.send({ account, idempotency: { key: 'k', bodyHash: 'h', response: 'r' } });
  const noted = [{ msgKey: 'noted' as MsgKey, fingerprint: 'f' }];
  await store.recentSends.note({ account, tag: 't', sends: noted, now: clock.now(), windowMs: 1000 });
  await store.files.add(fileOf(account));
  await store.forms.put(formOf(account));
  await store.registry.put(account, [SENDER, TEMPLATE], { at: 1, by: 'kim' });
  await store.optOuts.add(account, [OPT_OUT], { at: 1, way: 'api', by: account });
  await store.inbound.add([inboundMessage(node, { account, text: `to ${account}` })]);
  const newId = () => `batch of ${account}`;
  assert.ok(await store.inbound.poll({ account, newId, limit: 1, since: 0, now: clock.now() }));
  const list = {
    requestId: `list of ${account}` as RequestId,
    recipients: [{ index: 0, to: '01012345678' }],
  };
  await store.reservations.reserve(
    newReservation(node, { account, resvKey: `of ${account}` as ResvKey, lists: [list] }),
  );
  const sealed = { id: `secret of ${account}`, sealed: 's', createdAt: 1 };
  await store.webhooks.addSecret(account, sealed, { previousUntil: 0, onlyFirst: true });
  await store.webhooks.switchOff(account, { url: 'u', reason: 'r', at: 1 });
}

const SENDER = { kind: 'sender', number: '0212345678' } as const;
const OPT_OUT = {
  number: '+821012345678',
  sender: '*',
  covers: 'advertisements',
  source: undefined,
} as const;
const TEMPLATE = { kind: 'rcsTemplate', formatId: 'TPL1', templateKind: 'free' } as const;

function formOf(account: AccountId) {
  return { account, formId: `form of ${account}` as FormId, entries: '[]', savedAt: 1 };
}

function fileOf(account: AccountId): FileRow {
  const image = { name: 'n', contentHash: 'h', bytes: 1, width: 1, height: 1, format: 'jpg' } as const;
  const fileKey = `file of ${account}` as FileKey;
  return { ...image, fileKey, account, service: 'MMS', kind: 'MMS', createdAt: 1, expiresAt: 2 };
}

/** In a transaction that is rolled back; under the role of accounts. */
async function asAccount(sql: Sql, account: string, text: string): Promise<QueryResultRow[]> {
  await sql('BEGIN');
  try {
    await sql(`SET LOCAL ROLE ${await roleName(sql)}`);
    await sql("SELECT set_config('bongsu.accounts', $1, true)", [account]);
    return await sql(text);
  } finally {
    await sql('ROLLBACK');
  }
}

async function roleName(sql: Sql): Promise<string> {
  const [row] = await sql("SELECT quote_ident(session_user || '_account') AS name");
  return String(row?.name);
}

async function tablesWithAccount(sql: Sql): Promise<string[]> {
  const rows = await sql(`
    SELECT table_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'account' ORDER BY table_name`);
  return rows.map(row => String(row.table_name));
}

test('an account reads and writes only its own rows, in every table that has an account', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  for (const account of [ACME, GLOBEX]) await fillFor(node, account);
  const sql = await connectTo(t, url);
  const walled = (await tablesWithAccount(sql)).filter(name => REACHED.includes(name));
  assert.equal(walled.length, REACHED.length - 1);
  for (const table of walled) {
    const of = (account: string) => `(SELECT count(*)::int FROM ${table} WHERE account = '${account}')`;
    const count = `SELECT ${of(ACME)} AS acme, ${of(GLOBEX)} AS globex, (SELECT count(*)::int FROM ${table}) AS all`;
    const [all] = await sql(count);
    assert.ok(all?.acme > 0 && all?.globex > 0, `${table} has rows of both`);
    const own = { acme: all?.acme, globex: 0, all: all?.acme };
    assert.deepEqual(await asAccount(sql, ACME, count), [own], `${table} as ${ACME}`);
    assert.deepEqual(await asAccount(sql, '', count), [{ acme: 0, globex: 0, all: 0 }], `${table} as nobody`);
    const both = READ_TOGETHER.includes(table) ? all : { acme: 0, globex: 0, all: 0 };
    assert.deepEqual(await asAccount(sql, `${ACME},${GLOBEX}`, count), [both], `${table} as both`);

    const refused = (text: string) =>
      assert.rejects(
        asAccount(sql, ACME, text),
        /row-level security|permission denied/,
        `${table} refuses: ${text}`,
      );
    const changed = async (text: string) => {
      const rows = await asAccount(sql, ACME, text).catch(error => {
        assert.match(String(error), /permission denied/);
        return [];
      });
      assert.ok(
        rows.every(({ account }) => account === ACME),
        `${table} keeps others' rows: ${text}`,
      );
    };
    await changed(`DELETE FROM ${table} RETURNING account`);
    await changed(`UPDATE ${table} SET account = account RETURNING account`);
    await refused(`UPDATE ${table} SET account = '${GLOBEX}'`);
    await sql('BEGIN');
    await sql(`CREATE TEMP TABLE others AS SELECT * FROM ${table} WHERE account = '${GLOBEX}' LIMIT 1`);
    await sql(`GRANT SELECT ON others TO ${await roleName(sql)}`);
    await sql('COMMIT');
    await refused(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM others`);
    await sql('DROP TABLE others');
  }
});

test('closes every other table to accounts, and partitions by their names', async t => {
  const url = await server.databaseFor(t);
  await openNode(t, url);
  const sql = await connectTo(t, url);
  const tables = await sql(`
    SELECT relname AS name, relrowsecurity AS is_walled FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`);
  const reached: string[] = [];
  for (const { name, is_walled } of tables) {
    const rows = await asAccount(sql, ACME, `SELECT FROM ${name}`).catch(error => {
      assert.match(String(error), /permission denied/);
    });
    if (rows) reached.push(String(name));
    // Which nodes there are is nobody's own.
    if (rows && name !== 'node') assert.equal(is_walled, true, `${name} has a policy`);
  }
  assert.deepEqual(reached, REACHED);
});

test('counts what an account has in our table, whatever else has its name', async t => {
  const url = await server.databaseFor(t);
  await openNode(t, url);
  const sql = await connectTo(t, url);
  await sql('CREATE TEMP TABLE account_usage (LIKE account_usage INCLUDING ALL)');
  await sql("INSERT INTO form (account, form_id, entries, saved_at) VALUES ('acme', 'FORM1', '[]', 1)");
  await sql("INSERT INTO file SELECT 'k', 'acme', 'MMS', 'MMS', 'a.jpg', 'h', 50, 1, 1, 'jpg', 1, 2");
  assert.deepEqual(await sql('SELECT FROM pg_temp.account_usage'), []);
  const [used] = await sql('SELECT forms::int, files::int FROM public.account_usage');
  assert.deepEqual(used, { forms: 1, files: 1 });
});

/** Everything in the store that is done for an account. */
function callsFor(
  node: StoreUnderTest,
  account: AccountId,
): Readonly<Record<string, () => Promise<unknown>>> {
  const { store, clock } = node;
  const now = clock.now();
  const request = node.request({ account });
  const { msgKey } = request.messages[0] ?? assert.fail();
  const idempotency = { key: 'k', bodyHash: 'h', response: 'r' };
  const order = { account, owner: 'o', lastOnly: false, windowMs: 1, limit: 1, now };
  return {
    usage: () => store.accounts.usage(account, now, 10),
    addToken: () => store.tokens.add({ hash: 'another', account, expiresAt: 1, epoch: 0 }),
    trimTokens: () => store.tokens.trim(account, 0, 10),
    accept: () => node.accept(request),
    acceptWithKey: () => node.accept(node.request({ account, idempotency })),
    find: () => store.messages.find(msgKey, account),
    poll: () => node.poll({ account }),
    acknowledge: () => store.reports.acknowledge(account, 'r' as ReportId, now),
    holds: () => store.reports.holds(account, 'r' as ReportId),
    inquire: () => node.inquire(msgKey, { account }),
    noteSends: () =>
      store.recentSends.note({ account, tag: 't', sends: [{ msgKey, fingerprint: 'f' }], now, windowMs: 1 }),
    forgetSends: () => store.recentSends.forget(account, [{ msgKey, fingerprint: 'f' }]),
    addFile: () => store.files.add(fileOf(account), { files: 10, bytes: 10_000 }),
    listFiles: () => store.files.list(1, account),
    findFiles: () => store.files.find(account, ['k' as FileKey]),
    createForm: () => store.forms.create(formOf(account), 10),
    putForm: () => store.forms.put(formOf(account)),
    findForm: () => store.forms.find(account, formOf(account).formId),
    listForms: () => store.forms.list({ limit: 1, maxBytes: 1, account }),
    removeForm: () => store.forms.remove(account, formOf(account).formId),
    addOptOut: () => store.optOuts.add(account, [OPT_OUT], { at: 1, way: 'api', by: account }),
    findOptOuts: () => store.optOuts.find(account, [OPT_OUT.number]),
    pageOptOuts: () => store.optOuts.page(account, { limit: 1, isCurrent: true }),
    pageOptOutsOfNumber: () => store.optOuts.page(account, { limit: 1, number: OPT_OUT.number }),
    countOptOuts: () => store.optOuts.count(account, 10),
    endOptOut: () => store.optOuts.end(account, 1, { at: 2, way: 'api', by: account }),
    consent: () =>
      store.optOuts.consent(account, [{ number: OPT_OUT.number, sender: undefined }], {
        ...{ at: 2, way: 'api', by: account },
      }),
    putRegistry: () => store.registry.put(account, [SENDER]),
    findRegistry: () => store.registry.find(account, [{ kind: 'sender', key: '0212345678' }]),
    listRegistry: () => store.registry.list(account),
    pageTemplates: () => store.templates.page(account, { after: undefined, limit: 1 }),
    findTemplate: () => store.templates.find(account, { kind: 'rcsTemplate', key: 'TPL1' }),
    replaceTemplate: () => store.templates.replace(account, TEMPLATE, 1, { at: 1, by: 'kim' }),
    templateHistory: () => store.templates.history(account, { kind: 'rcsTemplate', key: 'TPL1' }),
    removeRegistry: () => store.registry.remove(account, 'sender', '0212345678'),
    collect: () => store.webhooks.collect(order),
    claimDeliveries: () => store.webhooks.claim(order),
    giveBack: () => store.webhooks.giveBack(account, 'o', []),
    listDeliveries: () => store.webhooks.list({ account, state: undefined, before: undefined, limit: 1 }),
    returnToQueue: () => store.webhooks.returnToQueue(account, 'o', 10),
    countPending: () => store.webhooks.countPending(10, account),
    secrets: () => store.webhooks.secrets(account),
    switchOff: () => store.webhooks.switchOff(account, { url: 'u', reason: 'r', at: 1 }),
    findOff: () => store.webhooks.findOff(account),
    switchOn: () => store.webhooks.switchOn(account),
  };
}

test('does all that is done for an account under the role of accounts', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  for (const call of Object.values(callsFor(node, ACME))) await call();
  // Whatever still works now does not use the role.
  await sql(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${await roleName(sql)}`);
  for (const [name, call] of Object.entries(callsFor(node, ACME))) {
    await assert.rejects(call(), /permission denied/, name);
  }
  assert.equal((await node.store.accounts.list()).length, 0);
  assert.notEqual((await node.claim()).length, 0);
});

test('stores requests and tokens of several accounts together, and of no others', async t => {
  const url = await server.databaseFor(t);
  const commits: number[] = [];
  const node = await openNode(t, url, { onCommit: tasks => void commits.push(tasks) });
  const idempotency = { key: 'k', bodyHash: 'h', response: 'r' };
  const requests = [ACME, GLOBEX, ACME, GLOBEX].map(account => node.request({ account, idempotency }));
  const results = await Promise.all(requests.map(request => node.accept(request)));
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['stored', 'stored', 'replayed', 'replayed'],
  );
  assert.deepEqual(commits, [4]);
  const token = { expiresAt: 1, epoch: 0 };
  await Promise.all(
    [ACME, GLOBEX].map(account => node.store.tokens.add({ hash: account, account, ...token })),
  );
  const sql = await connectTo(t, url);
  const add = (account: string) =>
    `INSERT INTO token (hash, account, expires_at) VALUES ('x', '${account}', 1)`;
  await asAccount(sql, `${ACME},${GLOBEX}`, add(GLOBEX));
  await assert.rejects(asAccount(sql, `${ACME},${GLOBEX}`, add('initech')), /row-level security/);
});

test('sets the role up again where it has lost something', async t => {
  const url = await server.databaseFor(t);
  const sql = await connectTo(t, url);
  await openNode(t, url);
  await sql(`REVOKE INSERT ON request FROM ${await roleName(sql)}`);
  await (await openNode(t, url)).send();
});

test('keeps nothing of an account on the connection, whether its statement succeeds or fails', async t => {
  const url = await server.databaseFor(t);
  const db = new Database({ url, timeoutMs: 10_000 });
  t.after(() => db.close());
  assert.equal(await raiseWall(db), undefined);
  const who = `SELECT current_user AS who, current_setting('bongsu.accounts', true) AS accounts WHERE $1`;
  const [itself] = await db.query(who, [true]);
  const accounts = { who: `${itself?.who}_account`, accounts: ACME };
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual([...(await db.as(ACME).query(who, [true]))], [accounts]);
    assert.deepEqual([...(await db.as(ACME).transaction(tx => tx.query(who, [true])))], [accounts]);
    await assert.rejects(
      db.as(ACME).query('SELECT * FROM account WHERE id = $1', ['x']),
      /permission denied/,
    );
    await assert.rejects(
      db.as(ACME).transaction(tx => tx.query('SELECT * FROM account')),
      /permission denied/,
    );
    const now = await db.query(who, [true]);
    assert.deepEqual([...now], [{ who: itself?.who, accounts: '' }]);
  }
  // All at once, so that they take turns on the same connections.
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const account = `a${index % 3}` as AccountId;
      const [row] = index % 2 ? await db.query(who, [true]) : await db.as(account).query(who, [true]);
      return index % 2 ? row?.who === itself?.who : row?.accounts === account;
    }),
  );
  assert.deepEqual(new Set(answers), new Set([true]));
});

interface PlainLogin {
  readonly login: string;
  readonly url: string;
  readonly admin: Sql;
}

/** A login that owns its database and may do nothing else. */
async function plainLogin(t: TestContext): Promise<PlainLogin> {
  const login = `plain_${randomBytes(6).toString('hex')}`;
  const url = new URL(await server.createDatabase());
  const client = new Client(server.url);
  await client.connect();
  t.after(async () => {
    await server.dropDatabase(url.href);
    await client.query(`DROP ROLE IF EXISTS ${login}, ${login}_account`);
    await client.end();
  });
  const admin: Sql = async text => (await client.query(text)).rows;
  await admin(`CREATE ROLE ${login} LOGIN PASSWORD 'plain'`);
  await admin(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${login}`);
  const own = new URL(url);
  own.username = login;
  own.password = 'plain';
  return { login, url: own.href, admin };
}

test('says what is missing where the login may not create the role, and uses it once it is there', async t => {
  const { login, url, admin } = await plainLogin(t);
  const reasons: string[] = [];
  const onNoRowSecurity = (reason: string) => void reasons.push(reason);
  const without = await openNode(t, url, { rowSecurity: 'auto', onNoRowSecurity });
  await without.deliver();
  await without.store.close();
  const remedy = `CREATE ROLE "${login}_account" NOLOGIN; GRANT "${login}_account" TO "${login}";`;
  assert.deepEqual(reasons, [
    `${login} cannot create or use the role ${login}_account; as a superuser: ${remedy}`,
  ]);
  await assert.rejects(openNode(t, url), /no row security: plain_/);
  await admin(remedy);
  const walled = await openNode(t, url, { rowSecurity: 'auto', onNoRowSecurity });
  assert.equal(reasons.length, 1);
  walled.clock.advance(1000);
  await fillFor(walled, GLOBEX);
  const sql = await connectTo(t, url);
  const accounts = 'SELECT DISTINCT account FROM message ORDER BY account';
  assert.deepEqual(await asAccount(sql, GLOBEX, accounts), [{ account: GLOBEX }]);
  // The owner is not held: an older node, psql and pg_dump see what they saw before.
  assert.deepEqual(await sql(accounts), [{ account: ACME }, { account: GLOBEX }]);
  await sql('SET row_security = off');
  assert.equal((await sql(accounts)).length, 2);
});

test('is off by setting', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url, { rowSecurity: 'off' });
  const sql = await connectTo(t, url);
  await sql(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${await roleName(sql)}`);
  await node.deliver();
});
