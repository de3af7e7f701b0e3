import { EXAMPLE_TIME } from '../../operations/common.ts';
import type { ResourceDocument } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Figures', access: 'operator' } as const;

const EVENTS = `event: messages
data: {"rows":[{"at":"${EXAMPLE_TIME}","msgKey":"06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000","account":"shop","to":"01012345678","channel":"sms","event":"ended","state":"delivered","code":"10000"}],"skipped":0}

event: figures
data: {"at":"${EXAMPLE_TIME}","acceptedPerSecond":12,"endedPerSecond":11,"channels":{"sms":{"delivered":11,"failed":0}},"p50Ms":320,"p99Ms":610,"queue":{"ready":0,"claimed":2,"waiting":9}}
`;

export const operatorEventsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/admin/v1/events',
      operationId: 'watchEvents',
      role: 'viewer',
      summary: 'Watch live events',
      description:
        'Server-sent events of all nodes: `messages` at most four times a second with the newest 50 rows and how many were skipped, `figures` once a second. Ends after 15 minutes; browsers reconnect automatically.',
      parameters: [queryParameter('account', 'Only rows of this account.', 'shop')],
      success: [{ type: 'text/event-stream', schema: { type: 'string' }, examples: { events: EVENTS } }],
      codes: READ_CODES,
    },
  ],
};
