import { pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';

const account = pathParameter('account', 'Account whose free number was called.', 'shop');

const COMMON = {
  tag: 'Callbacks',
  access: 'everyone',
  success: success(),
  codes: ['A002', 'A020', 'A300', 'A306', 'A920', 'A999'],
  notFound: 'There is no such account.',
} as const;

const HOW =
  'For the service behind a free opt-out number (080). "from" (or "caller") is who called, "to" (or "called") the number; as JSON, as a form or in the query. The caller is authenticated by BONGSU_OPT_OUT_TOKEN, as a bearer token or as the parameter "token". A000 means that the entry is on disk; to repeat a call is safe.';

export const optOutCallbackDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/optout/calls/{account}',
      operationId: 'takeOptOutCall',
      summary: 'Receive an opt-out by phone call',
      description: HOW,
      parameters: [account],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/optout/calls/{account}',
      operationId: 'takeOptOutCallInQuery',
      summary: 'Receive an opt-out by phone call in the query',
      description: HOW,
      parameters: [account],
    },
  ],
};
