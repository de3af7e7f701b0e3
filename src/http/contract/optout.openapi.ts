import { OPT_OUT_FILTERS } from '../../domain/delivery/opt-out-request.ts';
import { schemaOfFields } from '../../domain/request/fields.ts';
import { CALL_CODES } from '../../operations/codes.ts';
import {
  ADDED_EXAMPLE,
  AddedOptOuts,
  CONSENTS,
  CSV_EXAMPLES,
  ENTRIES,
  ENTRY_EXAMPLES,
  OPTED_OUT,
  OptOutPage,
  PAGE_EXAMPLE,
} from '../../operations/opt-outs.ts';
import { closedObject, count } from '../../operations/schemas.ts';
import { answered, csvContent, parametersOf } from '../openapi/declared.ts';
import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';

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
      parameters: parametersOf(OPT_OUT_FILTERS),
      success: answered(OptOutPage, PAGE_EXAMPLE),
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
      request: jsonRequest(schemaOfFields(ENTRIES), ENTRY_EXAMPLES),
      success: answered(AddedOptOuts, ADDED_EXAMPLE),
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
      request: jsonRequest(
        { type: 'object', properties: { recipients: CONSENTS }, required: ['recipients'] },
        { 'to all senders': { recipients: [{ to: OPTED_OUT }] } },
      ),
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
      success: [csvContent()],
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
      request: csvContent(CSV_EXAMPLES),
      success: answered(AddedOptOuts, ADDED_EXAMPLE),
      codes: CODES,
    },
  ],
  schemas: { ...OptOutPage.named, ...AddedOptOuts.named },
};
