import { ROLES } from '../../domain/operator/role.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { EXAMPLE_INVITATION, EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, orNull, reference, text, time } from '../../operations/schemas.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { READ_CODES } from './operation.openapi.ts';

const PATH = '/admin/v1/session';
const COMMON = { tag: 'Session', signedOut: 'Invalid token' } as const;

const SESSIONS = '/admin/v1/sessions';
const role: JsonSchema = { type: 'string', enum: ROLES, description: 'What the operator may do.' };

const EXAMPLE_SESSION = {
  id: 'l3-9vJ0sWm2TqX8b',
  name: 'kim',
  operatorId: '06C3Q8ZD9GYY',
  role: 'operator',
  address: '203.0.113.7',
  agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0',
  openedAt: EXAMPLE_TIME,
  usedAt: EXAMPLE_TIME,
  expiresAt: '2026-03-02T21:30:00+09:00',
  isOwn: true,
};

const proof = {
  type: 'object',
  description: 'One of the two.',
  properties: {
    token: text('The admin token, or the token of a named operator.'),
    code: text('The one-time code of a link to the console.'),
  },
};

export const operatorSessionDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: PATH,
      method: 'post',
      operationId: 'signIn',
      summary: 'Sign in to the console',
      description:
        'Sets the cookie bongsu_session for twelve hours, or until the token ends. Failed attempts are limited for each address.',
      access: 'everyone',
      request: jsonRequest(proof, {
        'by token': { token: '73CP32RA4HDP1F2XAFY9D9TN44ETW88F' },
        'by code': { code: '9P1JHPP9B066S8VRBEHS6KHXQVMYZADY' },
      }),
      success: success(
        { data: closedObject({ expiresAt: time('End of the session.') }) },
        { data: { expiresAt: EXAMPLE_TIME } },
      ),
      codes: ['A010', 'A011', 'A020', 'A300', 'A999'],
    },
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/invitations/accept',
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'Gives an invited operator their token, shown only here, and signs them in as signIn does. Works once for each invitation. Failed attempts are limited for each address.',
      access: 'everyone',
      request: jsonRequest(
        {
          type: 'object',
          properties: { code: text('What follows #invite= in the link.') },
          required: ['code'],
        },
        { 'by code': { code: EXAMPLE_INVITATION } },
      ),
      success: success(
        {
          data: closedObject({
            name: text('Name of the operator.'),
            role,
            token: text('The token.'),
            expiresAt: time('When the token ends.'),
          }),
        },
        {
          data: {
            name: 'kim',
            role: 'operator',
            token: 'bongsu_op_73CP32RA4HDP1F2XAFY9D9TN44ETW88F',
            expiresAt: '2026-05-31T09:30:00+09:00',
          },
        },
      ),
      codes: ['A010', 'A011', 'A020', 'A300', 'A999'],
    },
    {
      ...COMMON,
      path: PATH,
      method: 'get',
      operationId: 'readSession',
      role: 'viewer',
      summary: 'Show the session',
      description: 'Also what the console needs to know about this gateway.',
      access: 'operator',
      success: success(
        {
          data: closedObject({
            signedIn: { const: true },
            name: text('Name of the operator; "admin" for the admin token.'),
            role,
            masked: { type: 'boolean', description: 'Whether numbers and texts are shown masked.' },
            mode: { type: 'string', enum: ['sandbox', 'production'] },
            version: text('Version of bongsu.'),
            headerPrefix: text('SVC in X-SVC-Client-Id.'),
            publicUrl: {
              type: ['string', 'null'],
              description: 'URL under which clients reach the gateway, if it is configured.',
            },
            timeZone: text('Time zone of the times in answers.'),
          }),
        },
        {
          data: {
            signedIn: true,
            name: 'kim',
            role: 'operator',
            masked: true,
            mode: 'sandbox',
            version: '0.1.0',
            headerPrefix: 'SVC',
            publicUrl: null,
            timeZone: 'Asia/Seoul',
          },
        },
      ),
      codes: ['A020', 'A999'],
    },
    {
      ...COMMON,
      path: PATH,
      method: 'delete',
      operationId: 'signOut',
      role: 'viewer',
      summary: 'Sign out',
      description: 'Ends the session of the cookie.',
      access: 'operator',
      success: success({ data: closedObject({}) }, { data: {} }),
      codes: ['A020', 'A999'],
    },
    {
      tag: 'Session',
      access: 'operator',
      method: 'post',
      path: '/admin/v1/session/links',
      operationId: 'createConsoleLink',
      role: 'viewer',
      summary: 'Make a link to the console',
      description:
        'Whoever opens it is signed in as the operator who made it. It works once, on any node, for ten minutes; until then it is among the sessions and can be ended there. Needs a token: a session makes no links.',
      success: success(
        {
          data: closedObject({
            link: text('The link; its code is shown only here.'),
            expiresAt: time('When it ends.'),
          }),
        },
        {
          data: {
            link: 'https://msg.example.com/console/#code=73CP32RA4HDP1F2XAFY9D9TN44ETW88F',
            expiresAt: EXAMPLE_TIME,
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      tag: 'Session',
      access: 'operator',
      method: 'get',
      path: SESSIONS,
      operationId: 'listSessions',
      role: 'viewer',
      summary: 'List the sessions of the console',
      description: 'Newest first, 500 at most: those of everybody for an admin, otherwise your own.',
      success: success(
        { data: closedObject({ sessions: { type: 'array', items: reference('OperatorSession') } }) },
        { data: { sessions: [EXAMPLE_SESSION] } },
      ),
      codes: READ_CODES,
    },
    {
      tag: 'Session',
      access: 'operator',
      method: 'delete',
      path: `${SESSIONS}/{sessionId}`,
      operationId: 'endSession',
      role: 'viewer',
      summary: 'End a session',
      description: 'With the next call, on every node: one of your own, or anybody’s for an admin.',
      parameters: [pathParameter('sessionId', 'Id of the session.', EXAMPLE_SESSION.id)],
      success: success({ data: reference('OperatorSession') }, { data: EXAMPLE_SESSION }),
      codes: READ_CODES,
      notFound: 'There is no such session among those that you may end.',
    },
  ],
  schemas: {
    OperatorSession: closedObject({
      id: text('Id of the session; it cannot be used to sign in.'),
      name: text('Name of the operator; "admin" for the admin token.'),
      operatorId: orNull(text('Id of a named operator.')),
      role,
      address: orNull(text('From where it was opened. Null in sessions from before it was recorded.')),
      agent: orNull(text('What the browser called itself.')),
      openedAt: orNull(time('When it was opened.')),
      usedAt: orNull(time('When it was last used, about to the minute.')),
      expiresAt: time('When it ends by itself.'),
      isOwn: { type: 'boolean', description: 'Whether it is the session that asks.' },
    }),
  },
};
