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

test('of an error of PostgreSQL the code, the place and the stack are logged, and no value', () => {
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
