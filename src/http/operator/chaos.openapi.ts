import { CHAOS_SETTINGS, NO_CHAOS } from '../../domain/delivery/chaos.ts';
import { closedObject, reference } from '../../operations/schemas.ts';
import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const CHAOS_PATH = '/admin/v1/simulator/chaos';
const CHAOS = { errorRate: 0.05, extraLatencyMs: 200 };
const BAD_NIGHT = { partLength: 40, partErrorRate: 0.1, throttleAbove: 20, lateRate: 0.05 };

const SETTINGS = Object.fromEntries(
  CHAOS_SETTINGS.map(({ name, max, isWhole, description }) => {
    const type = isWhole ? ('integer' as const) : ('number' as const);
    return [name, { type, minimum: 0, maximum: max, description }];
  }),
);

const chaosRequest = {
  type: 'object',
  description: 'Faults that are left out are off.',
  properties: SETTINGS,
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
        'For the sandbox: errors, dropped connections, late answers, throttling, texts in parts and delay for all traffic, until reset or restart.',
      request: jsonRequest(chaosRequest, {
        'some errors, some delay': CHAOS,
        'parts, throttling, late answers': BAD_NIGHT,
      }),
      success: success({ data: reference('Chaos') }, { data: { ...NO_CHAOS, ...CHAOS } }),
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
  schemas: { Chaos: closedObject(SETTINGS) },
};
