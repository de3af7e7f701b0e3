import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Database } from '../../src/store/sqlite/database.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { testGateway } from '../harness/gateway.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { smallDisk } from './small-disk.ts';

test('a file that may not grow fails all writes as what did not happen, and works again when it may', async t => {
  const db = new Database(join(scratchDirectory(), 'bongsu.db'), () => {});
  t.after(() => db.close());
  const remember = db.prepare('INSERT INTO remembered (name, value) VALUES (?, ?)');
  const write = (name: string) => db.write(() => void remember.run(name, 'x'.repeat(200_000)));
  const before = db.prepare('PRAGMA max_page_count').get();
  db.prepare('PRAGMA max_page_count = 1').get();
  const results = await Promise.allSettled([write('one'), write('two')]);
  for (const result of results) {
    assert.ok(result.status === 'rejected' && result.reason instanceof StoreFault);
    assert.equal(result.reason.outcome, 'didNotHappen');
  }
  assert.equal(db.hasTroubleWriting, true);
  db.prepare(`PRAGMA max_page_count = ${before?.max_page_count}`).get();
  await write('one');
  assert.equal(db.hasTroubleWriting, false);
});

test('one bad write fails alone, and the others are committed without it', async t => {
  const commits: number[] = [];
  const db = new Database(join(scratchDirectory(), 'bongsu.db'), tasks => void commits.push(tasks));
  t.after(() => db.close());
  const remember = db.prepare('INSERT INTO remembered (name, value) VALUES (?, ?)');
  const names = Array.from({ length: 100 }, (_, index) => (index === 50 ? 'name-0' : `name-${index}`));
  const results = await Promise.allSettled(names.map(name => db.write(() => remember.run(name, ''))));
  assert.deepEqual(
    results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [50],
  );
  assert.deepEqual(commits, [99], 'all others together');
});

test('answers A920 and is not ready while the disk is full, and continues when there is room', async t => {
  const directory = smallDisk(12);
  if (directory === undefined) return t.skip('no disk may be mounted here');
  const gateway = await testGateway(t, { BONGSU_DATA_DIR: directory });
  const client = await gateway.account('acme');
  const { body: first } = await client.sms();
  assert.equal(first.code, 'A000');
  const filler = join(directory, 'filler');
  // To the last byte: what was left over would let small writes pass.
  for (const bytes of [64 * 1024, 1024, 1]) {
    assert.throws(() => {
      for (;;) appendFileSync(filler, Buffer.alloc(bytes));
    }, /ENOSPC/);
  }

  const refusal = await until('a send is refused', async () => {
    const answer = await client.sms({ text: '가'.repeat(40) });
    return answer.body.code !== 'A000' && answer;
  });
  assert.equal(refusal.body.code, 'A920');
  assert.equal(refusal.status, 503);
  assert.equal(refusal.headers['retry-after'], '1');
  assert.equal((await gateway.request('GET', '/readyz')).status, 503);

  rmSync(filler);
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
  const { body } = await client.sms();
  assert.equal(body.code, 'A000');
  for (const { msgKey } of [first, body]) {
    const report = await until('it is delivered', async () => {
      // Whoever failed while the disk was full waits a little before the next try.
      gateway.clock.advance(100);
      return (await client.inquire(msgKey))[0];
    });
    assert.equal(report.reportCode, '10000');
  }
});
