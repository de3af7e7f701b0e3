import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, pageOf, reference, text, time } from '../../operations/schemas.ts';
import { FORM_CODES } from '../openapi/codes.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { FORM_SCHEMA } from '../openapi/request-schemas.ts';
import {
  accountId,
  CHANGE_CODES,
  cursor,
  limit,
  NO_ACCOUNT,
  queryParameter,
  READ_CODES,
} from './operation.openapi.ts';

const COMMON = { tag: 'Stored', access: 'operator' } as const;
const FORM = '/admin/v1/accounts/{id}/forms/{formId}';
const FORM_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF01';
const ENTRIES = [{ sms: { from: '0212345678', text: '#{name}님, 주문하신 상품이 출발했습니다.' } }];
const formId = pathParameter('formId', 'Id of the form.', FORM_ID);
const ofAccount = queryParameter('account', 'Only of this account.', 'shop');
const NAMED_FORM = success({ data: reference('FormId') }, { data: { formId: FORM_ID } });

export const operatorFormsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/forms',
      operationId: 'listForms',
      role: 'viewer',
      summary: 'List the message forms',
      description: 'Newest first. A page also ends when its forms have a mebibyte.',
      parameters: [ofAccount, cursor(FORM_ID), limit],
      success: success(
        { data: pageOf('forms', 'StoredForm') },
        {
          data: {
            forms: [{ account: 'shop', formId: FORM_ID, savedAt: EXAMPLE_TIME, entries: ENTRIES }],
            next: null,
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'put',
      path: FORM,
      operationId: 'replaceAccountForm',
      role: 'operator',
      summary: 'Replace a form of an account',
      description: 'With the same rules as for its own client.',
      parameters: [accountId, formId],
      request: jsonRequest(FORM_SCHEMA, { 'an SMS': { messageForm: ENTRIES } }),
      success: NAMED_FORM,
      codes: [...new Set([...FORM_CODES, ...CHANGE_CODES])],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: FORM,
      operationId: 'deleteAccountForm',
      role: 'operator',
      summary: 'Delete a form of an account',
      description: 'Sends that were accepted before are not affected.',
      parameters: [accountId, formId],
      success: NAMED_FORM,
      codes: [...READ_CODES, 'A250'],
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: {
    StoredForm: closedObject({
      account: text('Account it belongs to.'),
      formId: text('Id of the form.'),
      savedAt: time('When it was saved.'),
      entries: { type: 'array', items: reference('FlowEntry'), description: 'Entries as they were saved.' },
    }),
  },
};
