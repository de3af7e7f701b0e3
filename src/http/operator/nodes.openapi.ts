import type { JsonSchema } from '../../domain/request/fields.ts';
import { DRIFT_KINDS, NODE_STATES } from '../../operate/nodes.ts';
import { closedObject, count, reference, text } from '../../operations/schemas.ts';
import { type ApiOperation, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const NAME = pathParameter('node', 'Name of the node, or of a host on which one node runs.', 'gateway-1');

const texts = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const textOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description });

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Node: closedObject({
    node: text('Its name: BONGSU_NODE_NAME, or host and port.'),
    host: textOrNull('The host it runs on.'),
    pid: { type: ['integer', 'null'], description: 'Its process id there.' },
    version: textOrNull('Its version.'),
    state: {
      type: 'string',
      enum: [...NODE_STATES],
      description:
        'drained: it sends nothing and waits for no answer, and may be stopped. gone: it died, and has not been started again under its name.',
    },
    startedAt: textOrNull('When it started.'),
    since: textOrNull('Since when it is draining, or gone.'),
    clockSkewMs: {
      type: ['integer', 'null'],
      description:
        'How far its clock is ahead of the clock of the database, in milliseconds; null if unknown.',
    },
    isClockWrong: { type: 'boolean', description: 'Its clock is more than two seconds off.' },
    inFlight: count('Parts that wait for an answer of a carrier.'),
    carriers: texts('Carriers that it runs.'),
  }),
  NodeDrift: closedObject({
    kind: { type: 'string', enum: [...DRIFT_KINDS], description: 'What differs.' },
    name: text('The setting or the carrier; empty for the others.'),
    groups: {
      type: 'array',
      items: texts('Nodes that agree with each other.'),
      description: 'The nodes, grouped by who agrees, the largest group first.',
    },
  }),
};

const NODE_EXAMPLE = {
  node: 'gateway-1',
  host: 'gateway-1.internal',
  pid: 412,
  version: '0.3.0',
  state: 'running',
  startedAt: '2026-03-02T09:30:00+09:00',
  since: null,
  clockSkewMs: 3,
  isClockWrong: false,
  inFlight: 12,
  carriers: ['sky'],
};

function change(verb: 'drain' | 'resume' | 'forget', summary: string, description: string): ApiOperation {
  return {
    ...COMMON,
    method: 'post',
    path: `/admin/v1/nodes/{node}/${verb}`,
    operationId: `${verb}Node`,
    role: 'operator',
    summary,
    description,
    parameters: [NAME],
    success: success({ data: closedObject({ node: text('The node.') }) }, { data: { node: 'gateway-1' } }),
    codes: ['A002', 'A300', 'A999'],
    notFound: 'There is no such node.',
  };
}

export const operatorNodesDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/nodes',
      operationId: 'listNodes',
      role: 'viewer',
      summary: 'List the nodes, and in what they differ',
      description:
        'All nodes that share the database, those that died within the last day included. Settings are compared by fingerprints; settings that may differ, such as the port, are not.',
      success: success(
        {
          data: closedObject({
            nodes: { type: 'array', items: reference('Node') },
            drift: { type: 'array', items: reference('NodeDrift') },
          }),
        },
        {
          data: {
            nodes: [NODE_EXAMPLE],
            drift: [
              {
                kind: 'setting',
                name: 'BONGSU_QUEUE_LIMIT',
                groups: [['gateway-1'], ['gateway-2']],
              },
            ],
          },
        },
      ),
      codes: ['A002', 'A020', 'A999'],
    },
    change(
      'drain',
      'Drain a node',
      'Within two seconds it is not ready, and sends and fetches nothing more; other nodes do. It still answers requests, so that none is lost before the load balancer has noticed. When its state is drained, it may be stopped.',
    ),
    change('resume', 'Let a drained node send again', 'Ends the draining of a node.'),
    change(
      'forget',
      'Forget a node that is gone',
      'It is no longer shown, nor are its carriers. A node that is alive is refused with A300. Its messages are taken over in either case; a node that has died is forgotten after a day by itself.',
    ),
  ],
  schemas: SCHEMAS,
};
