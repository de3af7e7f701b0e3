/**
 * A misspelled parameter or member is refused with its name: ignored, a filter would show everything, and an order would reach
 * everybody. What there is says the document of the operation, so a route without a check of its own has this one.
 *
 * Objects that the document leaves open (`additionalProperties`), such as a send of the contract, are read by their own tables.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject, type JsonSchema } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { sendProblem } from '../envelope.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import { type ApiOperation, JSON_MEDIA } from '../openapi/operation.ts';

/** Compared with the route, not with the path as written. */
const OPERATORS = '/admin/v1/';
const LONGEST_SHOWN = 64;

type Operations = ReadonlyMap<string, ApiOperation>;

export function refuseUnknownNames(app: FastifyInstance): void {
  let operations: Promise<Operations> | undefined;
  app.addHook('preHandler', (request, reply, done) => {
    const { url } = request.routeOptions;
    if (!url?.startsWith(OPERATORS) || (isEmpty(request.query) && rawBody(request).length === 0))
      return done();
    operations ??= readOperations();
    operations.then(known => {
      const operation = known.get(keyOf(request.method, url));
      const problem = operation && (parameterProblem(request, operation) ?? bodyProblem(request, operation));
      if (problem) sendProblem(reply, problem);
      else done();
    }, done);
  });
}

/** Loaded with the first call that needs them, and not at every start. */
async function readOperations(): Promise<Operations> {
  const { RESOURCE_DOCUMENTS } = await import('../openapi/resource-documents.ts');
  const all = RESOURCE_DOCUMENTS.flatMap(({ operations }) => operations);
  return new Map(
    all.map(each => [keyOf(each.method.toUpperCase(), each.path.replaceAll(/\{(\w+)\}/g, ':$1')), each]),
  );
}

function keyOf(method: string, url: string): string {
  return `${method} ${url}`;
}

function parameterProblem({ query }: FastifyRequest, { parameters = [] }: ApiOperation): Problem | undefined {
  const known = parameters.filter(each => each.in === 'query').map(({ name }) => name);
  const stranger = Object.keys(query as object).find(name => !known.includes(name));
  return stranger === undefined ? undefined : unknownName('parameter', stranger, known);
}

function bodyProblem(request: FastifyRequest, operation: ApiOperation): Problem | undefined {
  if (operation.request?.type !== JSON_MEDIA) return undefined;
  const body = parseJsonBody(request);
  // What is no JSON is refused by the route.
  return body instanceof Problem ? undefined : memberProblem(body.json, operation.request.schema, '');
}

function memberProblem(value: unknown, schema: JsonSchema, path: string): Problem | undefined {
  if (Array.isArray(value) && isObject(schema.items)) {
    const items: JsonSchema = schema.items;
    return firstOf(value.entries(), ([index, item]) => memberProblem(item, items, `${path}[${index}]`));
  }
  if (!isObject(value) || !isObject(schema.properties) || schema.additionalProperties) return undefined;
  const { properties } = schema;
  return firstOf(Object.entries(value), ([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const full = path === '' ? name : `${path}.${name}`;
    if (own === undefined) return unknownName('member', full, Object.keys(properties));
    return isObject(own) ? memberProblem(member, own, full) : undefined;
  });
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => Problem | undefined): Problem | undefined {
  for (const item of items) {
    const problem = find(item);
    if (problem) return problem;
  }
  return undefined;
}

function unknownName(what: 'parameter' | 'member', name: string, known: readonly string[]): Problem {
  const shown = name.slice(0, LONGEST_SHOWN).toWellFormed();
  const expected = known.length === 0 ? '' : `; expected ${known.join(', ')}`;
  return new Problem('A300', `There is no ${what} "${shown}" here${expected}`);
}

function isEmpty(query: unknown): boolean {
  return !isObject(query) || Object.keys(query).length === 0;
}
