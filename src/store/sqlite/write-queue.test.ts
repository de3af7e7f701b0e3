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
  test(`of nothing but sends that ${where} answers, a transaction has ${sizes[0]}`, async () => {
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

test('of two bad tasks each fails by itself, also when the database closes', async () => {
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

test('rows that sends left to be written together are written before any other task, and by whose they are if that fails', async () => {
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
