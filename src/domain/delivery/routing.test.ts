import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../ids.ts';
import {
  alternativesOf,
  chooseRoute,
  explainRoutes,
  type RouteQuery,
  type RouteRule,
  UNROUTED,
} from './routing.ts';

const rule = (fields: Partial<RouteRule>): RouteRule => ({
  channel: 'international',
  prefixes: [],
  accounts: [],
  weight: undefined,
  via: ['sky'],
  ...fields,
});

const query = (fields: Partial<RouteQuery> = {}): RouteQuery => ({
  account: 'shop' as AccountId,
  channel: 'international',
  to: '+14155550123',
  ...fields,
});

const network = (rules: readonly RouteRule[], down: readonly string[] = [], otherwise?: string) => ({
  rules,
  otherwise,
  isAvailable: (carrier: string) => !down.includes(carrier),
});

test('the first route that matches channel, head and account decides', () => {
  const rules = [
    rule({ channel: 'sms', via: ['a'] }),
    rule({ prefixes: ['+44'], via: ['b'] }),
    rule({ accounts: ['bank'], via: ['c'] }),
    rule({ prefixes: ['+1', '+33'], via: ['d'] }),
    rule({ via: ['e'] }),
  ];
  const route = chooseRoute(network(rules), query());
  assert.deepEqual(route, { carrier: 'd', why: 'routes[3]' });
  assert.equal(chooseRoute(network(rules), query({ account: 'bank' as AccountId })).carrier, 'c');
});

test('without a match the message is unrouted, or goes to the carrier for the rest', () => {
  assert.equal(chooseRoute(network([]), query()).carrier, UNROUTED);
  const route = chooseRoute(network([], [], 'simulator'), query());
  assert.deepEqual(route, { carrier: 'simulator', why: 'no route matches; simulator serves the rest' });
});

test('the next carrier serves while one before it is not available', () => {
  const rules = [rule({ via: ['sky', 'sea', 'land'] })];
  assert.deepEqual(chooseRoute(network(rules, ['sky', 'sea']), query()), {
    carrier: 'land',
    why: 'routes[0]; sky, sea are not available',
  });
});

test('where no carrier is available the message waits for the first', () => {
  const route = chooseRoute(network([rule({ via: ['sky', 'sea'] })], ['sky', 'sea']), query());
  assert.deepEqual(route, { carrier: 'sky', why: 'routes[0]; sky, sea are not available; waits' });
});

test('weights share recipients in their proportion, each recipient always the same way', () => {
  const rules = [rule({ weight: 30, via: ['sky'] }), rule({ weight: 70, via: ['sea'] })];
  const count = { sky: 0, sea: 0 } as Record<string, number>;
  for (let number = 0; number < 10_000; number++) {
    const to = `+1415${String(5_550_000 + number)}`;
    const { carrier } = chooseRoute(network(rules), query({ to }));
    assert.equal(chooseRoute(network(rules), query({ to })).carrier, carrier);
    count[carrier] = (count[carrier] ?? 0) + 1;
  }
  assert.ok(Math.abs((count.sky ?? 0) - 3000) < 200, `sky got ${count.sky} of 10000`);
});

test('when the route chosen by weight is down, the other serves', () => {
  const rules = [rule({ weight: 1, via: ['sky'] }), rule({ weight: 1000, via: ['sea'] })];
  const route = chooseRoute(network(rules, ['sea']), query());
  assert.deepEqual(route, { carrier: 'sky', why: 'routes[0] by weight 1; sea is not available' });
});

test('tells of every route why it matches or not', () => {
  const rules = [
    rule({ channel: 'sms' }),
    rule({ prefixes: ['+44'] }),
    rule({ accounts: ['bank'] }),
    rule({ via: ['sky', 'sea'] }),
  ];
  assert.deepEqual(
    explainRoutes(rules, query()).map(({ matches, why }) => [matches, why]),
    [
      [false, 'serves sms'],
      [false, 'serves numbers from +44'],
      [false, 'serves accounts bank'],
      [true, 'matches; via sky, sea'],
    ],
  );
});

test('knows which carriers could take over from another', () => {
  const rules = [rule({ via: ['sky', 'sea'] }), rule({ via: ['land'] })];
  assert.deepEqual([...alternativesOf(rules, 'sky')], ['sea']);
  assert.deepEqual([...alternativesOf(rules, 'land')], []);
  const weighted = [
    rule({ via: ['land'] }),
    rule({ channel: 'sms', weight: 1, via: ['sky'] }),
    rule({ channel: 'sms', weight: 2, via: ['sea'] }),
  ];
  assert.deepEqual([...alternativesOf(weighted, 'sky')], ['sea']);
  assert.deepEqual(
    [...alternativesOf(weighted, 'land')],
    [],
    'weights of another channel are none of its business',
  );
});
