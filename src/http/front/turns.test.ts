import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { until } from '../../../test/harness/until.ts';
import { createPassedOnTurns, createTurns, limitTurns } from './turns.ts';

test('a queued request is dropped when its client has gone', async t => {
  const app = Fastify();
  t.after(() => app.close());
  const waiting: (() => void)[] = [];
  limitTurns(app, (_request, begin) => waiting.push(() => begin(() => {})));
  let begun = 0;
  app.get('/', async () => ++begun);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const clients = Array.from({ length: 2 }, () => connect(Number(port), '127.0.0.1'));
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  for (const client of clients) client.write('GET / HTTP/1.1\r\nhost: g\r\n\r\n');
  await until('both wait', () => waiting.length === clients.length);
  clients[0]?.destroy();
  const open = () =>
    new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)));
  await until('one has gone', async () => (await open()) === 1);
  for (const begin of waiting) begin();
  await nextTurn();
  assert.equal(begun, 1);
});

test('a burst with a known token does not queue with unknown tokens', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const known = new Set<string | undefined>();
  const turns = createTurns(authorization => (known.has(authorization) ? 'shop' : undefined));
  let begun = 0;
  const ends: (() => void)[] = [];
  const ask = () =>
    turns({ authorization: 'Bearer new', address: '10.0.0.1' }, end => {
      begun++;
      ends.push(end);
    });
  for (let count = 0; count < 50; count++) ask();
  assert.equal(begun, 8, 'nobody knows whose token it is');
  known.add('Bearer new');
  ask();
  assert.equal(begun, 9);
  for (const end of ends) end();
  t.mock.timers.tick(40);
  await until('all have begun', () => begun === 51);
});

test('an address starts eight requests with unknown tokens at a time, and another address is not delayed', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createTurns(() => undefined);
  const begun: string[] = [];
  const ask = (address: string) =>
    turns({ authorization: undefined, address }, end => {
      begun.push(address);
      end();
    });
  for (let count = 0; count < 100; count++) ask('10.0.0.1');
  ask('10.0.0.2');
  const taken = () => begun.splice(0).length;
  assert.equal(taken(), 9);
  for (let time = 0; time < 3; time++) {
    await nextTurn();
    assert.equal(taken(), 0, 'each takes its time');
    t.mock.timers.tick(40);
    await nextTurn();
    assert.equal(taken(), 8);
  }
});

test('passed-on requests are limited for each account, and for each address with all tokens that it tries', async () => {
  const accounts = new Map([['Bearer of shop', 'shop']]);
  const recognise = (authorization: string | undefined) => accounts.get(authorization ?? '');
  const turns = createPassedOnTurns(recognise, { mostOfOne: 2, most: 100 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (authorization: string, address = '10.0.0.1') =>
    turns({ authorization, address }, end => {
      begun.push(authorization);
      ends.push(end);
    });
  for (let guess = 0; guess < 50; guess++) ask(`Bearer guess-${guess}`);
  for (let count = 0; count < 3; count++) ask('Bearer new');
  assert.equal(begun.length, 2);
  ask('Bearer of shop');
  ask('Bearer elsewhere', '10.0.0.2');
  assert.deepEqual(begun.splice(0).slice(2), ['Bearer of shop', 'Bearer elsewhere'], 'at once');
  accounts.set('Bearer new', 'new');
  while (begun.length < 51) {
    for (const end of ends.splice(0)) end();
    await nextTurn();
  }
  assert.ok(begun.includes('Bearer new'));
});
