import assert from 'node:assert/strict';
import test from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { API_OPERATIONS, apiDocument } from '../../src/http/openapi/document.ts';
import { REQUEST_COMPONENTS } from '../../src/http/openapi/request-schemas.ts';
import { testGateway } from '../harness/gateway.ts';
import { at } from './conformance.ts';

type Node = Readonly<Record<string, unknown>>;

test('the linter of OpenAPI documents finds nothing', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // Health checks have nothing to refuse.
      'operation-4xx-response': 'off',
      // Its default takes the recipient beside a choice of message types for an unknown member. The conformance
      // test looks for unknown members with a validator that does not.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const source = JSON.stringify(apiDocument());
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
  const refusesEmptyPaths = await lintFromString({
    source: source.replace('"operationId":"sendSms",', ''),
    absoluteRef: 'openapi.json',
    config,
  });
  assert.equal(refusesEmptyPaths[0]?.ruleId, 'operation-operationId', 'the linter is at work');
});

test('the document has every route, and no other', async t => {
  const { gateway } = await testGateway(t);
  await gateway.http.ready();
  const answered = routesOf(gateway.http.printRoutes({ commonPrefix: false }));
  // HEAD is GET without the body.
  const routes = answered.filter(route => !route.startsWith('HEAD '));
  const described = API_OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${bare(path)}`);
  // The pages that show the document are not part of the API.
  const served = routes.filter(route => !/^GET \/((docs|openapi\.json|console)(\/|\*|$)|$)/.test(route));
  assert.deepEqual(served.sort(), described.sort());
});

/** `GET /v1/form/{}` for every line of the printed tree, whose children continue the path of their parent. */
function routesOf(tree: string): string[] {
  const parents: string[] = [];
  const routes: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', segment = '', methods] =
      /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (segment === '') continue;
    const depth = indent.length / 4;
    parents.length = depth;
    parents.push(segment);
    const path = bare(parents.join(''));
    routes.push(...(methods?.split(', ') ?? []).map(method => `${method} ${path}`));
  }
  return routes;
}

/** Names of parameters differ between routes and document; their places do not. */
function bare(path: string): string {
  return path.replaceAll(/:\w+|\{\w+\}/g, '{}');
}

test('operation ids are unique, in camelCase, and every operation says what it is', () => {
  const ids = API_OPERATIONS.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { operationId, summary, description } of API_OPERATIONS) {
    assert.match(operationId, /^[a-z]+([A-Z][a-z]+)*$/);
    assert.ok(summary.length < 60 && description.length > 10, operationId);
  }
});

test('every object of a response says what members it has', () => {
  const document = apiDocument() as unknown as Node;
  const open: string[] = [];
  const seen = new Set<string>();

  function look(node: unknown, place: string): void {
    if (typeof node !== 'object' || node === null) return;
    const schema = node as Node;
    if (typeof schema.$ref === 'string') {
      const steps = schema.$ref.slice(2).split('/');
      // What the client sent comes back as it was.
      const isEcho = Object.hasOwn(REQUEST_COMPONENTS, steps.at(-1) ?? '');
      if (isEcho || seen.has(schema.$ref)) return;
      seen.add(schema.$ref);
      look(at(document, steps), schema.$ref);
      return;
    }
    if (schema.type === 'object' && schema.additionalProperties === undefined) open.push(place);
    for (const [name, member] of Object.entries(schema)) look(member, `${place}/${name}`);
  }

  for (const [path, operations] of Object.entries(apiDocument().paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      look(operation.responses, `${method} ${path}`);
    }
  }
  assert.ok(seen.size > 10);
  assert.deepEqual(open, []);
});

test('/openapi.json is the document, with the header names of the gateway', async t => {
  const gateway = await testGateway(t, { BONGSU_HEADER_PREFIXES: 'IB,SVC' });
  const answer = await gateway.request('GET', '/openapi.json');
  assert.equal(answer.status, 200);
  assert.equal(answer.text, JSON.stringify(apiDocument('IB')));
  assert.match(answer.text, /"X-IB-Client-Id"/);
  assert.deepEqual((answer.body as unknown as Node).servers, [
    { url: '/', description: 'The gateway that serves this document.' },
  ]);
});

test('the document is in the language of the caller', async t => {
  const gateway = await testGateway(t);
  const korean = await gateway.request('GET', '/openapi.json', { headers: { 'accept-language': 'ko' } });
  assert.equal(korean.text, JSON.stringify(apiDocument('SVC', 'ko')));
  assert.deepEqual([korean.headers['content-language'], korean.headers.vary], ['ko', 'accept-language']);
});

test('/docs works without the internet: it names no other server and may ask none', async t => {
  const { gateway } = await testGateway(t);
  for (const url of ['/docs', '/docs/', '/docs/sendSms', '/docs/operator?x']) {
    const page = await gateway.http.inject({ url });
    assert.equal(page.statusCode, 200, url);
    assert.doesNotMatch(page.body, /https?:|["(]\/\//);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe/);
  }
});
