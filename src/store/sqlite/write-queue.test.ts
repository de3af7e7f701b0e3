import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { scratchDirectory } from '../../../test/harness/scratch.ts';
import { StoreFault } from '../store-fault.ts';
import { Database, type DatabaseOptions } from './database.ts';

/** What each transaction ran, in its order. */
function recording(options: DatabaseOptions = {}) {
  const transactions: string[][] = [];
  let ran: string[] = [];
  const onCommit = () => {
    transactions.push(ran);
    ran = [];
  };
  const db = new Database(':memory:', onCommit, options);
  return { db, transactions, note: (name: string) => () => void ran.push(name) };
}

test('a few sends wait for nothing else', async () => {
  const { db, transactions, note } = recording();
  const settled = ['a', 'b', 'c'].map(name => db.write(note(name), 50));
  await Promise.all([...settled, db.writeFirst(note('send'))]);
  assert.deepEqual(transactions, [['send'], ['a', 'b', 'c']]);
  db.close();
});

test('one send after the other does not keep the rest waiting', async () => {
  const { db, transactions, note } = recording({ isAskedFor: () => true });
  const settled = ['a', 'b'].map(name => db.write(note(name), 50));
  for (let count = 1; count <= 4; count++) await db.writeFirst(note(`send ${count}`));
  await Promise.all(settled);
  assert.deepEqual(transactions, [['send 1'], ['send 2', 'a'], ['send 3'], ['send 4', 'b']]);
  db.close();
});

test('with many sends, or none, a transaction takes a lot, but not everything', async () => {
  const { db, transactions, note } = recording();
  const sends = Array.from({ length: 20 }, (_, index) => db.writeFirst(note(`send ${index}`)));
  const settled = Array.from({ length: 20 }, (_, index) => db.write(note(`piece ${index}`), 50));
  await Promise.all([...sends, ...settled]);
  assert.deepEqual(
    transactions.map(({ length }) => length),
    [20 + 8, 8, 4],
  );
  db.close();
});

for (const [where, options, sizes] of [
  ['another thread', { isAskedFor: () => false }, [24, 24, 12]],
  ['this one', {}, [60]],
] as const) {
  test(`a transaction of nothing but sends that ${where} answers has ${sizes[0]}`, async () => {
    const { db, transactions, note } = recording(options);
    await Promise.all(Array.from({ length: 60 }, (_, index) => db.writeFirst(note(`send ${index}`))));
    assert.deepEqual(
      transactions.map(({ length }) => length),
      sizes,
    );
    db.close();
  });
}

test('a transaction ends early when another thread has a send', async () => {
  let isAskedFor = false;
  const { db, transactions, note } = recording({ isAskedFor: () => isAskedFor });
  const ring = note('b');
  const settled = [
    db.write(note('a'), 50),
    db.write(() => {
      isAskedFor = true;
      ring();
    }, 50),
    db.write(note('c'), 50),
  ];
  await settled[1];
  assert.deepEqual(transactions, [['a', 'b']]);
  const send = db.writeFirst(note('send'));
  isAskedFor = false;
  await Promise.all([...settled, send]);
  assert.deepEqual(transactions, [['a', 'b'], ['send'], ['c']]);
  db.close();
});

test('a task of more rows than a transaction should have is run with no other', async () => {
  const { db, transactions, note } = recording();
  await Promise.all([db.write(note('large'), 1000), db.write(note('small'))]);
  assert.deepEqual(transactions, [['large'], ['small']]);
  db.close();
});

for (const write of ['write', 'writeFirst'] as const) {
  test(`${write}: a task that fails is left out, and those before and after it are written`, async () => {
    const { db, transactions, note } = recording();
    const bad = () => {
      throw new Error('a bug');
    };
    const written = [db[write](note('a')), db[write](bad), db[write](note('b'))];
    const results = await Promise.allSettled(written);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    // "a" was run twice: its first transaction was rolled back.
    assert.deepEqual(transactions, [['a', 'a', 'b']]);
    db.close();
  });
}

test('two bad tasks fail separately, also when the database closes', async () => {
  const { db, transactions, note } = recording();
  const bad = () => {
    throw new Error('a bug');
  };
  const written = [db.write(bad), db.write(note('a')), db.write(bad), db.write(note('b'))];
  db.close();
  const results = await Promise.allSettled(written);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(transactions.at(-1)?.slice(-2), ['a', 'b']);
});

test('collected rows of sends are written before any other task, and send by send if that fails', async () => {
  const { db, transactions, note } = recording();
  let left: string[] = [];
  db.afterFirst(() => {
    if (left.includes('bad')) throw new Error('a bug');
    if (left.length > 0) note(left.join('+'))();
    left = [];
  });
  db.onRollback(() => {
    left = [];
  });
  const send = (name: string) => db.writeFirst(() => void left.push(name));
  const names = [...'abcdefghij'];
  await Promise.all([...names.map(send), db.write(note('other'))]);
  assert.deepEqual(transactions, [[names.join('+'), 'other']]);
  const results = await Promise.allSettled([...names, 'bad', 'k'].map(send).concat(db.write(note('other'))));
  assert.deepEqual(
    results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [names.length],
  );
  assert.deepEqual(transactions.at(-1)?.slice(-12), [...names, 'k', 'other']);
  db.close();
});

test('what is queued when the database closes is written', async () => {
  const { db, transactions, note } = recording({ isAskedFor: () => true });
  const written = [db.write(note('a'), 1000), db.write(note('b'), 1000), db.writeFirst(note('send'))];
  db.close();
  await Promise.all(written);
  assert.deepEqual(transactions, [['send', 'a', 'b']]);
});

/** How each ended: its value, or what it was refused with. */
async function endsOf(promises: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(promises);
  return results.map(result => {
    if (result.status === 'fulfilled') return String(result.value);
    return result.reason instanceof StoreFault ? result.reason.outcome : String(result.reason);
  });
}

test('many bad tasks cost each good task one more attempt', async () => {
  const { db, transactions, note } = recording();
  const bad = () => {
    throw new Error('a bug');
  };
  const written = Array.from({ length: 300 }, (_, index) => db.writeFirst(index % 2 ? bad : note('good')));
  const ends = await endsOf(written);
  assert.deepEqual(
    ends,
    written.map((_, index) => (index % 2 ? 'Error: a bug' : 'undefined')),
  );
  // Once before the first bad one, and once each.
  assert.equal(transactions.at(-1)?.length, 1 + 150);
  db.close();
});

test('an error that no task caused settles all tasks, and the next write works', async () => {
  const { db, transactions, note } = recording();
  const rollback = db.prepare('ROLLBACK');
  let rolledBack = 0;
  db.onRollback(() => rolledBack++);
  // As SQLite does by itself on a full disk, except that no statement fails: the COMMIT does.
  const ended = [db.write(note('a')), db.write(() => rollback.run()), db.write(() => {})];
  const ends = await endsOf(ended);
  assert.equal(new Set(ends).size, 1);
  assert.match(ends[0] ?? '', /^Error: no such savepoint/);
  assert.ok(rolledBack >= 2);
  await db.write(note('b'));
  assert.equal(transactions.at(-1)?.at(-1), 'b');
  db.close();
});

test('every listener is told of a rollback, and nothing is written until a failing one has finished', async () => {
  const { db, note } = recording();
  const heard: string[] = [];
  let isBroken = true;
  db.onRollback(() => {
    heard.push('broken');
    if (isBroken) throw new RangeError('out of memory');
  });
  db.onRollback(() => heard.push('other'));
  const bad = () => {
    throw new Error('a bug');
  };
  assert.deepEqual(await endsOf([db.write(bad), db.write(note('a'))]), [
    'AggregateError: memory is not as the database is',
    'AggregateError: memory is not as the database is',
  ]);
  assert.ok(heard.includes('other'));
  isBroken = false;
  heard.length = 0;
  assert.deepEqual(await endsOf([db.write(() => 'written')]), ['written']);
  assert.deepEqual(heard, ['broken']);
  db.close();
});

test('a write after the database is closed did not happen', async () => {
  const { db, note } = recording();
  const read = db.prepare('SELECT 1');
  db.close();
  assert.deepEqual(await endsOf([db.write(note('a')), db.writeFirst(note('b'))]), [
    'didNotHappen',
    'didNotHappen',
  ]);
  assert.throws(() => read.get(), StoreFault);
});

test('all tasks settle when the database closes among them, and cannot even roll back', async () => {
  const { db, note } = recording();
  let rolledBack = 0;
  db.onRollback(() => rolledBack++);
  const ends = await endsOf([db.write(note('a')), db.write(() => db.close()), db.write(note('b'))]);
  // What waited was written when it closed.
  assert.deepEqual(ends, ['didNotHappen', 'didNotHappen', 'undefined']);
  assert.ok(rolledBack > 0);
});

test('a failing commit listener does not keep callers from getting their results', async () => {
  const db = new Database(':memory:', () => {
    throw new Error('a bug of the listener');
  });
  const written = endsOf([db.write(() => 1), db.writeFirst(() => 2)]);
  assert.throws(() => db.close(), /a bug of the listener/);
  assert.deepEqual(await written, ['1', '2']);
});

test('while another process has the file, all that wait fail together, and did not happen', async t => {
  const file = join(scratchDirectory(), 'bongsu.db');
  const db = new Database(file, () => {});
  const other = new DatabaseSync(file);
  t.after(() => {
    other.close();
    db.close();
  });
  // Otherwise each transaction waits for it for seconds.
  db.prepare('PRAGMA busy_timeout = 0').get();
  other.exec('BEGIN IMMEDIATE');
  const pieces = Array.from({ length: 20 }, () => db.write(() => assert.fail('it was run'), 400));
  const faults = await Promise.allSettled([...pieces, db.writeFirst(() => assert.fail('it was run'))]);
  for (const fault of faults) {
    assert.ok(fault.status === 'rejected' && fault.reason instanceof StoreFault);
    assert.equal(fault.reason.outcome, 'didNotHappen');
    assert.equal(fault.reason, faults[0]?.status === 'rejected' && faults[0].reason);
  }
});
