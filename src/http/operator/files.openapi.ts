import { FORM_CODES } from '../openapi/codes.ts';
import {
  type ApiOperation,
  closedObject,
  jsonRequest,
  pathParameter,
  reference,
  success,
} from '../openapi/operation.ts';
import { pageOf } from '../openapi/operator-schemas.ts';
import { FORM_SCHEMA } from '../openapi/request-schemas.ts';
import {
  accountId,
  CHANGE_CODES,
  cursor,
  EXAMPLE_TIME,
  limit,
  NO_ACCOUNT,
  queryParameter,
  READ_CODES,
} from './operation.openapi.ts';

const COMMON = { tag: 'Stored', access: 'operator' } as const;
const FORM = '/admin/v1/accounts/{id}/forms/{formId}';
const FORM_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF01';
const FILE_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02';
const ENTRIES = [{ sms: { from: '0212345678', text: '#{name}님, 주문하신 상품이 출발했습니다.' } }];
const formId = pathParameter('formId', 'Id of the form.', FORM_ID);
const ofAccount = queryParameter('account', 'Of this account only.', 'shop');
const NAMED_FORM = success({ data: reference('FormId') }, { data: { formId: FORM_ID } });

export const STORED_OPERATIONS: readonly ApiOperation[] = [
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/files',
    operationId: 'listFiles',
    summary: 'Uploaded images',
    description: 'Newest first, those that have expired but are not swept yet included.',
    parameters: [ofAccount, cursor(FILE_KEY), limit],
    success: success(
      { data: pageOf('files', 'StoredFile') },
      {
        data: {
          files: [
            {
              fileKey: FILE_KEY,
              account: 'shop',
              service: 'MMS',
              kind: 'MMS',
              name: 'sale.jpg',
              bytes: 40_000,
              width: 640,
              height: 480,
              format: 'jpg',
              createdAt: EXAMPLE_TIME,
              expiresAt: '2026-05-31T09:30:00+09:00',
              url: `https://msg.example.com/files/${FILE_KEY}`,
            },
          ],
          next: null,
        },
      },
    ),
    codes: READ_CODES,
  },
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/files/{fileKey}/content',
    operationId: 'readFileContent',
    summary: 'The bytes of an uploaded image',
    description: 'With its image type; a browser takes it for nothing else.',
    parameters: [pathParameter('fileKey', 'Key of the file.', FILE_KEY)],
    success: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp'].map(type => ({
      type,
      schema: { type: 'string', contentMediaType: type },
      examples: {},
    })),
    codes: READ_CODES,
    notFound: 'There is no such file, or it has expired.',
  },
  {
    ...COMMON,
    method: 'get',
    path: '/admin/v1/forms',
    operationId: 'listForms',
    summary: 'Message forms',
    description: 'Newest first, at most 500.',
    parameters: [ofAccount],
    success: success(
      { data: closedObject({ forms: { type: 'array', items: reference('StoredForm') } }) },
      { data: { forms: [{ account: 'shop', formId: FORM_ID, savedAt: EXAMPLE_TIME, entries: ENTRIES }] } },
    ),
    codes: READ_CODES,
  },
  {
    ...COMMON,
    method: 'put',
    path: FORM,
    operationId: 'replaceAccountForm',
    summary: 'Replace a form of an account',
    description: 'As its own client would.',
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
    summary: 'Delete a form of an account',
    description: 'Sends accepted before are not affected.',
    parameters: [accountId, formId],
    success: NAMED_FORM,
    codes: [...READ_CODES, 'A250'],
    notFound: NO_ACCOUNT,
  },
];
