import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Connection, DatabaseError } from 'pg';
import { Batch } from './batch.ts';

function submitted() {
  const failures: unknown[] = [];
  const connection = new Connection({ stream: () => new PassThrough() });
  const batch = new Batch({
    statements: [{ name: 'one', text: 'SELECT $1::int AS one', values: ['1'] }],
    prepared: new Map(),
    parserOf: () => JSON.parse,
    onEnd: failure => failures.push(failure),
  });
  batch.submit(connection);
  return { batch, connection, failures };
}

test('a failure is told when the server is ready again, and the state of the transaction known', async () => {
  const { batch, connection, failures } = submitted();
  const failure = new DatabaseError('division by zero', 1, 'error');
  batch.handleError(failure, connection);
  await setImmediate();
  assert.deepEqual(failures, []);
  connection.emit('readyForQuery');
  await setImmediate();
  assert.deepEqual(failures, [failure]);
});

test('nothing is waited for after the end of the session', () => {
  const { batch, connection, failures } = submitted();
  const failure = new Error('Connection terminated unexpectedly');
  batch.handleError(failure, connection);
  assert.deepEqual(failures, [failure]);
});

test('an answer that cannot be read is a failure', () => {
  const { batch, failures } = submitted();
  batch.handleRowDescription({ fields: [{ name: 'one', dataTypeID: 114 }] });
  batch.handleDataRow({ fields: ['{'] });
  batch.handleCommandComplete({ text: 'SELECT 1' });
  batch.handleReadyForQuery();
  assert.match(String(failures[0]), /JSON/);
});
