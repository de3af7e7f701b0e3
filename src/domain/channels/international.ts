/** International SMS: GSM 03.38 or UCS-2, at most five concatenated parts. */

import { parsed, text } from '../request/field-kinds.ts';
import { isObject, readFields, required, type ValuesOf } from '../request/fields.ts';
import { type Measure, MOST_MEASURED } from '../request/measures.ts';
import { parseInternationalNumber, parseSenderNumber, parseTextSenderId } from '../request/phone-number.ts';
import { Problem } from '../request/problem.ts';
import { MAX_PARTS, segmentText, unitsLimit } from '../text/sms-segments.ts';
import type { SingleSendOf } from './channel.ts';
import type { ChannelDescription } from './channel-description.ts';
import { registeredSenderAndSignature, registeredTextSenderId } from './international-registry.ts';
import { originCID, ref } from './shared-fields.ts';

const internationalFields = {
  from: required(
    parsed({
      code: 'A302',
      parse: value => parseSenderNumber(value) ?? parseTextSenderId(value),
      mustBe:
        'a sender number of 3 to 15 digits, or a registered text sender id of 3 to 11 letters and digits',
      description:
        'Sender number, digits only; or a text sender id registered for the account and the country.',
    }),
  ),
  to: required(
    parsed({
      code: 'A306',
      parse: parseInternationalNumber,
      mustBe: 'an international number such as +14155550123',
      description: 'Recipient in international format: plus sign, country code, number.',
    }),
  ),
  text: required(
    text({
      code: 'A303',
      tooLong: 'A328',
      max: 2000,
      unit: 'characters',
      description: 'Message, at most five parts.',
    }),
  ),
  ref,
  // Not in the specification's table, but two public clients send it here.
  originCID,
};

export interface InternationalStep extends Omit<ValuesOf<typeof internationalFields>, 'to' | 'ref'> {
  readonly channel: 'international';
  /** Parts the text is sent in; `resCnt` in the report. */
  readonly parts: number;
}

function parseInternational(body: unknown): SingleSendOf<InternationalStep> | Problem {
  const values = readFields(internationalFields, body);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, ...message } = values;
  const { encoding, parts, units } = segmentText(message.text);
  if (parts.length > MAX_PARTS) {
    const alphabet = encoding === 'gsm7' ? 'GSM' : 'local-language';
    return new Problem(
      'A328',
      `"text" is longer than ${MAX_PARTS} parts, ${unitsLimit(encoding)} ${alphabet} characters (was ${parts.length} parts, ${units} characters)`,
    );
  }
  return { to, ref: clientRef, flow: [{ channel: 'international', ...message, parts: parts.length }] };
}

/** Measured in parts, whose length depends on the alphabet of the text. */
function measure(message: unknown): Measure[] {
  const written = isObject(message) ? message.text : undefined;
  if (typeof written !== 'string') return [];
  const { encoding, units, parts } = segmentText(written.slice(0, MOST_MEASURED));
  return [
    { name: 'characters', field: 'text', value: units, limit: unitsLimit(encoding) },
    { name: 'parts', field: 'text', value: parts.length, limit: MAX_PARTS },
  ];
}

/** Flows cannot contain it: their recipients are domestic. */
export const internationalChannel: ChannelDescription<InternationalStep> = {
  family: 'text',
  request: {
    fields: { single: internationalFields },
    readSingle: parseInternational,
    measure,
    write: ({ channel, parts, ...fields }) => fields,
    fitsSingleSend: () => true,
  },
  registry: { enforced: registeredSenderAndSignature, unenforced: registeredTextSenderId },
  report: { msgType: () => 'IM', resCnt: step => String(step.parts) },
  deadlineMs: (_step, { textMs }) => textMs,
  advertisement: { textsOf: step => [step.text] },
  textInParts: step => step.text,
  recipientsCanBlock: false,
};
