import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, orNull, pageOf, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { cursor, limit, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Figures', access: 'operator' } as const;

export const operatorAuditDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/admin/v1/audit',
      operationId: 'readAudit',
      role: 'viewer',
      summary: 'Read the audit log',
      description:
        'Every change through the operator API and the command line, newest first. Kept for a year. With `operator` a page may be short or empty and still have a "next": each call looks at 10,000 entries at most.',
      parameters: [
        queryParameter('operator', 'Name of the operator, exactly.', 'kim'),
        cursor('1042'),
        limit,
      ],
      success: success(
        { data: pageOf('entries', 'AuditEntry') },
        {
          data: {
            entries: [
              {
                at: EXAMPLE_TIME,
                who: 'session',
                action: 'account.change',
                target: 'shop',
                details: { settings: { sendRate: 100 } },
                name: 'kim',
                operatorId: '06C3Q8ZD9GYY',
              },
            ],
            next: null,
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    AuditEntry: closedObject({
      at: time('When it was done.'),
      who: {
        type: 'string',
        enum: ['token', 'session', 'cli'],
        description: 'How the operator was authenticated.',
      },
      action: text('What was done.'),
      target: text('What it was done to: an account, a message, a carrier, an operator or an address.'),
      details: {
        type: 'object',
        additionalProperties: true,
        description: 'Details of the action; never a secret.',
      },
      name: orNull(
        text(
          'Name of the operator, "admin" for the admin token; of the system user for a command. Null in old entries.',
        ),
      ),
      operatorId: orNull(text('Id of a named operator.')),
    }),
  },
};
