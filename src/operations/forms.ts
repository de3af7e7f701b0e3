/** Message forms of all accounts. */
import { parseFormId } from '../domain/ids.ts';
import { field } from '../domain/request/field-kinds.ts';
import { required } from '../domain/request/fields.ts';
import { accountFilter, cursor } from '../domain/request/list-fields.ts';
import { MAX_STEPS } from '../domain/request/message-flow.ts';
import { FORM_CODES } from './codes.ts';
import { ACCOUNT, EXAMPLE_TIME, LIMIT, NO_ACCOUNT } from './common.ts';
import { operation, resource } from './operation.ts';
import { reference } from './schemas.ts';
import { listOf, named, type Of, object, pageOf, plain, text, time } from './shapes.ts';
import { said } from './words.ts';

type Entry = Readonly<Record<string, unknown>>;

const entry = plain<Entry>(reference('FlowEntry'));
export const FORM_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF01';
const ENTRIES = [{ sms: { from: '0212345678', text: '#{name}님, 주문하신 상품이 출발했습니다.' } }];
export const FORM_BODY = {
  messageForm: required(
    field<readonly Entry[]>(
      'A300',
      {
        type: 'array',
        items: entry.schema,
        minItems: 1,
        maxItems: MAX_STEPS,
        description: said(
          'Messages in send order, as in messageFlow.',
          'messageFlow와 같이 발송 순서대로 나열한 메시지.',
        ),
      },
      // Read as a flow, by whoever saves it.
      entries => entries as readonly Entry[],
    ),
  ),
};

const StoredForm = named(
  'StoredForm',
  object({
    account: text('Account it belongs to.'),
    formId: text('Id of the form.'),
    savedAt: time('When it was saved.', '저장 시각.'),
    entries: listOf(entry, 'Entries as they were saved.'),
  }),
);
export type StoredForm = Of<typeof StoredForm>;

const NAMED = {
  role: 'operator',
  needs: 'gateway',
  answer: plain<{ readonly formId: string }>(reference('FormId')),
  example: { formId: FORM_ID },
  notFound: NO_ACCOUNT,
} as const;

export const forms = resource(
  'Stored',
  { id: ACCOUNT, formId: { description: 'Id of the form.', example: FORM_ID } },
  [
    operation('GET /forms', {
      id: 'listForms',
      role: 'viewer',
      needs: 'gateway',
      summary: said('List the message forms', '메시지 폼 목록'),
      description: said(
        'Newest first. A page also ends when its forms have a mebibyte.',
        '최신순입니다. 폼의 크기가 1MiB가 되면 페이지가 끝납니다.',
      ),
      query: {
        account: accountFilter('Only of this account.'),
        cursor: cursor(FORM_ID, parseFormId),
        limit: LIMIT,
      },
      answer: pageOf('forms', StoredForm),
      example: {
        forms: [{ account: 'shop', formId: FORM_ID, savedAt: EXAMPLE_TIME, entries: ENTRIES }],
        next: null,
      },
    }),
    operation('PUT /accounts/{id}/forms/{formId}', {
      ...NAMED,
      id: 'replaceAccountForm',
      summary: said('Replace a form of an account', '계정의 메시지 폼 교체'),
      description: said(
        'With the same rules as for its own client.',
        '계정의 클라이언트와 같은 규칙을 따릅니다.',
      ),
      body: FORM_BODY,
      examples: { 'an SMS': { messageForm: ENTRIES } },
      codes: FORM_CODES,
      audit: { action: 'form.change', entry: ({ id, formId }) => ({ target: id, details: { formId } }) },
    }),
    operation('DELETE /accounts/{id}/forms/{formId}', {
      ...NAMED,
      id: 'deleteAccountForm',
      summary: said('Delete a form of an account', '계정의 메시지 폼 삭제'),
      description: 'Sends that were accepted before are not affected.',
      codes: ['A250'],
      audit: { action: 'form.delete', entry: ({ id, formId }) => ({ target: id, details: { formId } }) },
    }),
  ],
);
