/** Domestic SMS: one part of at most 90 EUC-KR bytes. */

import { hasOwnTime, timedMs } from '../delivery/deadlines.ts';
import { text } from '../request/field-kinds.ts';
import { type Reading, readFields, required, type ValuesOf } from '../request/fields.ts';
import { measureFields } from '../request/measures.ts';
import { Problem } from '../request/problem.ts';
import { textMarkProblem } from '../text/advertisement-mark.ts';
import type { SingleSendOf } from './channel.ts';
import { type ChannelDescription, withoutChannel } from './channel-description.ts';
import { registeredSender } from './registered-sender.ts';
import { domesticTo, from, originCID, ref, ttl } from './shared-fields.ts';

/** The fields of an entry of a flow. */
const smsEntryFields = {
  from: required(from),
  text: required(
    text({ code: 'A303', tooLong: 'A328', max: 90, unit: 'bytes', description: 'Message, in EUC-KR bytes.' }),
  ),
  originCID,
  ttl,
};

/** The fields of a single send, in the order in which they are checked. */
const smsFields = {
  from: smsEntryFields.from,
  to: required(domesticTo),
  text: smsEntryFields.text,
  ref,
  originCID,
};

export interface SmsStep extends ValuesOf<typeof smsEntryFields> {
  readonly channel: 'sms';
}

function parseSmsEntry(entry: unknown, reading: Reading, path: string): SmsStep | Problem {
  const values = readFields(smsEntryFields, entry, reading, path);
  return values instanceof Problem ? values : { channel: 'sms', ...values };
}

function parseSms(body: unknown): SingleSendOf<SmsStep> | Problem {
  const values = readFields(smsFields, body);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, ...message } = values;
  return { to, ref: clientRef, flow: [{ channel: 'sms', ...message }] };
}

export const smsChannel: ChannelDescription<SmsStep> = {
  family: 'text',
  request: {
    fields: { single: smsFields, entry: smsEntryFields },
    readSingle: parseSms,
    readEntry: parseSmsEntry,
    measure: message => measureFields(smsEntryFields, message),
    write: withoutChannel,
    // Single sends have no time to live.
    fitsSingleSend: step => step.ttl === undefined,
  },
  registry: { enforced: registeredSender },
  report: { msgType: () => 'SM' },
  deadlineMs: (step, { textMs }) => timedMs(step, textMs),
  hasOwnTime,
  advertisement: {
    textsOf: step => [step.text],
    problem: (step, isFallbackOfOne) => textMarkProblem(step.text, isFallbackOfOne),
  },
  textInParts: step => step.text,
  recipientsCanBlock: false,
};
