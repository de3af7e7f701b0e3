import assert from 'node:assert/strict';
import test from 'node:test';
import { createIsProxy, isNetwork } from './trusted-proxies.ts';

test('without a setting nobody is a proxy', () => {
  assert.equal(createIsProxy({ hops: 0, networks: undefined })('127.0.0.1', 0), false);
});

test('with a number of hops the nearest must have a private address, and vouches for those before it', () => {
  const isProxy = createIsProxy({ hops: 2, networks: undefined });
  for (const own of ['127.0.0.1', '10.1.2.3', '::ffff:192.168.1.1', '::1', 'fd00::1', 'fe80::1%eth0']) {
    assert.equal(isProxy(own, 0), true, own);
  }
  for (const foreign of ['203.0.113.9', '2001:db8::1', '172.32.0.1', '', 'unknown']) {
    assert.equal(isProxy(foreign, 0), false, foreign);
  }
  assert.equal(isProxy('203.0.113.9', 1), true);
  assert.equal(isProxy('203.0.113.9', 2), false);
});

test('with networks each proxy must be in one, whatever the number of hops', () => {
  const networks = ['203.0.113.0/24', '2001:db8::1'];
  const anyNumber = createIsProxy({ hops: 0, networks });
  assert.equal(anyNumber('203.0.113.200', 5), true);
  assert.equal(anyNumber('::ffff:203.0.113.200', 0), true);
  assert.equal(anyNumber('2001:db8::1', 0), true);
  assert.equal(anyNumber('10.0.0.1', 0), false);
  assert.equal(createIsProxy({ hops: 1, networks })('203.0.113.200', 1), false);
});

test('a network is an address, or one with the length of its prefix', () => {
  for (const text of ['10.0.0.0/8', '10.1.2.3', '::1', 'fd00::/8', '0.0.0.0/0'])
    assert.ok(isNetwork(text), text);
  const others = [
    '',
    'proxy',
    '10.0.0.0/33',
    '10.0.0',
    '::/129',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '10.0.0.0/',
  ];
  for (const text of others) assert.equal(isNetwork(text), false, text);
});
