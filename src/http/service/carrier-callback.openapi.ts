import { pathParameter, type ResourceDocument } from '../openapi/operation.ts';

const carrier = pathParameter('carrier', 'Name of the carrier in bongsu.yaml.', 'sky');
const attemptId = pathParameter(
  'attemptId',
  'The submit attempt that this URL was made for.',
  '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1',
);
const token = pathParameter('token', 'Proof that this gateway made the URL.', 'Zk3v9Yw2Qf8');

const COMMON = {
  tag: 'Callbacks',
  access: 'everyone',
  success: [{ type: 'text/plain', schema: { type: 'string' }, examples: {} }],
  codes: [],
  notFound: 'There is no such carrier, or it accepts no callbacks.',
} as const;

const HOW =
  'The format of the body and of the answer is set in bongsu.yaml. The status is 2xx once the receipts are settled, 401 if the caller cannot be authenticated, 400 if the body cannot be read, 429 after too many calls that were not authenticated, and 503 if the provider has to try again.';

const INBOUND =
  'Where the sender, the number, the text and the id are is set in bongsu.yaml, as is the answer. The status is 2xx once the messages are stored, 401 if the caller cannot be authenticated, 400 if the body cannot be read, 429 after too many calls that were not authenticated, and 503 if the provider has to try again.';

export const carrierCallbackDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/carriers/{carrier}/inbound',
      operationId: 'takeInbound',
      summary: 'Receive messages of people from a provider',
      description: INBOUND,
      parameters: [carrier],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/carriers/{carrier}/inbound',
      operationId: 'takeInboundInQuery',
      summary: 'Receive a message of a person in the query',
      description: INBOUND,
      parameters: [carrier],
    },
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
