import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { closedObject, reference } from '../openapi/schemas.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const CHAOS_PATH = '/admin/v1/simulator/chaos';
const CHAOS = { errorRate: 0.05, dropRate: 0, extraLatencyMs: 200 };
const NO_CHAOS = { errorRate: 0, dropRate: 0, extraLatencyMs: 0 };

const chaosRequest = {
  type: 'object',
  description: 'Faults that are left out are off.',
  properties: {
    errorRate: { type: 'number', minimum: 0, maximum: 1 },
    dropRate: { type: 'number', minimum: 0, maximum: 1 },
    extraLatencyMs: { type: 'number', minimum: 0, maximum: 60_000 },
  },
  additionalProperties: false,
};

export const operatorChaosDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: CHAOS_PATH,
      operationId: 'readChaos',
      role: 'viewer',
      summary: 'Show the injected failures',
      description: 'The failures that the sandbox injects into all traffic.',
      success: success({ data: reference('Chaos') }, { data: NO_CHAOS }),
      codes: ['A002', 'A020', 'A999'],
    },
    {
      ...COMMON,
      method: 'put',
      path: CHAOS_PATH,
      operationId: 'setChaos',
      role: 'operator',
      summary: 'Inject failures into the simulated network',
      description:
        'For the sandbox: errors, dropped connections and delay for all traffic, until reset or restart.',
      request: jsonRequest(chaosRequest, { 'some errors, some delay': CHAOS }),
      success: success({ data: reference('Chaos') }, { data: CHAOS }),
      codes: ['A002', 'A010', 'A011', 'A020', 'A300', 'A999'],
    },
    {
      ...COMMON,
      method: 'delete',
      path: CHAOS_PATH,
      operationId: 'resetChaos',
      role: 'operator',
      summary: 'Stop injecting failures',
      description: 'The simulated network works normally again.',
      success: success({ data: reference('Chaos') }, { data: NO_CHAOS }),
      codes: ['A002', 'A020', 'A999'],
    },
  ],
  schemas: {
    Chaos: closedObject({
      errorRate: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Share of submits that are temporarily refused.',
      },
      dropRate: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Share of submits whose connection is dropped.',
      },
      extraLatencyMs: { type: 'number', minimum: 0, maximum: 60_000, description: 'Added to every answer.' },
    }),
  },
};
