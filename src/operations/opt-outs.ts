/** The list of recipients who opted out of an account, in the hands of operators. */
import { OPT_OUT_COVERS, OPT_OUT_WAYS } from '../domain/delivery/opt-out.ts';
import {
  MOST_OPT_OUTS_A_CALL,
  OPT_OUT_FILTERS,
  parseOptOuts,
  type WrittenOptOut,
} from '../domain/delivery/opt-out-request.ts';
import { field } from '../domain/request/field-kinds.ts';
import { type JsonSchema, required } from '../domain/request/fields.ts';
import { maskNumber } from '../domain/request/phone-number.ts';
import { ACCOUNT, CSV_BODY, NO_ACCOUNT } from './common.ts';
import { operation, resource, writtenAs } from './operation.ts';
import { count, csvOf, masked, named, type Of, object, oneOf, orNull, pageOf, text, time } from './shapes.ts';
import { said } from './words.ts';

const covers = oneOf(
  OPT_OUT_COVERS,
  'What is refused: advertisements, or all messages. Default advertisements.',
  '거부 범위: advertisements(광고) 또는 all(모든 메시지). 기본값 advertisements.',
);
const to = text('Recipient.');
const sender = text(
  'Sender number, sender key or brand key it is about; * for all senders, the default.',
  '거부한 발신자: 발신번호, 발신프로필 키 또는 브랜드 키. *는 모든 발신자(기본값).',
);

export const OptOut = named(
  'OptOut',
  object({
    id: text('Id of the entry.', '항목 ID.'),
    to: masked(to, maskNumber),
    ...{ sender, covers },
    source: orNull(
      text(
        'Key of the inbound message, or the free number that was called.',
        '수신한 문자(MO)의 키 또는 전화를 건 무료 수신거부 번호.',
      ),
    ),
    since: time('Since when.', '거부 시각.'),
    sinceWay: oneOf(
      OPT_OUT_WAYS,
      'How. keyword: a text of the recipient; call: a call to the free number; api, csv, operator: by hand.',
      '거부 방법. keyword: 수신자의 문자, call: 무료 번호로 건 전화, api·csv·operator: 직접 등록.',
    ),
    sinceBy: text(
      'By whom: the account, the operator, the calling service, or recipient.',
      '처리자: 계정, 운영자, 080 서비스 또는 recipient(수신자 본인).',
    ),
    ended: orNull(time('When consent was given back.', '재동의 시각.')),
    endedWay: orNull(text('How it was given back.', '재동의 방법.')),
    endedBy: orNull(text('By whom it was given back.', '재동의 처리자.')),
  }),
);
export type OptOutView = Of<typeof OptOut>;

export const OptOutPage = named('OptOutPage', pageOf('optOuts', OptOut));
export const AddedOptOuts = named(
  'AddedOptOuts',
  object({
    added: count('How many were added.', '등록된 수.'),
    known: count('How many were on the list already.', '이미 있던 수.'),
  }),
);

/** Not the recipient of the other examples: their messages would not arrive any more. */
export const OPTED_OUT = '01055556666';
const ENTRY: OptOutView = {
  ...{ id: '17', to: OPTED_OUT, sender: '*', covers: 'advertisements', source: null },
  ...{ since: '2026-03-02T09:30:00+09:00', sinceWay: 'api', sinceBy: 'shop' },
  ...{ ended: null, endedWay: null, endedBy: null },
};
export const PAGE_EXAMPLE = { optOuts: [ENTRY], next: null };
export const ADDED_EXAMPLE = { added: 1, known: 0 };
export const ENTRY_EXAMPLES = {
  [said('no advertisements from this account', '이 계정의 광고 거부')]: { optOuts: [{ to: OPTED_OUT }] },
  [said('nothing at all from one number', '한 발신번호의 모든 메시지 거부')]: {
    optOuts: [{ to: OPTED_OUT, sender: '0212345678', covers: 'all' }],
  },
};
export const CSV_EXAMPLES = {
  [said('two numbers', '번호 목록')]: `to,sender,covers\n${OPTED_OUT},,\n01087654321,0212345678,all\n`,
};

export const CONSENTS = entriesOf({ to: to.schema, sender: sender.schema });
export const ENTRIES = {
  optOuts: writtenAs<readonly WrittenOptOut[]>()(
    required(
      field('A300', entriesOf({ to: to.schema, sender: sender.schema, covers: covers.schema }), optOuts =>
        parseOptOuts({ optOuts }),
      ),
    ),
  ),
};

function entriesOf(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const items = { type: 'object', properties: fields, required: ['to'] };
  return { type: 'array', minItems: 1, maxItems: MOST_OPT_OUTS_A_CALL, items };
}

export const optOuts = resource(
  'Accounts',
  { id: ACCOUNT, optOutId: { description: 'Id of the entry.', example: '17' } },
  [
    operation('GET /accounts/{id}/optouts', {
      id: 'listOptOutsOf',
      role: 'viewer',
      summary: said('List recipients who opted out of an account', '계정의 수신 거부 목록'),
      description: said(
        'Newest first. Numbers are masked as in findMessages.',
        '최신순입니다. 번호는 findMessages와 같이 마스킹됩니다.',
      ),
      query: OPT_OUT_FILTERS,
      answer: OptOutPage,
      example: PAGE_EXAMPLE,
      codes: ['A306'],
      notFound: NO_ACCOUNT,
    }),
    operation('POST /accounts/{id}/optouts', {
      id: 'addOptOutsOf',
      role: 'operator',
      summary: said('Add recipients who opted out of an account', '계정의 수신 거부 등록'),
      description: said(
        'As addOptOuts, on behalf of the account. All of them or none.',
        '계정을 대신하는 addOptOuts입니다. 전부 등록하거나 하나도 등록하지 않습니다.',
      ),
      body: ENTRIES,
      examples: ENTRY_EXAMPLES,
      answer: AddedOptOuts,
      example: ADDED_EXAMPLE,
      codes: ['A306'],
      notFound: NO_ACCOUNT,
      audit: {
        action: 'optout.add',
        entry: ({ id, optOuts }, { added }) => ({
          target: id,
          details: { entries: optOuts.length, added, way: 'operator' },
        }),
      },
    }),
    operation('DELETE /accounts/{id}/optouts/{optOutId}', {
      id: 'endOptOut',
      role: 'operator',
      summary: said('Record the renewed consent of a recipient', '수신 재동의 처리(한 건)'),
      description: said(
        'Ends one entry. It stays on the list as proof.',
        '항목 하나를 해제합니다. 해제된 항목은 증빙으로 남습니다.',
      ),
      answer: OptOut,
      example: ENTRY,
      notFound: said(
        'There is no such account, or no such entry that has not ended.',
        '계정이 없거나, 해제되지 않은 항목이 없습니다.',
      ),
      audit: {
        action: 'optout.end',
        entry: ({ id, optOutId }, { to }) => ({
          target: id,
          details: { id: Number(optOutId), recipient: maskNumber(to) },
        }),
      },
    }),
    operation('GET /accounts/{id}/optouts/csv', {
      id: 'exportOptOutsOf',
      role: 'viewer',
      summary: said('Export the opt-outs of an account as CSV', '계정의 수신 거부 목록을 CSV로 내보내기'),
      description: said(
        'Entries that have ended included. At most 10,000 rows; where there is more, the header Bongsu-Next has the cursor of the next part. Numbers are masked as in findMessages. Recorded in the audit log.',
        '해제된 항목을 포함합니다. 최대 10,000행이며, 더 있으면 Bongsu-Next 헤더에 다음 부분의 커서가 있습니다. 번호는 findMessages와 같이 마스킹되고 감사 로그에 기록됩니다.',
      ),
      query: { cursor: OPT_OUT_FILTERS.cursor },
      answer: csvOf('opt-outs.csv', OptOut),
      notFound: NO_ACCOUNT,
      audit: {
        action: 'optout.export',
        entry: ({ id }, { rows }, { sight }) => ({
          target: id,
          details: { rows, masked: sight === 'masked' },
        }),
      },
    }),
    operation('POST /accounts/{id}/optouts/csv', {
      id: 'importOptOutsOf',
      role: 'operator',
      summary: said('Import opt-outs of an account from CSV', 'CSV로 계정의 수신 거부 가져오기'),
      description: said(
        'As importOptOuts, on behalf of the account.',
        '계정을 대신하는 importOptOuts입니다.',
      ),
      takesCsv: true,
      body: CSV_BODY,
      examples: CSV_EXAMPLES,
      answer: AddedOptOuts,
      example: ADDED_EXAMPLE,
      codes: ['A306'],
      notFound: NO_ACCOUNT,
      audit: {
        action: 'optout.add',
        inParts: true,
        entry: ({ id }, { added, known }) => ({
          target: id,
          details: { entries: added + known, added, way: 'csv' },
        }),
      },
    }),
  ],
);
