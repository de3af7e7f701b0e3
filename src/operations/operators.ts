/** Named operators: who may use the operator API, and what for. */
import {
  DEFAULT_LIFETIME_DAYS,
  INVITATION_HOURS,
  LONGEST_LIFETIME_DAYS,
  OPERATOR_NAME_FORM,
  OPERATOR_TOKEN_STATES,
  parseOperatorName,
} from '../domain/operator/operator-token.ts';
import { ROLES } from '../domain/operator/role.ts';
import { parsed, wholeNumber, word } from '../domain/request/field-kinds.ts';
import { required } from '../domain/request/fields.ts';
import { EXAMPLE_INVITATION, EXAMPLE_TIME } from './common.ts';
import { operation, resource } from './operation.ts';
import { listOf, named, type Of, object, oneOf, orNull, text, time } from './shapes.ts';
import { said } from './words.ts';

const ROLE = 'What the operator may do.';
const MEMBERS = {
  id: text('Id of the operator.', '운영자 ID.'),
  name: text('Name of the operator.'),
  role: oneOf(ROLES, ROLE),
  state: oneOf(
    OPERATOR_TOKEN_STATES,
    'Whether the token is valid. Whoever is invited has none yet; after "expiresAt" the link is void.',
    '토큰 유효 여부. 초대만 받은 운영자는 아직 토큰이 없으며, "expiresAt" 이후에는 링크가 무효입니다.',
  ),
  createdAt: time('When the token was made, or the invitation.', '토큰 또는 초대 생성 시각.'),
  createdBy: text('Who made it.', '생성한 운영자.'),
  expiresAt: time('When it ends.'),
  revokedAt: orNull(time('When it was revoked.', '폐기 시각.')),
  lastUsedAt: orNull(time('When it was last used, about to the minute.')),
};
const NamedOperator = named('NamedOperator', object(MEMBERS));
export type OperatorView = Of<typeof NamedOperator>;

const role = required(word({ code: 'A300', values: ROLES, description: ROLE }));
const lifetimeDays = wholeNumber({
  code: 'A300',
  min: 1,
  max: LONGEST_LIFETIME_DAYS,
  isNumber: true,
  description: said('Days until the token ends.', '토큰 유효 일수.'),
});
const { description, ...range } = lifetimeDays.schema;
const NEW = {
  name: required(
    parsed({
      code: 'A300',
      parse: parseOperatorName,
      mustBe: OPERATOR_NAME_FORM,
      description: `${OPERATOR_NAME_FORM}.`,
    }),
  ),
  role,
  lifetimeDays: { ...lifetimeDays, schema: { ...range, default: DEFAULT_LIFETIME_DAYS, description } },
};

const EXAMPLE: OperatorView = {
  id: '06C3Q8ZD9GYY',
  name: 'kim',
  role: 'operator',
  state: 'active',
  createdAt: EXAMPLE_TIME,
  createdBy: 'admin',
  expiresAt: '2026-05-31T09:30:00+09:00',
  revokedAt: null,
  lastUsedAt: null,
};

export const operators = resource(
  'Operators',
  { operatorId: { description: said('Id of the operator.', '운영자 ID.'), example: EXAMPLE.id } },
  [
    operation('GET /operators', {
      id: 'listOperators',
      role: 'admin',
      summary: said('List the named operators', '운영자 목록'),
      description: said(
        'By name; those whose token has ended in the last year too. Tokens are never shown.',
        '이름순이며 최근 1년 내 토큰이 끝난 운영자도 포함합니다. 토큰은 표시하지 않습니다.',
      ),
      answer: object({ operators: listOf(NamedOperator) }),
      example: { operators: [EXAMPLE] },
    }),
    operation('POST /operators', {
      id: 'addOperator',
      role: 'admin',
      summary: said('Add a named operator', '운영자 추가'),
      description: said(
        'The token is generated and shown only once; the gateway keeps its hash.',
        '토큰을 생성해 한 번만 표시합니다. 게이트웨이는 해시만 보관합니다.',
      ),
      body: NEW,
      examples: { [said('for a month', '한 달간')]: { name: 'kim', role: 'operator', lifetimeDays: 30 } },
      answer: object({ ...MEMBERS, token: text('The token.') }),
      example: { ...EXAMPLE, token: 'bongsu_op_73CP32RA4HDP1F2XAFY9D9TN44ETW88F' },
      audit: {
        action: 'operator.add',
        entry: (_, { id, name, role, expiresAt }) => ({ target: name, details: { id, role, expiresAt } }),
      },
    }),
    operation('POST /invitations', {
      id: 'inviteOperator',
      role: 'admin',
      summary: said('Invite a named operator', '운영자 초대'),
      description: `The link works once, for ${INVITATION_HOURS} hours. Whoever opens it gets the token, which nobody else sees. Revoking the operator withdraws it.`,
      body: NEW,
      examples: { [said('as viewer', '조회자로')]: { name: 'park', role: 'viewer' } },
      answer: object({
        ...MEMBERS,
        code: text('The code in the link, for acceptInvitation.', 'acceptInvitation에 쓰는 링크의 코드.'),
        link: text(
          'The link to send. The gateway keeps the hash of its code only.',
          '전달할 링크. 게이트웨이는 코드의 해시만 보관합니다.',
        ),
      }),
      example: {
        ...EXAMPLE,
        state: 'invited',
        code: EXAMPLE_INVITATION,
        link: `https://msg.example.com/console/#invite=${EXAMPLE_INVITATION}`,
      },
      audit: {
        action: 'operator.invite',
        entry: (_, { id, name, role, expiresAt: linkEndsAt }) => ({
          target: name,
          details: { id, role, linkEndsAt },
        }),
      },
    }),
    operation('PATCH /operators/{operatorId}', {
      id: 'changeOperator',
      role: 'admin',
      summary: said('Change the role of an operator', '운영자 권한 변경'),
      description: said(
        'Holds from the next call on, on every node. Nobody can change their own role.',
        '모든 노드에서 다음 호출부터 적용됩니다. 본인의 권한은 변경할 수 없습니다.',
      ),
      body: { role },
      examples: { [said('to viewer', '조회자로')]: { role: 'viewer' } },
      answer: NamedOperator,
      example: { ...EXAMPLE, role: 'viewer' },
      notFound: said('There is no such operator, or it was revoked.'),
      audit: {
        action: 'operator.change',
        entry: (_, { id, name, role }) => ({ target: name, details: { id, role } }),
      },
    }),
    operation('DELETE /operators/{operatorId}', {
      id: 'revokeOperator',
      role: 'admin',
      summary: said('Revoke the token of an operator', '운영자 토큰 폐기'),
      description: said(
        'Ends it and its sessions with the next call, on every node.',
        '모든 노드에서 다음 호출부터 토큰과 세션을 종료합니다.',
      ),
      answer: NamedOperator,
      example: { ...EXAMPLE, state: 'revoked', revokedAt: EXAMPLE_TIME },
      notFound: said('There is no such operator, or it was revoked before.'),
      audit: {
        action: 'operator.revoke',
        entry: (_, { id, name }) => ({ target: name, details: { id } }),
      },
    }),
  ],
);
