import { pathParameter, type ResourceDocument } from '../openapi/operation.ts';

const carrier = pathParameter('carrier', 'Name of the carrier in bongsu.yaml.', 'sky');
const attemptId = pathParameter(
  'attemptId',
  'The attempt that the address was made for.',
  '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1',
);
const token = pathParameter('token', 'The proof that this gateway made the address.', 'Zk3v9Yw2Qf8');

const COMMON = {
  tag: 'Callbacks',
  access: 'everyone',
  success: [{ type: 'text/plain', schema: { type: 'string' }, examples: {} }],
  codes: [],
  notFound: 'There is no such carrier, or it takes no callbacks.',
} as const;

const HOW =
  'The body is what the provider sends, and the answer what bongsu.yaml says: 2xx after the receipts are settled, 401 when the caller cannot prove who it is, 400 when the body cannot be read, 503 when the provider must come again.';

export const carrierCallbackDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/carriers/{carrier}/receipts',
      operationId: 'takeReceipts',
      summary: 'Take receipts from a provider',
      description: HOW,
      parameters: [carrier],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/carriers/{carrier}/receipts',
      operationId: 'takeReceiptsInQuery',
      summary: 'Take a receipt in the query',
      description: HOW,
      parameters: [carrier],
    },
    {
      ...COMMON,
      method: 'post',
      path: '/carriers/{carrier}/receipts/{attemptId}/{token}',
      operationId: 'takeReceiptsOfAttempt',
      summary: 'Take receipts of one attempt',
      description: HOW,
      parameters: [carrier, attemptId, token],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/carriers/{carrier}/receipts/{attemptId}/{token}',
      operationId: 'takeReceiptsOfAttemptInQuery',
      summary: 'Take a receipt of one attempt in the query',
      description: HOW,
      parameters: [carrier, attemptId, token],
    },
  ],
};
