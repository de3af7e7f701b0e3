import {
  DEFAULT_LIFETIME_DAYS,
  INVITATION_HOURS,
  LONGEST_LIFETIME_DAYS,
  OPERATOR_NAME_FORM,
  OPERATOR_TOKEN_STATES,
} from '../../domain/operator/operator-token.ts';
import { ROLES } from '../../domain/operator/role.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, orNull, reference, text, time } from '../../operations/schemas.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { CHANGE_CODES, EXAMPLE_INVITATION, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Operators', access: 'operator', role: 'admin' } as const;
const OPERATORS = '/admin/v1/operators';

const EXAMPLE = {
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

const role: JsonSchema = { type: 'string', enum: ROLES, description: 'What the operator may do.' };

const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  id: text('Id of the operator.'),
  name: text('Name of the operator.'),
  role,
  state: {
    type: 'string',
    enum: OPERATOR_TOKEN_STATES,
    description:
      'Whether the token is valid. Whoever is invited has none yet; after "expiresAt" the link is void.',
  },
  createdAt: time('When the token was made, or the invitation.'),
  createdBy: text('Who made it.'),
  expiresAt: time('When it ends.'),
  revokedAt: orNull(time('When it was revoked.')),
  lastUsedAt: orNull(time('When it was last used, about to the minute.')),
};

const operatorId = pathParameter('operatorId', 'Id of the operator.', EXAMPLE.id);

const NEW_OPERATOR: JsonSchema = {
  type: 'object',
  properties: {
    name: text(`${OPERATOR_NAME_FORM}.`),
    role,
    lifetimeDays: {
      type: 'integer',
      minimum: 1,
      maximum: LONGEST_LIFETIME_DAYS,
      default: DEFAULT_LIFETIME_DAYS,
      description: 'Days until the token ends.',
    },
  },
  required: ['name', 'role'],
};

export const operatorOperatorsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: OPERATORS,
      operationId: 'listOperators',
      summary: 'List the named operators',
      description: 'By name; those whose token has ended in the last year too. Tokens are never shown.',
      success: success(
        { data: closedObject({ operators: { type: 'array', items: reference('NamedOperator') } }) },
        { data: { operators: [EXAMPLE] } },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: OPERATORS,
      operationId: 'addOperator',
      summary: 'Add a named operator',
      description: 'The token is generated and shown only once; the gateway keeps its hash.',
      request: jsonRequest(NEW_OPERATOR, {
        'for a month': { name: 'kim', role: 'operator', lifetimeDays: 30 },
      }),
      success: success(
        { data: closedObject({ ...MEMBERS, token: text('The token.') }) },
        { data: { ...EXAMPLE, token: 'bongsu_op_73CP32RA4HDP1F2XAFY9D9TN44ETW88F' } },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/invitations',
      operationId: 'inviteOperator',
      summary: 'Invite a named operator',
      description: `The link works once, for ${INVITATION_HOURS} hours. Whoever opens it gets the token, which nobody else sees. Revoking the operator withdraws it.`,
      request: jsonRequest(NEW_OPERATOR, { 'as viewer': { name: 'park', role: 'viewer' } }),
      success: success(
        {
          data: closedObject({
            ...MEMBERS,
            code: text('The code in the link, for acceptInvitation.'),
            link: text('The link to send. The gateway keeps the hash of its code only.'),
          }),
        },
        {
          data: {
            ...EXAMPLE,
            state: 'invited',
            code: EXAMPLE_INVITATION,
            link: `https://msg.example.com/console/#invite=${EXAMPLE_INVITATION}`,
          },
        },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'patch',
      path: `${OPERATORS}/{operatorId}`,
      operationId: 'changeOperator',
      summary: 'Change the role of an operator',
      description: 'Holds from the next call on, on every node. Nobody can change their own role.',
      parameters: [operatorId],
      request: jsonRequest(
        { type: 'object', properties: { role }, required: ['role'] },
        { 'to viewer': { role: 'viewer' } },
      ),
      success: success({ data: reference('NamedOperator') }, { data: { ...EXAMPLE, role: 'viewer' } }),
      codes: CHANGE_CODES,
      notFound: 'There is no such operator, or it was revoked.',
    },
    {
      ...COMMON,
      method: 'delete',
      path: `${OPERATORS}/{operatorId}`,
      operationId: 'revokeOperator',
      summary: 'Revoke the token of an operator',
      description: 'Ends it and its sessions with the next call, on every node.',
      parameters: [operatorId],
      success: success(
        { data: reference('NamedOperator') },
        { data: { ...EXAMPLE, state: 'revoked', revokedAt: EXAMPLE_TIME } },
      ),
      codes: READ_CODES,
      notFound: 'There is no such operator, or it was revoked before.',
    },
  ],
  schemas: { NamedOperator: closedObject(MEMBERS) },
};
