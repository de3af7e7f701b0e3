import { closedObject, count } from '../../operations/schemas.ts';
import { CALL_CODES } from '../openapi/codes.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import {
  CONSENT_REQUEST,
  CSV_REQUEST,
  OPT_OUT_FILE,
  OPT_OUT_FILTERS,
  OPT_OUT_PAGE,
  OPT_OUT_SCHEMAS,
  OPT_OUTS_ADDED,
  OPT_OUTS_REQUEST,
} from '../opt-out.openapi.ts';

const LIST = '/v1/optout';
const COMMON = { tag: 'OptOut', access: 'account' } as const;
const CODES = [...CALL_CODES, 'A306'] as const;
const BODY_CODES = [...CODES, 'A010', 'A011'] as const;

export const optOutDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: LIST,
      operationId: 'listOptOuts',
      summary: 'List recipients who opted out',
      description: 'Newest first. With `to` it answers whether one recipient has opted out.',
      parameters: OPT_OUT_FILTERS,
      success: OPT_OUT_PAGE,
      codes: CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: LIST,
      operationId: 'addOptOuts',
      summary: 'Add recipients who opted out',
      description:
        'All of them or none. Advertisements to them are accepted and end at once with report code 90002; so do all other messages, if the entry covers all. Messages that were accepted before are checked again before each step goes out. An entry that is there already is left as it is.',
      request: OPT_OUTS_REQUEST,
      success: OPT_OUTS_ADDED,
      codes: BODY_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${LIST}/consent`,
      operationId: 'giveConsentBack',
      summary: 'Record the renewed consent of recipients',
      description:
        'Ends the entries of these recipients: those about one sender, or all of them. Entries that have ended stay on the list as proof.',
      request: CONSENT_REQUEST,
      success: success(
        { data: closedObject({ ended: count('How many entries ended.') }) },
        { data: { ended: 1 } },
      ),
      codes: BODY_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: `${LIST}/csv`,
      operationId: 'exportOptOuts',
      summary: 'Export the list as CSV',
      description:
        'The whole list, entries that have ended included: who, which sender, since when, how and by whom, and when consent was given back.',
      success: OPT_OUT_FILE,
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${LIST}/csv`,
      operationId: 'importOptOuts',
      summary: 'Import a list from CSV',
      description:
        'UTF-8, with a first row that names the columns (to, sender, covers), or numbers alone; at most 1 MiB, 100 cells in a row and 1,000 characters in a cell. Rows with a value in the column "ended" are left out, so that an exported file can be imported. A file with a row that is wrong is refused as a whole. Rows are written 1,000 at a time: after a fault some may be there. To repeat it is safe.',
      request: CSV_REQUEST,
      success: OPT_OUTS_ADDED,
      codes: CODES,
    },
  ],
  schemas: OPT_OUT_SCHEMAS,
};
