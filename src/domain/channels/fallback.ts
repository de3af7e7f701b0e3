/**
 * The `fallback` of a single send: a domestic text message that goes out when the first message fails.
 * It becomes the second step of the flow.
 */

import { field, text, word } from '../request/field-kinds.ts';
import { readFields, required, schemaOfFields } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import { measureEucKr } from '../text/euc-kr.ts';
import { fileKeys, type MmsStep, mmsTitle } from './mms.ts';
import { from, originCID } from './shared-fields.ts';
import type { SmsStep } from './sms.ts';

export const fallbackFields = {
  type: required(word({ code: 'A312', values: ['SMS', 'MMS'], description: 'Kind of text message.' })),
  from,
  text: required(
    text({
      code: 'A314',
      tooLong: 'A329',
      max: 2000,
      unit: 'bytes',
      description: 'Message, in EUC-KR bytes. Over 90 bytes it goes out as LMS, also when the type is SMS.',
    }),
  ),
  title: mmsTitle,
  fileKey: fileKeys('A317'),
  originCID,
};

export type FallbackStep = SmsStep | MmsStep;

const SMS_BYTES = 90;

/** `defaultFrom` is the sender of the message before it, where that message has one. */
export function parseFallback(value: unknown, defaultFrom: string | undefined): FallbackStep | Problem {
  const values = readFields(fallbackFields, value, 'final', 'fallback');
  if (values instanceof Problem) return values;
  const { type, from: ownFrom, title, fileKey, ...message } = values;
  if (type === 'SMS' && fileKey !== undefined) {
    return new Problem('A317', '"fallback.fileKey" needs type MMS: a message of type SMS has no images');
  }
  const sender = ownFrom ?? defaultFrom;
  if (sender === undefined) {
    return new Problem('A302', '"fallback.from" is required: the message has no sender number of its own');
  }
  const step = { from: sender, ...message };
  if (type === 'SMS' && fitsSms(message.text)) return { channel: 'sms', ...step };
  return {
    channel: 'mms',
    ...step,
    ...(title !== undefined && { title }),
    ...(fileKey !== undefined && { fileKey }),
  };
}

/** The fallback of a channel that has no sender number, such as the messenger ones. */
export const senderlessFallback = field<FallbackStep>('A300', schemaOfFields(fallbackFields), value =>
  parseFallback(value, undefined),
);

function fitsSms(message: string): boolean {
  const measured = measureEucKr(message);
  return 'bytes' in measured && measured.bytes <= SMS_BYTES;
}
