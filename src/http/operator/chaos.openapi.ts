import {
  type ApiOperation,
  closedObject,
  jsonRequest,
  reference,
  success,
  text,
} from '../openapi/operation.ts';
import { EXAMPLE_TIME } from './operation.openapi.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const CHAOS_PATH = '/admin/v1/simulator/chaos';
const CHAOS = { errorRate: 0.05, dropRate: 0, extraLatencyMs: 200 };
const NO_CHAOS = { errorRate: 0, dropRate: 0, extraLatencyMs: 0 };

const chaosRequest = {
  type: 'object',
  description: 'Members left out are off.',
  properties: {
    errorRate: { type: 'number', minimum: 0, maximum: 1 },
    dropRate: { type: 'number', minimum: 0, maximum: 1 },
    extraLatencyMs: { type: 'number', minimum: 0, maximum: 60_000 },
  },
  additionalProperties: false,
};

const health = closedObject({
  ready: { type: 'boolean', description: 'What /readyz says.' },
  reason: { type: ['string', 'null'], description: 'Why it is not.' },
  store: closedObject({
    state: { enum: ['ok', 'away', 'full'] },
    since: text('When this state began.'),
    detail: text('What the store said.'),
    advice: text('What to do; empty where there is nothing to do.'),
  }),
  carriers: {
    type: 'array',
    items: closedObject({
      name: text('Name of the carrier.'),
      state: { enum: ['idle', 'moving', 'full', 'stuck', 'connecting', 'slowed', 'down', 'paused'] },
      detail: text('Why, as the carrier tells it.'),
      headAgeSeconds: { type: 'integer', description: 'How long its oldest ready message has been due.' },
      windowFullSeconds: { type: 'integer', description: 'How long its window has been full.' },
      advice: text('What to do; empty where there is nothing to do.'),
    }),
  },
});

export const OPERATOR_OPERATIONS: readonly ApiOperation[] = [
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/health',
    operationId: 'readHealth',
    summary: 'How this node is doing',
    description: 'The store, and the way out by each carrier, with what to do about it.',
    success: success(
      { data: health },
      {
        data: {
          ready: true,
          reason: null,
          store: { state: 'ok', since: EXAMPLE_TIME, detail: '', advice: '' },
          carriers: [
            {
              name: 'acme',
              state: 'full',
              detail: 'https://api.acme.example',
              headAgeSeconds: 84,
              windowFullSeconds: 83,
              advice: 'Ask the carrier why it does not answer; other carriers are not affected.',
            },
          ],
        },
      },
    ),
    codes: ['A002', 'A020', 'A999'],
  },
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/queue',
    operationId: 'readQueue',
    summary: 'Depth of the queue',
    description: 'How many channel messages are ready, put off, claimed and waiting.',
    success: success(
      { data: reference('QueueDepth') },
      { data: { ready: 12, claimed: 4, waiting: 230, putOff: 3, oldestReadyAt: 1772411400000 } },
    ),
    codes: ['A002', 'A020', 'A999'],
  },
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/queue/set-aside',
    operationId: 'listSetAside',
    summary: 'Answers and receipts that could not be written',
    description:
      'The newest 100, each with the reason. Their messages are unknown until a receipt or the deadline.',
    success: success(
      { data: { type: 'array', items: reference('SetAside') } },
      { data: [{ at: 1772411400000, reason: 'invalid byte sequence', event: '{"kind":"receipt"}' }] },
    ),
    codes: ['A002', 'A020', 'A999'],
  },
  {
    ...COMMON,
    method: 'get',
    path: CHAOS_PATH,
    operationId: 'readChaos',
    summary: 'Failures of the simulated network',
    description: 'What the sandbox injects into all traffic now.',
    success: success({ data: reference('Chaos') }, { data: NO_CHAOS }),
    codes: ['A002', 'A020', 'A999'],
  },
  {
    ...COMMON,
    method: 'put',
    path: CHAOS_PATH,
    operationId: 'setChaos',
    summary: 'Inject failures into the simulated network',
    description: 'For the sandbox: errors, dropped links and delay for all traffic, until reset or restart.',
    request: jsonRequest(chaosRequest, { 'some errors, some delay': CHAOS }),
    success: success({ data: reference('Chaos') }, { data: CHAOS }),
    codes: ['A002', 'A010', 'A011', 'A020', 'A300', 'A999'],
  },
  {
    ...COMMON,
    method: 'delete',
    path: CHAOS_PATH,
    operationId: 'resetChaos',
    summary: 'Stop injecting failures',
    description: 'Back to a network that behaves.',
    success: success({ data: reference('Chaos') }, { data: NO_CHAOS }),
    codes: ['A002', 'A020', 'A999'],
  },
];
