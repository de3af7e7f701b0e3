import { CHANNELS } from '../../domain/channels/channel.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import {
  type ApiOperation,
  type ApiParameter,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { closedObject, reference, text } from '../openapi/schemas.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const NAME = pathParameter('name', 'Name of the carrier in bongsu.yaml.', 'simulator');
const NO_CARRIER = 'There is no such carrier.';

const integer = (description: string): JsonSchema => ({ type: 'integer', description });
const texts = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Carrier: closedObject({
    name: text('Its name in bongsu.yaml.'),
    kind: text('smpp, http or simulator.'),
    node: text('The node that tells of it; empty where none runs it.'),
    state: { type: 'string', enum: ['connecting', 'up', 'slowed', 'down'] },
    detail: text('For people: why it is not up, or what it is connected to.'),
    since: { type: ['string', 'null'], description: 'When this state began.' },
    paused: { type: 'boolean', description: 'An operator has paused it.' },
    channels: texts('Channels it serves.'),
    window: integer('Parts it takes before the first is answered.'),
    inFlight: integer('Parts that wait for an answer.'),
    rate: integer('Parts a second; 0 means no limit.'),
    foundRate: {
      type: ['number', 'null'],
      description: 'Parts a second that it was found to take; null where it takes all that settings allow.',
    },
    throttled: integer('Submits since the node started that it refused because it takes less.'),
    hint: {
      type: ['string', 'null'],
      description: 'For people: a setting that seems wrong, and the one that would serve.',
    },
    sent: {
      type: 'object',
      description: 'Answers since the node started, by kind.',
      additionalProperties: true,
    },
  }),
  RouteVerdict: closedObject({
    route: integer('Position in bongsu.yaml, from 0.'),
    matches: { type: 'boolean' },
    why: text('For people.'),
  }),
  Route: closedObject({
    index: integer('Position in bongsu.yaml, from 0.'),
    channel: text('Channel it serves.'),
    prefix: texts('Heads of recipient numbers; none means all.'),
    account: texts('Accounts; none means all.'),
    weight: { type: ['integer', 'null'] },
    via: texts('Carriers in order of preference.'),
  }),
};

const CARRIER_EXAMPLE = {
  name: 'simulator',
  kind: 'simulator',
  node: 'node-7Q2M4X9KTB',
  state: 'up',
  detail: 'a simulated network',
  since: '2026-03-02T09:30:00+09:00',
  paused: false,
  channels: ['sms', 'rcs'],
  window: 1000,
  inFlight: 3,
  rate: 0,
  foundRate: 198.4,
  throttled: 12,
  hint: null,
  sent: { accepted: 1204, permanent: 7, temporary: 0, unknown: 0 },
};

function query(
  name: string,
  description: string,
  schema: JsonSchema,
  example: string,
  required = false,
): ApiParameter {
  return { name, in: 'query', description, schema, example, required };
}

function change(verb: 'pause' | 'resume', summary: string, description: string): ApiOperation {
  return {
    ...COMMON,
    method: 'post',
    path: `/admin/v1/carriers/{name}/${verb}`,
    operationId: `${verb}Carrier`,
    summary,
    description,
    parameters: [NAME],
    success: success({ data: closedObject({ name: text('The carrier.') }) }, { data: { name: 'simulator' } }),
    codes: ['A002', 'A999'],
    notFound: NO_CARRIER,
  };
}

export const operatorCarriersDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/carriers',
      operationId: 'listCarriers',
      summary: 'Carriers and their state',
      description: 'One line for each carrier and node.',
      success: success(
        { data: closedObject({ carriers: { type: 'array', items: reference('Carrier') } }) },
        { data: { carriers: [CARRIER_EXAMPLE] } },
      ),
      codes: ['A002', 'A999'],
    },
    change(
      'pause',
      'Stop sending by a carrier',
      'On every node, until it is resumed. Traffic goes to the next carrier of its routes; without one it waits.',
    ),
    change('resume', 'Send by a carrier again', 'What waited for it goes out.'),
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/carriers/{name}/test',
      operationId: 'testCarrier',
      summary: 'Ask a carrier for a sign of life',
      description: 'Over the running link, without sending a message.',
      parameters: [NAME],
      success: success(
        {
          data: closedObject({
            isOk: { type: 'boolean' },
            detail: text('What was tried and what came back.'),
          }),
        },
        { data: { isOk: true, detail: 'the simulated network is always there' } },
      ),
      codes: ['A002', 'A999'],
      notFound: NO_CARRIER,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/routes',
      operationId: 'listRoutes',
      summary: 'Routes in their order',
      description: 'As bongsu.yaml has them, and the carrier of what matches none.',
      success: success(
        {
          data: closedObject({
            routes: { type: 'array', items: reference('Route') },
            otherwise: {
              type: ['string', 'null'],
              description: 'Serves the rest; null where the rest is refused.',
            },
          }),
        },
        { data: { routes: [], otherwise: 'simulator' } },
      ),
      codes: ['A002', 'A999'],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/routes/explain',
      operationId: 'explainRoute',
      summary: 'Which way a message would go, and why',
      description: 'Nothing is sent. The state of the carriers counts, as it does for a message.',
      parameters: [
        query('channel', 'Channel of the message.', { type: 'string', enum: [...CHANNELS] }, 'sms', true),
        query('to', 'Recipient.', { type: 'string' }, '01012345678', true),
        query('account', 'Account that sends.', { type: 'string' }, 'shop'),
      ],
      success: success(
        {
          data: closedObject({
            carrier: { type: ['string', 'null'], description: 'null: no route serves it.' },
            why: text('For people.'),
            considered: { type: 'array', items: reference('RouteVerdict') },
          }),
        },
        {
          data: { carrier: 'simulator', why: 'no route matches; simulator serves the rest', considered: [] },
        },
      ),
      codes: ['A002', 'A300', 'A999'],
    },
  ],
  schemas: SCHEMAS,
};
