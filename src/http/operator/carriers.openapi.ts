import { CHANNELS } from '../../domain/channels/channel.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { closedObject, reference, text } from '../../operations/schemas.ts';
import { type ApiOperation, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter } from './operation.openapi.ts';

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
    node: text('The node that reports it; empty if no node runs it.'),
    state: {
      type: 'string',
      enum: ['connecting', 'up', 'full', 'waiting', 'slowed', 'down', 'gone'],
      description: 'full: it has not answered what it was sent, and takes no more. gone: its node has died.',
    },
    detail: text('For people: what it is connected to, or why it is not up.'),
    since: { type: ['string', 'null'], description: 'When this state began.' },
    paused: { type: 'boolean', description: 'An operator has paused it.' },
    channels: texts('Channels it serves.'),
    window: integer('Most parts that may wait for an answer at once.'),
    inFlight: integer('Parts that wait for an answer.'),
    rate: integer('Parts a second; 0 means no limit.'),
    foundRate: {
      type: ['number', 'null'],
      description:
        'Parts a second that the carrier was measured to accept; null if it accepts as much as the settings allow.',
    },
    throttled: integer('Submits that the carrier refused as too fast, since the node started.'),
    breakerOpenUntil: {
      type: ['string', 'null'],
      description:
        'Until when nothing is sent through it, because it takes nothing or loses much; null where that is not so.',
    },
    hint: {
      type: ['string', 'null'],
      description: 'For people: a setting that seems wrong, and a better value.',
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
    prefix: texts('Prefixes of recipient numbers; none means all.'),
    account: texts('Accounts; none means all.'),
    weight: { type: ['integer', 'null'] },
    via: texts('Carriers in order of preference.'),
  }),
};

const CARRIER_EXAMPLE = {
  name: 'simulator',
  kind: 'simulator',
  node: 'gateway-1',
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
  breakerOpenUntil: null,
  hint: null,
  sent: { accepted: 1204, permanent: 7, temporary: 0, unknown: 0 },
};

function change(verb: 'pause' | 'resume' | 'reconnect', summary: string, description: string): ApiOperation {
  return {
    ...COMMON,
    method: 'post',
    path: `/admin/v1/carriers/{name}/${verb}`,
    operationId: `${verb}Carrier`,
    role: 'operator',
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
      role: 'viewer',
      summary: 'List the carriers and their state',
      description: 'One line for each carrier and node.',
      success: success(
        { data: closedObject({ carriers: { type: 'array', items: reference('Carrier') } }) },
        { data: { carriers: [CARRIER_EXAMPLE] } },
      ),
      codes: ['A002', 'A999'],
    },
    change(
      'pause',
      'Pause a carrier',
      'On every node, until it is resumed. Its messages go to the next carrier of their route; if there is none, they wait.',
    ),
    change('resume', 'Resume a carrier', 'Messages that waited for it are sent.'),
    change(
      'reconnect',
      'Try a carrier at once',
      'Nodes on which it waits before the next attempt, because it refused the bind, failed or asked for a pause, make that attempt within a second. Where it works nothing changes.',
    ),
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/carriers/{name}/test',
      operationId: 'testCarrier',
      role: 'operator',
      summary: 'Test the connection to a carrier',
      description:
        'Over the current connection, without sending a message. If it succeeds, no node waits any longer before its next attempt.',
      parameters: [NAME],
      success: success(
        {
          data: closedObject({
            isOk: { type: 'boolean' },
            detail: text('What was tried, and the result.'),
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
      role: 'viewer',
      summary: 'List the routes',
      description: 'As in bongsu.yaml, and the carrier for messages that match none.',
      success: success(
        {
          data: closedObject({
            routes: { type: 'array', items: reference('Route') },
            otherwise: {
              type: ['string', 'null'],
              description: 'Carrier for all other messages; null if they are refused.',
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
      role: 'viewer',
      summary: 'Explain the route of a message',
      description: 'Nothing is sent. The current state of the carriers is taken into account.',
      parameters: [
        {
          ...queryParameter('channel', 'Channel of the message.', 'sms', {
            type: 'string',
            enum: [...CHANNELS],
          }),
          required: true,
        },
        { ...queryParameter('to', 'Recipient.', '01012345678'), required: true },
        queryParameter('account', 'Account of the sender.', 'shop'),
      ],
      success: success(
        {
          data: closedObject({
            carrier: { type: ['string', 'null'], description: 'null if no route matches.' },
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
