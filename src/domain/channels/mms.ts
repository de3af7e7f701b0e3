/** Domestic long text: an MMS with files, an LMS without. */

import { hasOwnTime, timedMs } from '../delivery/deadlines.ts';
import { imageRule } from '../images/image-rules.ts';
import { list, listOrOne, text } from '../request/field-kinds.ts';
import { type Reading, readFields, required, type ValuesOf } from '../request/fields.ts';
import { measureFields } from '../request/measures.ts';
import { Problem } from '../request/problem.ts';
import type { ResultCode } from '../request/result-codes.ts';
import { hasAdvertisementMark, textMarkProblem } from '../text/advertisement-mark.ts';
import type { SingleSendOf } from './channel.ts';
import { type ChannelDescription, withoutChannel } from './channel-description.ts';
import { registeredSender } from './registered-sender.ts';
import { domesticTo, from, originCID, ref, ttl } from './shared-fields.ts';

export const mmsTitle = text({
  code: 'A300',
  max: 40,
  unit: 'bytes',
  description: 'Title, in EUC-KR bytes.',
});

/** Keys of uploaded files. Whether the files exist is checked later (accept/file-check.ts). */
export function fileKeys(tooMany: ResultCode) {
  const item = text({
    code: 'A217',
    max: 200,
    unit: 'characters',
    description: 'Key of an uploaded file.',
    isFixed: true,
  });
  return listOrOne(
    list({ code: 'A217', item, max: 3, tooMany, description: 'Keys of uploaded files, at most 3.' }),
  );
}

/** The fields of an entry of a flow. */
const mmsEntryFields = {
  from: required(from),
  text: required(
    text({
      code: 'A303',
      tooLong: 'A328',
      max: 2000,
      unit: 'bytes',
      description: 'Message, in EUC-KR bytes.',
    }),
  ),
  title: mmsTitle,
  fileKey: fileKeys('A319'),
  originCID,
  ttl,
};

/** The fields of a single send, in the order in which they are checked. */
const mmsFields = {
  from: mmsEntryFields.from,
  to: required(domesticTo),
  text: mmsEntryFields.text,
  title: mmsEntryFields.title,
  fileKey: mmsEntryFields.fileKey,
  ref,
  originCID,
};

const MMS_IMAGE = imageRule('MMS');

export interface MmsStep extends ValuesOf<typeof mmsEntryFields> {
  readonly channel: 'mms';
}

export function parseMmsEntry(entry: unknown, reading: Reading, path: string): MmsStep | Problem {
  const values = readFields(mmsEntryFields, entry, reading, path);
  return values instanceof Problem ? values : { channel: 'mms', ...values };
}

export function parseMms(body: unknown): SingleSendOf<MmsStep> | Problem {
  const values = readFields(mmsFields, body);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, ...message } = values;
  return { to, ref: clientRef, flow: [{ channel: 'mms', ...message }] };
}

export const mmsChannel: ChannelDescription<MmsStep> = {
  family: 'text',
  request: {
    fields: { single: mmsFields, entry: mmsEntryFields },
    readSingle: parseMms,
    readEntry: parseMmsEntry,
    measure: message => measureFields(mmsEntryFields, message),
    write: withoutChannel,
    // Single sends have no time to live.
    fitsSingleSend: step => step.ttl === undefined,
  },
  registry: { enforced: registeredSender },
  files: {
    namedBy: 'key',
    uses: ({ fileKey = [] }) =>
      fileKey.map((name, index) => ({ field: `fileKey[${index}]`, name, rule: MMS_IMAGE })),
  },
  // Without a file the message is a long text, an LMS.
  report: { msgType: step => (step.fileKey === undefined ? 'LM' : 'MM') },
  deadlineMs: (step, { mmsMs }) => timedMs(step, mmsMs),
  hasOwnTime,
  advertisement: {
    textsOf: step => [step.title, step.text],
    // The law asks for the mark where the text begins, whatever the title says.
    problem: ({ title = '', text }, isFallbackOfOne) =>
      textMarkProblem(text, isFallbackOfOne || hasAdvertisementMark(title)),
  },
  recipientsCanBlock: false,
};
