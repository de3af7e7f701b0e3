import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { scratchDirectory } from '../../../test/harness/scratch.ts';
import { Checkpointer } from './checkpointer.ts';
import { Database } from './database.ts';

/** Commits after which the log is worth writing back. */
const WORTH_IT = 128;

function opened(t: TestContext, program?: URL) {
  const troubles: unknown[] = [];
  const file = join(scratchDirectory(), 'bongsu.db');
  const onTrouble = (error: unknown) => troubles.push(error);
  const checkpointer = new Checkpointer(file, { onTrouble, ...(program && { program }) });
  const db = new Database(file, () => {}, { checkpointer });
  t.after(async () => {
    await checkpointer.close();
    db.close();
  });
  const insert = db.prepare('INSERT OR REPLACE INTO remembered (name, value) VALUES (?, ?)');
  let written = 0;
  const commit = async (times: number) => {
    for (let done = 0; done < times; done++) await db.write(() => insert.run(`name ${++written}`, 'value'));
  };
  return { db, file, checkpointer, troubles, commit };
}

/** How many rows are in the file itself, without the log. */
function rowsWithoutLog(file: string): number {
  const copy = `${file}-copy`;
  copyFileSync(file, copy);
  const db = new DatabaseSync(copy, { readOnly: true });
  try {
    return Number(
      db.prepare("SELECT count(*) AS found FROM remembered WHERE name LIKE 'name %'").get()?.found,
    );
  } finally {
    db.close();
  }
}

/** A thread that does this when it is asked for a checkpoint, and ends when it is told to. */
function threadThat(does: string): URL {
  const source = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', order => { if (order === 'close') parentPort.close(); else { ${does} } });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

test('the log is written back after so many commits, by another connection', async t => {
  const { db, file, checkpointer, troubles, commit } = opened(t);
  await db.truncateLog();
  await commit(WORTH_IT - 1);
  await checkpointer.idle();
  assert.equal(rowsWithoutLog(file), 0);
  await commit(1);
  await checkpointer.idle();
  assert.equal(rowsWithoutLog(file), WORTH_IT);
  assert.deepEqual(troubles, []);
});

test('the log can be emptied while it is written back', async t => {
  const { db, commit } = opened(t);
  for (let times = 0; times < 5; times++) {
    await commit(WORTH_IT);
    assert.equal(await db.truncateLog(), true);
  }
});

test('a thread that cannot write the log back says why, and is asked again', async t => {
  const { checkpointer, troubles, commit } = opened(
    t,
    threadThat("parentPort.postMessage({ failure: 'disk I/O error' });"),
  );
  for (const times of [1, 2]) {
    await commit(WORTH_IT);
    await checkpointer.idle();
    assert.equal(troubles.length, times);
  }
  assert.match(String(troubles[0]), /disk I\/O error/);
});

for (const [end, does] of [
  ['fails', "throw new Error('a bug');"],
  ['ends', 'process.exit();'],
] as const) {
  test(`nobody waits for a thread that ${end}`, async t => {
    const { db, checkpointer, troubles, commit } = opened(t, threadThat(does));
    await commit(WORTH_IT);
    await checkpointer.idle();
    assert.equal(troubles.length, 1);
    await commit(2 * WORTH_IT);
    assert.equal(await db.truncateLog(), true);
  });
}

test('a thread that cannot begin is done without', async t => {
  const { troubles, commit } = opened(t, new URL('https://example.com/'));
  await commit(2 * WORTH_IT);
  assert.equal(troubles.length, 1);
});

test('a thread that fails while it is waited for has closed', async t => {
  const { checkpointer, troubles, commit } = opened(t, threadThat("throw new Error('a bug');"));
  await commit(WORTH_IT);
  await checkpointer.close();
  assert.equal(troubles.length, 1);
});
