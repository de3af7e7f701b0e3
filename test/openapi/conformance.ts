/** Holds requests and answers against the API document. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { koreanSentence } from '../../src/domain/korean/korean.ts';
import { API_OPERATIONS, apiDocument } from '../../src/http/openapi/document.ts';
import type { Answer } from '../harness/gateway.ts';

type Node = Readonly<Record<string, unknown>>;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Conformance {
  /** The answer is one that the document has for this call. */
  assertAnswer(method: Method, path: string, answer: Omit<Answer, 'refusal'>): void;
  /** The body is one that the operation takes, without members that it does not name. */
  assertRequest(operationId: string, body: unknown): void;
}

export function createConformance(): Conformance {
  const document = apiDocument() as unknown as Node;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', ...document });
  const validators = new Map<string, ValidateFunction>();

  /** The validator of the schema at a place in the document. */
  function validatorAt(steps: readonly string[], extra: Node = {}): ValidateFunction {
    const pointer = steps.map(step => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const known = validators.get(pointer);
    if (known) return known;
    const made = ajv.compile({ $ref: `api#/${encodeURI(pointer)}`, ...extra });
    validators.set(pointer, made);
    return made;
  }

  function assertValid(validate: ValidateFunction, value: unknown, what: string): void {
    const isValid = validate(value);
    assert.ok(isValid, `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }

  return {
    assertAnswer(method, path, answer) {
      const template = templateOf(method, path);
      const what = `${method} ${template} ${answer.status}`;
      const place = ['paths', template, method.toLowerCase(), 'responses', String(answer.status)];
      const response = at(document, place);
      assert.ok(response, `the document has no ${what} (${answer.text})`);
      const shared = typeof response.$ref === 'string' ? response.$ref.slice(2).split('/') : place;
      const [type = ''] = String(answer.headers['content-type']).split(';');
      assert.ok(TYPES.includes(type), what);
      const value = answer.body ?? answer.text;
      assertValid(validatorAt([...shared, 'content', type, 'schema']), value, what);
      if (!answer.body) return;
      const { result } = answer.body;
      assert.ok(koreanSentence(result), `${what}: there is no Korean for "${result}"`);
    },
    assertRequest(operationId, body) {
      const operation = API_OPERATIONS.find(each => each.operationId === operationId);
      assert.ok(operation, operationId);
      const place = ['paths', operation.path, operation.method, 'requestBody', 'content', 'application/json'];
      assertValid(validatorAt([...place, 'schema'], { unevaluatedProperties: false }), body, operationId);
    },
  };
}

const TYPES = [
  ...['application/json', 'application/x-ndjson'],
  ...['text/csv', 'application/octet-stream', 'application/x-tar'],
];

/** The path of the document that a real path belongs to. */
function templateOf(method: string, path: string): string {
  const [bare = ''] = path.split('?');
  const found = API_OPERATIONS.find(operation => {
    const pattern = operation.path.replaceAll(/\{\w+\}/g, '[^/]+');
    return operation.method.toUpperCase() === method && new RegExp(`^${pattern}$`).test(bare);
  });
  assert.ok(found, `the document has no ${method} ${path}`);
  return found.path;
}

export function at(root: Node, steps: readonly string[]): Node | undefined {
  return steps.reduce<Node | undefined>((node, step) => node?.[step] as Node | undefined, root);
}
