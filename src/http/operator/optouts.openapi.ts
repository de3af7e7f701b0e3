import { pathParameter, type ResourceDocument } from '../openapi/operation.ts';
import {
  CSV_REQUEST,
  OPT_OUT_ENTRY,
  OPT_OUT_FILE,
  OPT_OUT_FILTERS,
  OPT_OUT_PAGE,
  OPT_OUTS_ADDED,
  OPT_OUTS_REQUEST,
} from '../opt-out.openapi.ts';
import { accountId, CHANGE_CODES, cursor, NO_ACCOUNT, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Accounts', access: 'operator' } as const;
const LIST = '/admin/v1/accounts/{id}/optouts';

export const operatorOptOutsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: LIST,
      operationId: 'listOptOutsOf',
      role: 'viewer',
      summary: 'List recipients who opted out of an account',
      description: 'Newest first. Numbers are masked as in findMessages.',
      parameters: [accountId, ...OPT_OUT_FILTERS],
      success: OPT_OUT_PAGE,
      codes: [...READ_CODES, 'A306'],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: LIST,
      operationId: 'addOptOutsOf',
      role: 'operator',
      summary: 'Add recipients who opted out of an account',
      description: 'As addOptOuts, on behalf of the account. All of them or none.',
      parameters: [accountId],
      request: OPT_OUTS_REQUEST,
      success: OPT_OUTS_ADDED,
      codes: [...CHANGE_CODES, 'A306'],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: `${LIST}/{optOutId}`,
      operationId: 'endOptOut',
      role: 'operator',
      summary: 'Record the renewed consent of a recipient',
      description: 'Ends one entry. It stays on the list as proof.',
      parameters: [accountId, pathParameter('optOutId', 'Id of the entry.', '17')],
      success: OPT_OUT_ENTRY,
      codes: READ_CODES,
      notFound: 'There is no such account, or no such entry that has not ended.',
    },
    {
      ...COMMON,
      method: 'get',
      path: `${LIST}/csv`,
      operationId: 'exportOptOutsOf',
      role: 'viewer',
      summary: 'Export the opt-outs of an account as CSV',
      description:
        'Entries that have ended included. At most 10,000 rows; where there is more, the header Bongsu-Next has the cursor of the next part. Numbers are masked as in findMessages. Recorded in the audit log.',
      parameters: [accountId, cursor('17')],
      success: OPT_OUT_FILE,
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${LIST}/csv`,
      operationId: 'importOptOutsOf',
      role: 'operator',
      summary: 'Import opt-outs of an account from CSV',
      description: 'As importOptOuts, on behalf of the account.',
      parameters: [accountId],
      request: CSV_REQUEST,
      success: OPT_OUTS_ADDED,
      codes: [...READ_CODES, 'A306'],
      notFound: NO_ACCOUNT,
    },
  ],
};
