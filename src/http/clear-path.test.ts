import assert from 'node:assert/strict';
import test from 'node:test';
import { hasDotSegments } from './clear-path.ts';

test('segments of dots are found however they are written', () => {
  for (const target of [
    '/console/../v1/x',
    '/admin/v1/accounts/..%2f..%2Fv1',
    '/v1/%2e%2E/admin',
    '/v1/.%2e',
    '/v1/./x',
    '/v1/..\\admin',
    '/v1/x%5c..%5cadmin',
    '/..',
    'http://host/v1/../x',
  ]) {
    assert.equal(hasDotSegments(target), true, target);
  }
});

test('other dots, encoded slashes and queries are as good as anything', () => {
  for (const target of [
    '/v1/send/sms',
    '/openapi.json',
    '/admin/v1/accounts/shop/registry/inboundNumber/0212345678%2FSTOP',
    '/admin/v1/x/a..b/.hidden/...',
    '/v1/x?to=../..%2f',
    '/v1/%252e%252e/x',
    '*',
  ]) {
    assert.equal(hasDotSegments(target), false, target);
  }
});
