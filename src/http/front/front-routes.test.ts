import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import test from 'node:test';
import { Problem } from '../../domain/request/problem.ts';
import type { Desk } from '../contract/desk.ts';
import { createFrontRoutes, type GivenRequest } from './front-routes.ts';

const TOKEN = '/v1/auth/token';
const SEND = '/v1/send/sms';

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
    routes.find('POST', TOKEN, headers)?.({ headers, address: '10.0.0.1' } as GivenRequest);
  return { routes, seen, ask };
}

test('sends and requests for tokens that say how long they are need no framework', () => {
  const { routes } = routesOf(async () => '');
  const isFound = (target: string, headers: IncomingHttpHeaders, method = 'POST') =>
    routes.find(method, target, headers) !== undefined;
  for (const target of [SEND, TOKEN]) {
    assert.equal(isFound(target, { 'content-length': '10' }), true);
    assert.equal(isFound(target, { 'content-length': '1048577' }), false);
    assert.equal(isFound(target, { 'content-length': '10' }, 'GET'), false);
    assert.equal(isFound(target, { 'transfer-encoding': 'chunked' }), false);
    assert.equal(isFound(`${target}/`, { 'content-length': '10' }), false);
  }
  assert.equal(isFound(TOKEN, {}), true, 'nothing follows');
  assert.equal(isFound(SEND, {}), false);
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
