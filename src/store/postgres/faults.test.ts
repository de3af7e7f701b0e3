import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { StoreFault } from '../store-fault.ts';
import { ConnectionLost, connectFault, faultOf, isSessionEnd, isSqlState, isStalePlan } from './faults.ts';

function serverError(code: string, severity = 'ERROR', routine?: string): DatabaseError {
  const error = new DatabaseError('as the server says', 0, 'error');
  return Object.assign(error, { code, severity, routine });
}

type Meaning = 'didNotHappen' | 'mayHaveHappened' | 'bug';

/** What it means on the way to a commit, and of the commit itself or of a write that is its own transaction. */
const MEANINGS: readonly (readonly [what: string, error: unknown, before: Meaning, commit: Meaning])[] = [
  ['a lost connection', new ConnectionLost('reset'), 'didNotHappen', 'mayHaveHappened'],
  ['a serialization failure', serverError('40001'), 'didNotHappen', 'didNotHappen'],
  ['a deadlock', serverError('40P01'), 'didNotHappen', 'didNotHappen'],
  ['a lock that is not to be had', serverError('55P03'), 'didNotHappen', 'didNotHappen'],
  ['a statement that took too long', serverError('57014'), 'didNotHappen', 'didNotHappen'],
  ['a full disk', serverError('53100'), 'didNotHappen', 'didNotHappen'],
  ['no memory', serverError('53200'), 'didNotHappen', 'didNotHappen'],
  ['too many connections', serverError('53300'), 'didNotHappen', 'didNotHappen'],
  ['an error of input and output', serverError('58030'), 'didNotHappen', 'didNotHappen'],
  ['a server that only reads', serverError('25006'), 'didNotHappen', 'didNotHappen'],
  ['damaged data', serverError('XX001'), 'didNotHappen', 'didNotHappen'],
  [
    'a plan that is stale',
    serverError('0A000', 'ERROR', 'RevalidateCachedQuery'),
    'didNotHappen',
    'didNotHappen',
  ],
  ['a statement that is not prepared', serverError('26000'), 'didNotHappen', 'didNotHappen'],
  ['a byte that text cannot hold', serverError('22021'), 'bug', 'bug'],
  ['a row that is there already', serverError('23505'), 'bug', 'bug'],
  ['a table that is not there', serverError('42P01'), 'bug', 'bug'],
  ['no permission', serverError('42501'), 'bug', 'bug'],
  ['something not supported', serverError('0A000'), 'bug', 'bug'],
  ['an error of the program', new TypeError('of undefined'), 'bug', 'bug'],
];

for (const [what, error, before, commit] of MEANINGS) {
  test(`${what}: ${before} before the commit, ${commit} at the commit`, () => {
    assert.equal(meaningOf(faultOf(error, false), error), before);
    assert.equal(meaningOf(faultOf(error, true), error), commit);
  });
}

function meaningOf(result: unknown, error: unknown): Meaning {
  if (!(result instanceof StoreFault)) {
    assert.equal(result, error, 'a bug is told as it is');
    return 'bug';
  }
  assert.equal(result.cause, error);
  return result.outcome;
}

test('a fault is not changed by a second look', () => {
  const fault = new StoreFault('didNotHappen', 'the time was over');
  assert.equal(faultOf(fault, true), fault);
});

test('a lost session makes the outcome of its last statement unknown', () => {
  for (const code of ['57P01', '57P02', '57P03', '57P05', '25P03', '08006'])
    assert.equal(isSessionEnd(serverError(code)), true, code);
  assert.equal(isSessionEnd(serverError('53100', 'PANIC')), true);
  assert.equal(isSessionEnd(serverError('XX000', 'FATAL')), true);
  assert.equal(isSessionEnd(new Error('Connection terminated unexpectedly')), true);
  for (const code of ['57014', '40001', '23505', '53100'])
    assert.equal(isSessionEnd(serverError(code)), false, code);
});

test('whatever keeps us from connecting, nothing was asked', () => {
  for (const error of [serverError('28P01', 'FATAL'), new Error('connect ECONNREFUSED'), 'odd'])
    assert.equal(connectFault(error).outcome, 'didNotHappen');
  const both = new AggregateError([new Error('connect ECONNREFUSED ::1'), new Error('connect ECONNREFUSED')]);
  assert.match(connectFault(both).message, /ECONNREFUSED ::1, Error: connect ECONNREFUSED/);
});

test('the state of the server is found within a fault too', () => {
  assert.equal(isSqlState(faultOf(serverError('40001'), false), '40001', '40P01'), true);
  assert.equal(isSqlState(serverError('23514'), '23514'), true);
  assert.equal(isSqlState(new Error('23514'), '23514'), false);
  assert.equal(isStalePlan(faultOf(serverError('26000'), false)), true);
});
