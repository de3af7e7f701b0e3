/** The audit log: who changed what. */
import { field } from '../domain/request/field-kinds.ts';
import { accountFilter, cursor, pageLimit } from '../domain/request/list-fields.ts';
import { EXAMPLE_TIME, momentFilter } from './common.ts';
import { operation, resource } from './operation.ts';
import { csvOf, named, type Of, object, oneOf, orNull, pageOf, plain, text, time } from './shapes.ts';
import { said } from './words.ts';

type Details = Readonly<Record<string, unknown>>;

const Entry = named(
  'AuditEntry',
  object({
    at: time('When it was done.', '수행 시각.'),
    who: oneOf(['token', 'session', 'cli'], 'How the operator was authenticated.', '운영자 인증 방식.'),
    action: text('What was done.', '수행한 작업.'),
    target: text(
      'What it was done to: an account, a message, a carrier, an operator or an address.',
      '작업 대상: 계정, 메시지, 중계사, 운영자 또는 주소.',
    ),
    details: plain<Details>({
      type: 'object',
      additionalProperties: true,
      description: said('Details of the action; never a secret.', '작업의 상세 내용. 비밀 값은 없습니다.'),
    }),
    name: orNull(
      text(
        'Name of the operator, "admin" for the admin token; of the system user for a command. Null in old entries.',
        '운영자 이름. 관리자 토큰은 "admin", 명령은 시스템 사용자 이름. 오래된 항목은 null.',
      ),
    ),
    operatorId: orNull(text('Id of a named operator.', '운영자의 ID.')),
  }),
);
export type AuditEntryView = Of<typeof Entry>;

function placeIn(value: string) {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(value) ?? [];
  return at === undefined ? undefined : { at: Number(at), id: Number(id) };
}

const exactly = (english: string, korean: string, example: string) => ({
  ...field('A300', { type: 'string', description: said(english, korean) }, String),
  example,
});

const FILTERS = {
  operator: exactly('Name of the operator, exactly.', '운영자 이름(정확히 일치).', 'kim'),
  action: exactly('This action only.', '이 작업만.', 'account.change'),
  account: accountFilter(said('About this account only.', '이 계정에 대한 것만.')),
  from: momentFilter('From this time on.', '2026-03-02T00:00:00+09:00'),
  until: momentFilter('Before this time.', '2026-03-03T00:00:00+09:00'),
  cursor: cursor('1772411400000-1042', placeIn),
};

const EXAMPLE: AuditEntryView = {
  at: EXAMPLE_TIME,
  who: 'session',
  action: 'account.change',
  target: 'shop',
  details: { settings: { sendRate: 100 } },
  name: 'kim',
  operatorId: '06C3Q8ZD9GYY',
};

export const audit = resource('Figures', {}, [
  operation('GET /audit', {
    id: 'readAudit',
    role: 'viewer',
    summary: said('Read the audit log', '감사 로그 조회'),
    description: said(
      'Every change through the operator API and the command line, newest first. Kept for a year. With `operator`, `action` or `account` a page may be short or empty and still have a "next": each call looks at 10,000 entries at most.',
      '운영자 API와 명령줄을 통한 모든 변경을 최신순으로 반환하며 1년간 보관합니다. `operator`, `action`, `account`를 지정하면 호출당 최대 10,000건을 확인하므로 페이지가 짧거나 비어 있어도 "next"가 있을 수 있습니다.',
    ),
    query: { ...FILTERS, limit: pageLimit(200, 50) },
    answer: pageOf('entries', Entry),
    example: { entries: [EXAMPLE], next: null },
  }),
  operation('GET /audit/csv', {
    id: 'exportAudit',
    role: 'viewer',
    summary: said('Export the audit log as CSV', '감사 로그를 CSV로 내보내기'),
    description: said(
      'The same filters as readAudit. Each call looks at 10,000 entries at most; where there is more, the header Bongsu-Next has the cursor of the next part. Recorded in the audit log.',
      'readAudit와 같은 필터를 사용합니다. 호출당 최대 10,000건을 확인하며, 더 있으면 Bongsu-Next 헤더에 다음 부분의 커서가 있습니다. 감사 로그에 기록됩니다.',
    ),
    query: FILTERS,
    answer: csvOf('audit-log.csv', Entry),
    audit: {
      action: 'audit.export',
      entry: ({ account, cursor: _, ...filters }, { rows }) => ({
        target: account ?? 'all accounts',
        details: { rows, filters: Object.keys(filters) },
      }),
    },
  }),
]);
