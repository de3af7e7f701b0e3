/** Domestic SMS: one part of at most 90 EUC-KR bytes. */
import { readFields, required, text, type ValuesOf } from '../fields.ts';
import type { SingleSend } from '../flow.ts';
import { Problem } from '../problem.ts';
import { domesticTo, from, originCID, ref } from './shared-fields.ts';

const smsFields = {
  from: required(from),
  to: required(domesticTo),
  text: required(
    text({ code: 'A303', tooLong: 'A328', max: 90, unit: 'bytes', description: 'Message, in EUC-KR bytes.' }),
  ),
  ref,
  originCID,
};

export interface SmsStep extends Omit<ValuesOf<typeof smsFields>, 'to' | 'ref'> {
  readonly channel: 'sms';
}

export function parseSms(body: unknown): SingleSend | Problem {
  const values = readFields(smsFields, body);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, ...message } = values;
  return { to, ref: clientRef, flow: [{ channel: 'sms', ...message }] };
}
