/** Alimtalk: a notification made from an approved template. AT is text, AI has an image at its head. */

import { field, isUnfilled, text, word } from '../request/field-kinds.ts';
import { type Field, type Reading, readFields, required, type ValuesOf } from '../request/fields.ts';
import { measureByType } from '../request/measures.ts';
import { Problem } from '../request/problem.ts';
import { isMarkedOrReadsAsAdvertisement } from '../text/advertisement-mark.ts';
import { ALIMTALK_TYPES, type AlimtalkType, item, itemHighlight } from './alimtalk-items.ts';
import { registeredProfileAndTemplate } from './alimtalk-registry.ts';
import type { SingleSendOf } from './channel.ts';
import { type ChannelDescription, withoutChannel } from './channel-description.ts';
import type { FallbackStep } from './fallback.ts';
import { buttons, quickReplies } from './messenger-buttons.ts';
import {
  characters,
  givenTwiceProblem,
  links,
  looseObject,
  senderKey,
  templateCode,
  withoutBlanks,
} from './messenger-fields.ts';
import { singleSend, singleSendFields } from './messenger-single-send.ts';
import { messengerStyle } from './messenger-style.ts';

const typeWord = word({ code: 'A523', values: ALIMTALK_TYPES, description: 'AT text, AI image.' });

const msgType: Field<AlimtalkType, true> = required({
  ...typeWord,
  // One public client knows the image type only by the misspelt name AL.
  read: (given, path, reading) => typeWord.read(given === 'AL' ? 'AI' : given, path, reading),
});

const price = field(
  'A559',
  { type: 'string', description: 'Amount named in the message.' },
  (given, path, reading) => {
    const amount = typeof given === 'number' ? String(given) : given;
    if (typeof amount !== 'string') return new Problem('A011', `"${path}" must be a string`);
    const isAmount = /^\d[\d,]{0,19}(\.\d{1,4})?$/.test(amount);
    return isAmount || isUnfilled(amount, reading)
      ? amount
      : new Problem('A559', `"${path}" must be an amount in digits`);
  },
);

/** The fields of an entry of a flow. Buttons are in `button`, as in single sends, or in `attachment.button`. */
function entryFields(type: AlimtalkType) {
  return {
    senderKey,
    msgType,
    templateCode: required(templateCode),
    text: required(
      text({ code: 'A303', tooLong: 'A328', max: 1000, unit: 'characters', description: 'Message.' }),
    ),
    title: characters('A300', 50, 'Emphasised title.'),
    header: characters('A565', 16, 'Line at the head.'),
    link: looseObject({ code: 'A300', fields: links('A300'), description: 'Where a tap on it leads.' }),
    button: buttons,
    attachment: looseObject({
      code: 'A573',
      fields: {
        button: buttons,
        item,
        itemHighlight: itemHighlight(type),
      },
      description: 'Buttons and lists.',
    }),
    supplement: looseObject({
      code: 'A562',
      fields: { quickReply: quickReplies },
      description: 'Quick replies.',
    }),
    price,
    currencyType: characters('A300', 3, 'Currency of the amount, such as KRW.'),
  };
}

function singleFields(type: AlimtalkType) {
  const { senderKey: key, msgType: kind, ...message } = entryFields(type);
  const { to, ref, fallback } = singleSendFields;
  return { senderKey: key, msgType: kind, to, ...message, ref, fallback };
}

/** The fields by msgType, in the order in which they are checked. */
const alimtalkFields = {
  AT: { entry: entryFields('AT'), single: singleFields('AT') },
  AI: { entry: entryFields('AI'), single: singleFields('AI') },
};

type AlimtalkValues = ValuesOf<ReturnType<typeof entryFields>>;

export interface AlimtalkStep extends Omit<AlimtalkValues, 'button'> {
  readonly channel: 'alimtalk';
}

export function parseAlimtalkEntry(entry: unknown, reading: Reading, path: string): AlimtalkStep | Problem {
  const given = withoutBlanks(entry);
  const type = readType(given, reading, path);
  if (type instanceof Problem) return type;
  const values = readFields(alimtalkFields[type].entry, given, reading, path);
  return values instanceof Problem ? values : stepOf(values, path);
}

export function parseAlimtalk(body: unknown): SingleSendOf<AlimtalkStep | FallbackStep> | Problem {
  const given = withoutBlanks(body);
  const type = readType(given, 'final', '');
  if (type instanceof Problem) return type;
  const values = readFields(alimtalkFields[type].single, given);
  if (values instanceof Problem) return values;
  const { to, ref, fallback, ...message } = values;
  const step = stepOf(message, '');
  return step instanceof Problem ? step : singleSend(values, step);
}

function readType(given: unknown, reading: Reading, path: string): AlimtalkType | Problem {
  const values = readFields({ senderKey, msgType }, given, reading, path);
  return values instanceof Problem ? values : values.msgType;
}

function stepOf(values: AlimtalkValues, path: string): AlimtalkStep | Problem {
  const twice = givenTwiceProblem(values, path);
  if (twice) return twice;
  const { button, ...message } = values;
  const attachment = button === undefined ? message.attachment : { button, ...message.attachment };
  return { channel: 'alimtalk', ...message, ...(attachment !== undefined && { attachment }) };
}

export const alimtalkChannel: ChannelDescription<AlimtalkStep, FallbackStep> = {
  family: 'messenger',
  request: {
    fields: { byType: alimtalkFields },
    readSingle: parseAlimtalk,
    readEntry: parseAlimtalkEntry,
    measure: message => measureByType(alimtalkFields, message),
    write: withoutChannel,
    ...messengerStyle,
    fitsSingleSend: () => true,
  },
  registry: { enforced: registeredProfileAndTemplate },
  report: { msgType: step => step.msgType },
  deadlineMs: (_step, { messengerMs }) => messengerMs,
  advertisement: {
    textsOf: ({ header, title, text }) => [header, title, text],
    problem({ text, title, header }, isFallbackOfOne) {
      const isOne = (value = '') => isMarkedOrReadsAsAdvertisement(value);
      const [field] = Object.entries({ text, title, header }).find(([, value]) => isOne(value)) ?? [];
      const named = field ?? (isFallbackOfOne ? 'text' : undefined);
      return named && `"${named}" is an advertisement: alimtalk may not carry advertisements`;
    },
  },
  recipientsCanBlock: false,
};
