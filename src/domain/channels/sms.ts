/** Domestic SMS: one part of at most 90 EUC-KR bytes. */

import { text } from '../request/field-kinds.ts';
import { type Reading, readFields, required, type ValuesOf } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import type { SingleSendOf } from './channel.ts';
import { domesticTo, from, originCID, ref, ttl } from './shared-fields.ts';

/** What an entry of a flow holds. */
export const smsEntryFields = {
  from: required(from),
  text: required(
    text({ code: 'A303', tooLong: 'A328', max: 90, unit: 'bytes', description: 'Message, in EUC-KR bytes.' }),
  ),
  originCID,
  ttl,
};

/** What a single send holds, in the order in which faults are told. */
export const smsFields = {
  from: smsEntryFields.from,
  to: required(domesticTo),
  text: smsEntryFields.text,
  ref,
  originCID,
};

export interface SmsStep extends ValuesOf<typeof smsEntryFields> {
  readonly channel: 'sms';
}

export function parseSmsEntry(entry: unknown, reading: Reading, path: string): SmsStep | Problem {
  const values = readFields(smsEntryFields, entry, reading, path);
  return values instanceof Problem ? values : { channel: 'sms', ...values };
}

export function parseSms(body: unknown): SingleSendOf<SmsStep> | Problem {
  const values = readFields(smsFields, body);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, ...message } = values;
  return { to, ref: clientRef, flow: [{ channel: 'sms', ...message }] };
}
