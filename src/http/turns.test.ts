import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { until } from '../../test/harness/until.ts';
import { ManualClock } from '../platform/clock.ts';
import { createPassedOnTurns, createTurns, limitTurns } from './turns.ts';

test('a request whose client has gone while it waited is not begun', async t => {
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

test('once its token is known, a burst does not wait in the line of strangers', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const known = new Set<string | undefined>();
  const recognise = (authorization: string | undefined) => (known.has(authorization) ? 'shop' : undefined);
  const turns = createTurns({ clock: new ManualClock(), recognise });
  let begun = 0;
  const ask = (authorization: string) => turns({ authorization, address: '10.0.0.1' }, () => begun++);
  for (let count = 0; count < 300; count++) ask('Bearer new');
  assert.equal(begun, 3, 'nobody knows whose token it is');
  known.add('Bearer new');
  ask('Bearer new');
  assert.equal(begun, 4);
  t.mock.timers.tick(10);
  await until('all have begun', () => begun === 301);
});

test('strangers of one address begin two a turn, and as often as they are told', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createTurns({
    clock: new ManualClock(),
    recognise: () => undefined,
    strangersTurnMs: 20,
  });
  let begun = 0;
  for (let count = 0; count < 300; count++) {
    turns({ authorization: undefined, address: '10.0.0.1' }, () => begun++);
  }
  const after = [19, 1, 20, 20].map(ms => {
    t.mock.timers.tick(ms);
    return begun;
  });
  assert.deepEqual(after, [3, 5, 7, 9]);
});

test('of what is passed on, an account has a few under way, and an address with all the tokens it tries', async () => {
  const accounts = new Map([['Bearer of shop', 'shop']]);
  const recognise = (authorization: string | undefined) => accounts.get(authorization ?? '');
  const turns = createPassedOnTurns({ clock: new ManualClock(), recognise, mostOfOne: 2, mostInAll: 100 });
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
