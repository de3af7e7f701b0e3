import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import test from 'node:test';
import { Problem } from '../../domain/request/problem.ts';
import type { Desk } from '../contract/desk.ts';
import { createFrontRoutes, type GivenRequest } from './front-routes.ts';
import type { PlainHead } from './plain-request.ts';

const TOKEN = '/v1/auth/token';
const SEND = '/v1/send/sms';
const POLL = '/v1/report/polling';

function headOf(method: string, target: string, headers: PlainHead['headers'] = {}): PlainHead {
  return { method, target, headers, length: 0, bodyLength: Number(headers['content-length'] ?? 0) };
}

function routesOf(issueToken: Desk['issueToken']) {
  const seen: string[] = [];
  const routes = createFrontRoutes({
    desk: { issueToken } as Desk,
    headerPrefixes: ['SVC', 'IB'],
    observe: (route, status) => seen.push(`${route} ${status}`),
    noteRefusal: (route, code) => seen.push(`${route} ${code}`),
    explainFailure: (error, { requestId }) => {
      seen.push(String(error));
      return { problem: new Problem('A999'), headers: { 'x-request-id': requestId } };
    },
  });
  const ask = (headers: IncomingHttpHeaders) =>
    routes.find(headOf('POST', TOKEN))?.({ headers, address: '10.0.0.1' } as GivenRequest);
  return { routes, seen, ask };
}

test('the five calls that are nearly all traffic need no framework, if they are spelled as the contract has them', () => {
  const { routes } = routesOf(async () => '');
  const isFound = (method: string, target: string, headers: PlainHead['headers'] = {}) =>
    routes.find(headOf(method, target, headers)) !== undefined;
  for (const target of [SEND, TOKEN]) {
    assert.equal(isFound('POST', target, { 'content-length': '10' }), true);
    assert.equal(isFound('POST', target, { 'content-length': '1048577' }), false);
    assert.equal(isFound('GET', target, { 'content-length': '10' }), false);
    assert.equal(isFound('POST', `${target}/`, { 'content-length': '10' }), false);
  }
  assert.equal(isFound('POST', TOKEN), true, 'nothing follows');
  assert.equal(isFound('POST', SEND), false);
  assert.equal(isFound('GET', POLL), true);
  assert.equal(isFound('GET', POLL, { 'content-length': '1' }), false, 'a body is odd there');
  assert.equal(isFound('GET', `${POLL}?limit=1`), false);
  assert.equal(isFound('DELETE', POLL), false);
  assert.equal(isFound('DELETE', `${POLL}/0ABC`), true);
  assert.equal(isFound('GET', `${POLL}/0ABC`), false);
  assert.equal(isFound('GET', '/v1/report/inquiry/0ABC'), true);
  for (const id of ['', '%41', 'a/b', 'a.b', 'a'.repeat(65)]) {
    assert.equal(isFound('GET', `/v1/report/inquiry/${id}`), false, id);
  }
});

test('credentials are read with each of the prefixes, and refusals are counted', async () => {
  const given: unknown[] = [];
  const { routes, seen, ask } = routesOf(async credentials => {
    given.push(credentials);
    return new Problem('A020', 'Too many', { retryAfterSeconds: 5 });
  });
  for (const name of ['x-svc-client-id', 'x-ib-client-passwd']) assert.ok(routes.headerNames.includes(name));
  const answer = await ask({ 'x-ib-client-id': 'shop', 'x-svc-client-passwd': 'secret' });
  assert.deepEqual([answer?.status, answer?.headers['retry-after']], [429, '5']);
  assert.equal((await ask({ 'x-svc-client-id': 'shop' }))?.status, 401);
  assert.deepEqual(given, [{ id: 'shop', password: 'secret' }]);
  assert.deepEqual(seen, [`${TOKEN} A020`, `${TOKEN} 429`, `${TOKEN} A100`, `${TOKEN} 401`]);
});

test('a failure is explained, and answered with its id', async () => {
  const { seen, ask } = routesOf(() => Promise.reject(new Error('a bug')));
  const answer = await ask({ 'x-svc-client-id': 'shop', 'x-svc-client-passwd': 'secret' });
  assert.deepEqual([answer?.status, answer?.headers['x-request-id']], [500, 'front-1']);
  assert.deepEqual(seen, ['Error: a bug', `${TOKEN} A999`, `${TOKEN} 500`]);
});
