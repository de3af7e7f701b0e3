import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault } from '../store-fault.ts';
import { faultOf } from './faults.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('as SQLite says'), { code: 'ERR_SQLITE_ERROR', errcode });
}

type Meaning = StoreFault['outcome'] | 'bug';

/** Result codes, primary and extended: what they mean of a statement, and of COMMIT. */
const MEANINGS: readonly (readonly [name: string, errcode: number, statement: Meaning, commit: Meaning])[] = [
  ['SQLITE_BUSY', 5, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_BUSY_SNAPSHOT', 517, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_LOCKED', 6, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_NOMEM', 7, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_READONLY', 8, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_IOERR', 10, 'didNotHappen', 'mayHaveHappened'],
  ['SQLITE_IOERR_WRITE', 778, 'didNotHappen', 'mayHaveHappened'],
  ['SQLITE_IOERR_FSYNC', 1034, 'didNotHappen', 'mayHaveHappened'],
  ['SQLITE_CORRUPT', 11, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_FULL', 13, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_CANTOPEN', 14, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_NOTADB', 26, 'didNotHappen', 'didNotHappen'],
  ['SQLITE_ERROR', 1, 'bug', 'bug'],
  ['SQLITE_TOOBIG', 18, 'bug', 'bug'],
  ['SQLITE_CONSTRAINT', 19, 'bug', 'bug'],
  ['SQLITE_MISMATCH', 20, 'bug', 'bug'],
  ['SQLITE_MISUSE', 21, 'bug', 'bug'],
];

for (const [name, errcode, statement, commit] of MEANINGS) {
  test(`${name}: ${statement} of a statement, ${commit} of a commit`, () => {
    const error = sqliteError(errcode);
    const meaningOf = (result: unknown): Meaning => {
      if (result instanceof StoreFault) return result.outcome;
      assert.equal(result, error);
      return 'bug';
    };
    assert.equal(meaningOf(faultOf(error, 'statement')), statement);
    assert.equal(meaningOf(faultOf(error, 'commit')), commit);
  });
}

test('an error that is not from SQLite is a bug', () => {
  const error = new TypeError('of undefined');
  assert.equal(faultOf(error, 'commit'), error);
});

test('a statement after the database is closed did not happen', () => {
  const closed = Object.assign(new Error('statement has been finalized'), { code: 'ERR_INVALID_STATE' });
  const fault = faultOf(closed, 'statement');
  assert.ok(fault instanceof StoreFault);
  assert.equal(fault.outcome, 'didNotHappen');
});
