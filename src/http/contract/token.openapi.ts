import { closedObject, reference, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';

export const tokenDocument: ResourceDocument = {
  operations: [
    {
      method: 'post',
      path: '/v1/auth/token',
      operationId: 'issueToken',
      tag: 'Token',
      summary: 'Issue a token',
      description:
        'Exchanges the account id and password, in two headers, for a bearer token that is valid for 24 hours. Any number of tokens may be valid at once; reuse a token until it expires. There is no body.',
      access: 'credentials',
      success: success(
        { data: reference('Token') },
        {
          data: {
            schema: 'Bearer',
            expired: '2026-03-03T09:30:00+09:00',
            token: '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTAHB6EJFS8QD4R',
          },
        },
      ),
      codes: ['A100', 'A110', 'A111', 'A020', 'A999'],
    },
  ],
  schemas: {
    Token: closedObject({
      schema: text('Authorization scheme to write before the token.'),
      expired: time('When it expires, 24 hours after issue.'),
      token: text('Opaque token.'),
    }),
  },
};
