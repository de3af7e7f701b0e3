import { ROLES } from '../../domain/operator/role.ts';
import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { closedObject, text, time } from '../openapi/schemas.ts';
import { EXAMPLE_TIME } from './operation.openapi.ts';

const PATH = '/admin/v1/session';
const COMMON = { path: PATH, tag: 'Session', signedOut: 'Invalid token' } as const;

const proof = {
  type: 'object',
  description: 'One of the two.',
  properties: {
    token: text('The admin token, or the token of a named operator.'),
    code: text('The one-time code from the link that the sandbox prints at startup.'),
  },
};

export const operatorSessionDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
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
            role: { type: 'string', enum: ROLES, description: 'What the operator may do.' },
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
      method: 'delete',
      operationId: 'signOut',
      role: 'viewer',
      summary: 'Sign out',
      description: 'Ends the session of the cookie.',
      access: 'operator',
      success: success({ data: closedObject({}) }, { data: {} }),
      codes: ['A020', 'A999'],
    },
  ],
};
