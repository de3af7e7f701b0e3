import { pathParameter, type ResourceDocument } from '../openapi/operation.ts';

const carrier = pathParameter('carrier', 'Name of the carrier in bongsu.yaml.', 'sky');
const attemptId = pathParameter(
  'attemptId',
  'The attempt that the address belongs to.',
  '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1',
);
const token = pathParameter('token', 'Signature of the gateway over the address.', 'Zk3v9Yw2Qf8');

const COMMON = {
  tag: 'Callbacks',
  access: 'everyone',
  success: [{ type: 'text/plain', schema: { type: 'string' }, examples: {} }],
  codes: [],
  notFound: 'There is no such carrier, or it accepts no callbacks.',
} as const;

const HOW =
  'The provider decides the body, and bongsu.yaml the answer: 2xx after the receipts are settled, 401 if the caller fails the configured checks, 400 if the body cannot be read, 503 if the provider must send them again.';

export const carrierCallbackDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/carriers/{carrier}/receipts',
      operationId: 'takeReceipts',
      summary: 'Receive receipts from a provider',
      description: HOW,
      parameters: [carrier],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/carriers/{carrier}/receipts',
      operationId: 'takeReceiptsInQuery',
      summary: 'Receive a receipt in the query',
      description: HOW,
      parameters: [carrier],
    },
    {
      ...COMMON,
      method: 'post',
      path: '/carriers/{carrier}/receipts/{attemptId}/{token}',
      operationId: 'takeReceiptsOfAttempt',
      summary: 'Receive receipts for one attempt',
      description: HOW,
      parameters: [carrier, attemptId, token],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/carriers/{carrier}/receipts/{attemptId}/{token}',
      operationId: 'takeReceiptsOfAttemptInQuery',
      summary: 'Receive a receipt for one attempt in the query',
      description: HOW,
      parameters: [carrier, attemptId, token],
    },
  ],
};
