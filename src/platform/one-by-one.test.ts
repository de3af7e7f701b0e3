import assert from 'node:assert/strict';
import test from 'node:test';
import { OneByOne } from './one-by-one.ts';

test('runs work of one name in its order, also behind work that failed, and work of another name beside it', async () => {
  const turns = new OneByOne();
  const { promise, reject } = Promise.withResolvers<string>();
  const begun: string[] = [];
  const work = (name: string, result: Promise<string>) => () => {
    begun.push(name);
    return result;
  };
  const first = turns.run('row', work('first', promise));
  const others = ['second', 'third'].map(name => turns.run('row', work(name, Promise.resolve(name))));
  assert.equal(await turns.run('other', work('beside', Promise.resolve('done'))), 'done');
  assert.deepEqual(begun, ['first', 'beside']);
  reject(new Error('no'));
  await assert.rejects(first, /no/);
  assert.deepEqual(await Promise.all(others), ['second', 'third']);
  assert.deepEqual(begun, ['first', 'beside', 'second', 'third']);
});
