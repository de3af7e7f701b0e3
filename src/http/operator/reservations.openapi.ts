import { closedObject, listOf, orNull, pageOf, reference, text } from '../../operations/schemas.ts';
import { RESERVATION_EXAMPLE, RESERVATION_FIELDS } from '../contract/reservation.openapi.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { CHANGE_CODES, cursor, limit, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Stored', access: 'operator' } as const;
const ONE = '/admin/v1/reservations/{resvKey}';
const RESV_KEY = RESERVATION_EXAMPLE.resvKey;
const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const resvKey = pathParameter('resvKey', 'Key of the reservation.', RESV_KEY);
const EXAMPLE = { account: 'shop', ...RESERVATION_EXAMPLE };
const SHOWN = success({ data: reference('OperatorReservation') }, { data: EXAMPLE });
const FIELDS = { account: text('Account it belongs to.'), ...RESERVATION_FIELDS };

const MOVES = [
  ['cancel', 'Cancel a reservation of an account', 'Nothing more of it is sent.'],
  ['stop', 'Pause a reservation of an account', 'What is in the queue is sent.'],
  ['resume', 'Resume a paused reservation of an account', 'The recipients that wait are sent from now on.'],
  [
    'release',
    'Release a reservation of an account that is held',
    'While it is HELD, because the store was restored from a backup and it may have been sent since. It is sent at its time, or at once if that has passed. One that was STOPPED at the backup is STOPPED again.',
  ],
] as const;

export const operatorReservationsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/reservations',
      operationId: 'listAllReservations',
      role: 'viewer',
      summary: 'List the reservations of all accounts',
      description: 'Newest first.',
      parameters: [
        queryParameter('account', 'Only of this account.', 'shop'),
        queryParameter('status', 'Only those in this state.', 'PENDING'),
        cursor(RESV_KEY),
        limit,
      ],
      success: success(
        { data: pageOf('reservations', 'OperatorReservation') },
        { data: { reservations: [EXAMPLE], next: null } },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: ONE,
      operationId: 'readAccountReservation',
      role: 'viewer',
      summary: 'Show a reservation of an account',
      description: 'With what is sent; its texts are masked for whom messages are.',
      parameters: [resvKey],
      success: success(
        {
          data: closedObject({
            ...FIELDS,
            flow: orNull(listOf('ChannelMessage', 'What is sent; null once its text is removed.')),
          }),
        },
        { data: { ...EXAMPLE, flow: [{ channel: 'sms', from: '0212345678', text: '***' }] } },
      ),
      codes: [...READ_CODES, 'A823'],
    },
    {
      ...COMMON,
      method: 'get',
      path: `${ONE}/recipients`,
      operationId: 'listAccountReservedRecipients',
      role: 'viewer',
      summary: 'List the recipients of a reservation of an account',
      description: 'In the order in which they were added.',
      parameters: [resvKey, cursor(MSG_KEY), limit],
      success: success(
        {
          data: closedObject({
            recipients: listOf('ReservedRecipient', 'Recipients.'),
            next: orNull(text('Cursor of the next page; null on the last one.')),
          }),
        },
        { data: { recipients: [{ msgKey: MSG_KEY, to: '010****5678', sent: false }], next: null } },
      ),
      codes: [...READ_CODES, 'A823'],
    },
    {
      ...COMMON,
      method: 'patch',
      path: ONE,
      operationId: 'changeAccountReservation',
      role: 'operator',
      summary: 'Change time or name of a reservation of an account',
      description: 'Only while it is PENDING or HELD.',
      parameters: [resvKey],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            resvSendTime: text('When it is sent, as in the reservation.'),
            resvName: { type: 'string', maxLength: 100, description: 'Name of the reservation.' },
          },
        },
        { later: { resvSendTime: '2026-03-03 10:00:00' } },
      ),
      success: SHOWN,
      codes: [...CHANGE_CODES, 'A316', 'A330', 'A331', 'A823', 'A824'],
    },
    ...MOVES.map(
      ([move, summary, description]) =>
        ({
          ...COMMON,
          method: 'post',
          path: `${ONE}/${move}`,
          operationId: `${move}AccountReservation`,
          role: 'operator',
          summary,
          description,
          parameters: [resvKey],
          success: SHOWN,
          codes: [...READ_CODES, 'A823', 'A824'],
        }) as const,
    ),
  ],
  schemas: {
    OperatorReservation: closedObject(FIELDS),
    ReservedRecipient: closedObject({
      msgKey: text('Key of the message.'),
      to: text('Recipient.'),
      sent: { type: 'boolean', description: 'Whether it went into the queue.' },
    }),
  },
};
