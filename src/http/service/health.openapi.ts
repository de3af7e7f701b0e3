import { type ResourceDocument, success } from '../openapi/operation.ts';

const COMMON = { method: 'get', tag: 'Health', access: 'everyone' } as const;

export const healthDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/healthz',
      operationId: 'checkProcess',
      summary: 'Is the process alive?',
      description: 'Answers as long as the process runs.',
      success: success(),
      codes: [],
    },
    {
      ...COMMON,
      path: '/readyz',
      operationId: 'checkService',
      summary: 'Is the service ready?',
      description:
        'For a load balancer: the store takes writes and answers in time, and the queue moves. The state of a single carrier is in `/admin/v1/health`.',
      success: success(),
      codes: ['A920'],
    },
    {
      ...COMMON,
      path: '/metrics',
      operationId: 'readMetrics',
      summary: 'Metrics for Prometheus',
      description: 'Text format of Prometheus.',
      success: [
        {
          type: 'text/plain',
          schema: { type: 'string' },
          examples: { metrics: 'bongsu_accepted_total 42\n' },
        },
      ],
      codes: [],
    },
  ],
};
