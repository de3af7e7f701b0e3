import assert from 'node:assert/strict';
import test from 'node:test';
import { DatabaseError } from 'pg';
import { createLogger, loggedMessage } from './logger.ts';

function logged(line: object): string {
  let written = '';
  const log = createLogger('info', {
    write(text) {
      written += text;
    },
  });
  log.error(line);
  return written;
}

const NUMBER = '01098765432';

function databaseError(code: string, message: string): DatabaseError {
  const members = {
    code,
    severity: 'ERROR',
    table: 'message',
    constraint: 'message_pkey',
    detail: `Key (recipient)=(${NUMBER}) already exists.`,
    where: `unnamed portal with parameters: $1 = 'Kim', $2 = '${NUMBER}'`,
    internalQuery: `SELECT '${NUMBER}'`,
    hint: NUMBER,
  };
  return Object.assign(new DatabaseError(message, message.length, 'error'), members);
}

test('the log of a PostgreSQL error has code, place and stack, and no value', () => {
  const error = databaseError('23505', 'duplicate key value violates unique constraint "message_pkey"');
  const line = logged({ event: 'failed', err: new Error('settle', { cause: error }) });
  const { err } = JSON.parse(line);
  assert.deepEqual(Object.keys(err.cause).sort(), [
    'code',
    'constraint',
    'message',
    'severity',
    'stack',
    'table',
    'type',
  ]);
  assert.equal(err.cause.message, error.message);
  assert.match(err.cause.stack, /^ +at .*logger\.test/m);
  for (const hidden of [NUMBER, 'Kim']) assert.ok(!line.includes(hidden), line);
});

test('messages of errors lose their numbers, and quotes of what was read', () => {
  assert.equal(
    loggedMessage(databaseError('22P02', 'invalid input syntax for type integer: "Kim"')),
    'invalid input syntax for type integer: "…"',
  );
  assert.equal(
    loggedMessage(new Error(`no carrier for ${NUMBER}, +82 10 9876 5432 or 010-9876-5432`)),
    'no carrier for …, … or …',
  );
  assert.equal(
    loggedMessage(new Error('port 5432 of 10.0.0.1:65535 after 120000 ms')),
    'port 5432 of 10.0.0.1:65535 after 120000 ms',
  );
  for (const text of [
    'could not open file "base/16384/1234567": No such file or directory',
    'could not extend file "pg_tblspc/1234567/PG_18_202506291/1234567/7654321"',
    'could not open relation with OID 1234567',
    'invalid memory alloc request size 1073741824',
    'row is too big: 12345678 bytes',
    'could not access status of transaction 1234567890',
  ]) {
    assert.equal(loggedMessage(new Error(text)), text);
  }
  for (const number of [NUMBER, '821098765432', '+821098765432', '15881234', '14155550123']) {
    for (const text of [
      `https://provider.example/base/${number}`,
      `"${number}" of "base/1/2"`,
      `at ${number} (size 12)`,
    ]) {
      assert.ok(!loggedMessage(new Error(text)).includes(number), text);
    }
  }
  assert.equal(loggedMessage(new Error(`size ${NUMBER}, "base/1/${NUMBER}"`)), 'size …, "base/1/…"');
  let unread: unknown;
  try {
    JSON.parse('Kim, your code is 1234');
  } catch (error) {
    unread = error;
  }
  assert.doesNotMatch(loggedMessage(unread), /Kim|1234/);
});

test('an error that holds others, itself or a body is logged within bounds', () => {
  const error: Error & { body?: string } = new Error(`first line\nsecond line ${NUMBER}`);
  error.cause = error;
  error.body = NUMBER;
  const line = logged({
    err: new AggregateError(
      Array.from({ length: 100 }, () => error),
      'all of them',
    ),
  });
  assert.ok(!line.includes(NUMBER));
  assert.equal(JSON.parse(line).err.errors.length, 5);
  assert.ok(line.length < 100_000, String(line.length));
  assert.equal(JSON.parse(logged({ err: NUMBER })).err.message, '…');
});
