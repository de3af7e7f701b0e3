/** Which result codes an operation can answer with. The conformance test checks real answers against them. */
import { RESULT_CODES, type ResultCode } from '../domain/request/result-codes.ts';
import type { SendKind } from '../domain/request/send-kinds.ts';

/** A call with a bearer token. A300 is the code of requests that are not well-formed. */
export const CALL_CODES: readonly ResultCode[] = ['A001', 'A002', 'A020', 'A110', 'A111', 'A300', 'A999'];
const BODY_CODES: readonly ResultCode[] = ['A010', 'A011'];

const SEND_CODES: readonly ResultCode[] = [
  ...CALL_CODES,
  ...BODY_CODES,
  ...between('A301', 'A306'),
  'A316',
  ...between('A320', 'A328'),
  'A330',
  'A331',
  'A332',
  'A920',
];
const FILE_KEY_CODES: readonly ResultCode[] = ['A217', 'A319'];
const FALLBACK_CODES: readonly ResultCode[] = ['A217', ...between('A312', 'A317'), 'A329'];
const RCS_CODES: readonly ResultCode[] = [...between('A404', 'A434'), ...FALLBACK_CODES];
const MESSENGER_CODES: readonly ResultCode[] = [...between('A502', 'A573'), ...FALLBACK_CODES];

export const CODES_OF_SEND = {
  sms: SEND_CODES,
  mms: [...SEND_CODES, ...FILE_KEY_CODES],
  international: SEND_CODES,
  rcs: [...SEND_CODES, ...RCS_CODES],
  alimtalk: [...SEND_CODES, ...MESSENGER_CODES],
  friendtalk: [...SEND_CODES, ...MESSENGER_CODES],
  brandmessage: [...SEND_CODES, ...MESSENGER_CODES],
  omni: [...SEND_CODES, ...FILE_KEY_CODES, ...RCS_CODES, ...MESSENGER_CODES, 'A250', 'A310', 'A318'],
} as const satisfies Record<SendKind, readonly ResultCode[]>;

/** Reserving reads as a combined send does. */
export const RESERVATION_CODES: readonly ResultCode[] = CODES_OF_SEND.omni;

/** Saving a form reads its entries as a send would. */
export const FORM_CODES: readonly ResultCode[] = CODES_OF_SEND.omni.filter(
  code => !['A301', 'A310', 'A316', 'A318', 'A331', 'A332', 'A920'].includes(code),
);

/** A205 is never used: the format of an image is read from its bytes. */
export const FILE_CODES: readonly ResultCode[] = [
  ...CALL_CODES,
  ...between('A200', 'A204'),
  ...between('A206', 'A220'),
  'A920',
];

/** Every code of the table from one to another. */
function between(first: ResultCode, last: ResultCode): ResultCode[] {
  const codes = Object.keys(RESULT_CODES) as ResultCode[];
  return codes.filter(code => code >= first && code <= last);
}
