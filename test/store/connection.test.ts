/** One connection to PostgreSQL: what is sent together fails together, and the connection stays in step with the server. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { Connection } from '../../src/store/postgres/connection.ts';
import { ConnectionLost, isSqlState, UNIQUE_VIOLATION } from '../../src/store/postgres/faults.ts';
import { type StatementParameters, Statements } from '../../src/store/postgres/statement.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';

const INSERT = 'INSERT INTO pair VALUES ($1::bigint, $2)';
const COUNT = 'SELECT count(*) AS rows FROM pair WHERE id >= $1::bigint';

let server: TestPostgres;
const statements = new Statements();

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

async function opened(t: TestContext, url: string) {
  const connection = new Connection({ connectionString: url }, systemClock);
  await connection.open(10_000);
  t.after(() => connection.end());
  const ask = (text: string, parameters?: StatementParameters) =>
    connection.ask(statements.of(text, parameters), () => 10_000);
  return { connection, ask };
}

async function withPairs(t: TestContext) {
  const url = await server.databaseFor(t);
  const session = await opened(t, url);
  await session.ask('CREATE TEMPORARY TABLE pair (id bigint PRIMARY KEY, name text)');
  return session;
}

test('statements of one turn of a transaction each get their own rows', async t => {
  const { ask } = await withPairs(t);
  await ask('BEGIN');
  for (const first of [1, 11]) {
    const [one, two, none, rows] = await Promise.all([
      ask(INSERT, [first, 'a "quoted" name']),
      ask(INSERT, [first + 1, null]),
      ask('DELETE FROM pair WHERE id = $1::bigint', [999]),
      ask('SELECT id, name FROM pair WHERE id >= $1::bigint ORDER BY id', [first]),
    ]);
    assert.deepEqual([one.count, two.count, none.count], [1, 1, 0]);
    assert.deepEqual(
      [...rows],
      [
        { id: first, name: 'a "quoted" name' },
        { id: first + 1, name: null },
      ],
    );
  }
  await ask('COMMIT');
});

test('one that fails in the middle fails those of its turn, and the connection goes on', async t => {
  const { connection, ask } = await withPairs(t);
  await ask(INSERT, [1, 'there']);
  await ask('BEGIN');
  const answers = await Promise.allSettled([
    ask(INSERT, [2, 'before']),
    ask(INSERT, [1, 'again']),
    // Never prepared before.
    ask(COUNT, [0]),
    ask('SELECT 1'),
  ]);
  for (const answer of answers.slice(0, 3))
    assert.ok(answer.status === 'rejected' && isSqlState(answer.reason, UNIQUE_VIOLATION));
  assert.ok(answers[3]?.status === 'rejected' && isSqlState(answers[3].reason, '25P02'));
  assert.equal(connection.hasFailedTransaction, true);
  await ask('ROLLBACK');
  assert.equal(connection.hasFailedTransaction, false);
  assert.equal((await ask(COUNT, [0]))[0]?.rows, 1);
  assert.equal((await ask(INSERT, [2, 'after'])).count, 1);
});

test('a statement that fails when it is first used can be used again', async t => {
  const { ask } = await withPairs(t);
  const text = 'SELECT 10 / $1::int AS share';
  await assert.rejects(ask(text, [0]), /division by zero/);
  assert.equal((await ask(text, [5]))[0]?.share, 2);
  await assert.rejects(ask(text, [0]), /division by zero/);
  assert.equal((await ask(text, [2]))[0]?.share, 5);
  await ask('BEGIN');
  const both = await Promise.all([ask(COUNT, [1]), ask(COUNT, [2])]);
  assert.deepEqual(
    both.map(([row]) => row?.rows),
    [0, 0],
  );
});

test('outside a transaction each of one turn stands alone', async t => {
  const { ask } = await withPairs(t);
  await ask(INSERT, [1, 'there']);
  const [first, second, third] = await Promise.allSettled([
    ask(INSERT, [2, 'new']),
    ask(INSERT, [1, 'again']),
    ask(INSERT, [3, 'new']),
  ]);
  assert.deepEqual([first?.status, second?.status, third?.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal((await ask(COUNT, [0]))[0]?.rows, 3);
});

test('the last result of a text of several statements counts, and an empty text has none', async t => {
  const { ask } = await withPairs(t);
  const rows = await ask('SELECT 1 AS one; INSERT INTO pair VALUES (1), (2); SELECT 2 AS two, 3 AS three');
  assert.deepEqual([...rows], [{ two: 2, three: 3 }]);
  assert.equal((await ask("SELECT 1; UPDATE pair SET name = 'x'")).count, 2);
  assert.equal((await ask('')).count, 0);
  assert.deepEqual([...(await ask('SELECT 1 AS one'))], [{ one: 1 }]);
});

test('a failing statement within a scope leaves the connection without a scope', async t => {
  const { connection, ask } = await withPairs(t);
  await ask('GRANT ALL ON pair TO CURRENT_USER');
  const [row] = await ask('SELECT current_user AS who');
  const scope = { role: String(row?.who), accounts: 'acme' };
  const within = (text: string, parameters: StatementParameters) =>
    connection.askWithin(scope, statements.of(text, parameters), () => 10_000);
  const text = "SELECT current_setting('bongsu.accounts') AS accounts, 1 / $1::int AS one";
  await assert.rejects(within(text, [0]), /division by zero/);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual([...(await within(text, [1]))], [{ accounts: 'acme', one: 1 }]);
    const [outside] = await ask("SELECT current_setting('bongsu.accounts', true) AS accounts");
    assert.equal(outside?.accounts || null, null);
  }
});

test('all that is pending is lost with the connection, and what comes later is refused', async t => {
  const { proxy, url } = await TcpProxy.before(t, await server.databaseFor(t));
  const { connection, ask } = await opened(t, url);
  await ask('BEGIN');
  const pending = Promise.allSettled([
    ask('SELECT pg_sleep($1::int)', [600]),
    ask('SELECT $1::int AS one', [1]),
    ask('COMMIT'),
  ]);
  const lost = new Promise<void>(resolve => connection.onLost(resolve));
  setImmediate(() => proxy.cut());
  await lost;
  for (const answer of await pending)
    assert.ok(answer.status === 'rejected' && answer.reason instanceof ConnectionLost);
  await assert.rejects(ask('SELECT 1'), ConnectionLost);
});
