import { schemaOfFields } from '../../domain/request/fields.ts';
import { CALL_CODES, FORM_CODES } from '../../operations/codes.ts';
import { FORM_BODY, FORM_ID } from '../../operations/forms.ts';
import { closedObject, reference, text, time } from '../../operations/schemas.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';

const formId = pathParameter('formId', 'Id of the form.', FORM_ID);

const MESSAGE_FORM = [
  {
    alimtalk: {
      senderKey: '4f1d7c0a9b2e4d6f8a1c3e5b7d9f0a2c',
      msgType: 'AT',
      templateCode: 'order_shipped',
      text: '#{name}님, 주문하신 상품이 출발했습니다.',
    },
  },
  { sms: { from: '0212345678', text: '#{name}님, 주문하신 상품이 출발했습니다.' } },
];

const BODY = jsonRequest(schemaOfFields(FORM_BODY), { 'alimtalk, then SMS': { messageForm: MESSAGE_FORM } });
const SAVED = success({ data: reference('FormId') }, { data: { formId: FORM_ID } });

const COMMON = { tag: 'Form', access: 'account' } as const;

export const formDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/v1/form',
      operationId: 'createForm',
      summary: 'Save a message form',
      description:
        'The entries follow the rules of messageFlow; what every recipient would be refused for is refused here. The form can be used immediately. A300 if it has more than 65536 bytes, or the account already has as many forms as its `formLimit` allows.',
      request: BODY,
      success: SAVED,
      codes: FORM_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/form/{formId}',
      operationId: 'readForm',
      summary: 'Read a message form',
      description: 'The entries as they were saved.',
      parameters: [formId],
      success: success({ data: reference('Form') }, { data: { formId: FORM_ID, messageForm: MESSAGE_FORM } }),
      codes: [...CALL_CODES, 'A250'],
    },
    {
      ...COMMON,
      method: 'put',
      path: '/v1/form/{formId}',
      operationId: 'replaceForm',
      summary: 'Replace a message form',
      description: 'Replaces all entries. Sends that were accepted before are not affected.',
      parameters: [formId],
      request: BODY,
      success: SAVED,
      codes: FORM_CODES,
    },
    {
      ...COMMON,
      method: 'delete',
      path: '/v1/form/{formId}',
      operationId: 'deleteForm',
      summary: 'Delete a message form',
      description: 'Sends that were accepted before are not affected.',
      parameters: [formId],
      success: success(),
      codes: [...CALL_CODES, 'A250'],
    },
  ],
  schemas: {
    FormId: closedObject({ formId: text('Id of the form.'), expired: time('When the form expires.') }, [
      'expired',
    ]),
    Form: closedObject(
      {
        formId: text('Id of the form.'),
        messageForm: {
          type: 'array',
          items: reference('FlowEntry'),
          description: 'Entries as they were saved.',
        },
        expired: time('When the form expires.'),
      },
      ['expired'],
    ),
  },
};
