/**
 * RCS: rich messages of one card, of a carousel, or of an issued template.
 *
 * A client writes a message in one of two styles. Both become the carrier-standard form, `body` and `buttons`, which
 * is what carriers get and previews show; a simple request and the expert request that says the same are the same step.
 *
 *   content.standalone                   body
 *     title, text                          title, description
 *     media, mediaUrl                      media, mediaUrl
 *     subContent[0].subTitle …             subTitle1, subDesc1, subMedia1, subMediaUrl1 …
 *   content.carousel[0]                    title1, description1, media1, mediaUrl1 …
 *   content.template                       its own keys; subContent as above
 *   button[] of a card                   buttons[card].suggestions[] (buttons.ts)
 *
 * `buttons` has an entry for each card, `{}` for a card without buttons, and is empty when no card has any.
 * A formatId of the table brings its limits (formats.ts, limits.ts). Any other is an issued template: its limits are those
 * of the kind that it is registered with (registry.ts), and it has none here.
 */

import { imageRule } from '../../images/image-rules.ts';
import { field, text, word } from '../../request/field-kinds.ts';
import {
  alsoNamed,
  isObject,
  type JsonSchema,
  type Reading,
  readFields,
  required,
  schemaOfFields,
  type ValuesOf,
} from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import type { SingleSendOf } from '../channel.ts';
import type { FileUse } from '../channel-description.ts';
import { type FallbackStep, fallbackFields, parseFallback } from '../fallback.ts';
import { domesticTo, from, ref, ttl } from '../shared-fields.ts';
import { readBody } from './body.ts';
import { contentKindOf, contentSchema, readContent } from './content.ts';
import { type ContentKind, findRcsFormat, type RcsTemplateKind } from './formats.ts';
import { MEDIA_SCHEME, type RcsMessage, rcsLimitProblem } from './limits.ts';

/** `expiryOption` decides; carriers of another service of the contract are given it as it is. */
const carrierTtl = {
  ...ttl,
  schema: {
    type: 'string',
    description: 'Seconds, for carriers that take it. The deadline is expiryOption.',
  },
};

/** The fields of an entry of a flow. */
export const rcsEntryFields = {
  from: required(from),
  formatId: required(
    text({
      code: 'A404',
      max: 100,
      unit: 'characters',
      description: 'Format of the table, or the id of an issued template.',
      isFixed: true,
    }),
  ),
  brandKey: identifier('A420', 'Key of the brand.'),
  brandId: identifier('A419', 'Id of the brand.'),
  groupId: identifier('A409', 'Group for statistics.'),
  expiryOption: word({
    code: 'A408',
    values: ['1', '2', '3', '4'],
    description:
      'Time to wait for delivery: 24 hours, 40 seconds, 3 minutes 10 seconds or 1 hour. Default 1.',
  }),
  copyAllowed: alsoNamed(
    word({ code: 'A407', values: ['0', '1'], description: 'Whether the text can be copied.' }),
    'copyAllow',
  ),
  header: word({
    code: 'A411',
    values: ['0', '1'],
    description: 'Whether the advertisement mark is shown; 1 needs a footer. Default 0.',
  }),
  footer: text({ code: 'A412', max: 100, unit: 'characters', description: 'Opt-out number at the bottom.' }),
  agencyId: identifier('A413', 'Id of the agency.'),
  agencyKey: identifier('A418', 'Key of the agency.'),
  ttl: carrierTtl,
  content: jsonObject('A415', contentSchema),
  body: jsonObject('A415', {
    type: 'object',
    additionalProperties: { type: ['string', 'object'] },
    description: 'Expert style: carrier-standard keys.',
  }),
  buttons: field<readonly unknown[]>(
    'A406',
    {
      type: 'array',
      items: {
        type: 'object',
        properties: { suggestions: { type: 'array', items: { type: 'object' } } },
      },
      description: 'Expert style: carrier-standard buttons, one entry for each card.',
    },
    (value, path) => (Array.isArray(value) ? value : new Problem('A011', `"${path}" must be a list`)),
  ),
};

const { from: sender, formatId, brandKey, ...otherFields } = rcsEntryFields;

/** The fields of a single send, in the order in which they are checked. */
export const rcsFields = {
  from: sender,
  to: required(domesticTo),
  formatId,
  brandKey: required(brandKey),
  ...otherFields,
  ref,
  fallback: jsonObject('A312', schemaOfFields(fallbackFields)),
};

type EntryValues = ValuesOf<typeof rcsEntryFields>;

export interface RcsStep
  extends Omit<EntryValues, 'content' | 'body' | 'buttons' | 'expiryOption' | 'header'>,
    Pick<RcsMessage, 'body' | 'buttons'> {
  /** The registered kind of an issued template, where it is known. */
  readonly templateKind?: RcsTemplateKind;
  /** The member of `content` that was given with an id outside the table; the registered kind decides whether it may be. */
  readonly contentKind?: ContentKind;
  readonly channel: 'rcs';
  readonly expiryOption: RcsExpiryOption;
  readonly header: NonNullable<EntryValues['header']>;
}

export type RcsExpiryOption = NonNullable<EntryValues['expiryOption']>;

export function parseRcsEntry(entry: unknown, reading: Reading, path: string): RcsStep | Problem {
  const values = readFields(rcsEntryFields, entry, reading, path);
  return values instanceof Problem ? values : stepOf(values, reading, path && `${path}.`);
}

export function parseRcs(request: unknown): SingleSendOf<RcsStep | FallbackStep> | Problem {
  const values = readFields(rcsFields, request);
  if (values instanceof Problem) return values;
  const { to, ref: clientRef, fallback, ...message } = values;
  const step = stepOf(message, 'final', '');
  if (step instanceof Problem) return step;
  if (fallback === undefined) return { to, ref: clientRef, flow: [step] };
  const second = parseFallback(fallback, step.from);
  return second instanceof Problem ? second : { to, ref: clientRef, flow: [step, second] };
}

/** `prefix` goes before the name of a field in a problem. */
function stepOf(values: EntryValues, reading: Reading, prefix: string): RcsStep | Problem {
  const { content, body, buttons, expiryOption = '1', header = '0', ...rest } = values;
  if (header === '1' && (rest.footer ?? '').trim() === '') {
    return new Problem('A412', `"${prefix}footer" is required when "${prefix}header" is 1`);
  }
  const message = messageOf(values, reading, prefix);
  if (message instanceof Problem) return message;
  const contentKind = content && !findRcsFormat(rest.formatId) ? contentKindOf(content) : undefined;
  return {
    channel: 'rcs',
    ...(contentKind && { contentKind }),
    ...rest,
    expiryOption,
    header,
    body: message.body,
    buttons: message.buttons,
  };
}

function messageOf(values: EntryValues, reading: Reading, prefix: string): RcsMessage | Problem {
  const { content, body, buttons } = values;
  const format = findRcsFormat(values.formatId);
  if (buttons && !body) return new Problem('A425', `"${prefix}buttons" needs "${prefix}body"`);
  if (content && body) {
    return new Problem('A415', `"${prefix}content" and "${prefix}body" cannot be used together`);
  }
  const message = body
    ? readBody(body, buttons ?? [], format, reading, { body: `${prefix}body`, buttons: `${prefix}buttons` })
    : content && readContent(content, format, reading, `${prefix}content`);
  if (message === undefined) {
    return new Problem('A415', `One of "${prefix}content" and "${prefix}body" is required`);
  }
  if (message instanceof Problem || !format) return message;
  return rcsLimitProblem(message, format, reading) ?? message;
}

const EXPIRY_MS: Readonly<Record<RcsExpiryOption, number>> = {
  '1': 24 * 60 * 60_000,
  '2': 40_000,
  '3': 190_000,
  '4': 60 * 60_000,
};

/** How long the client lets the message wait for its delivery. */
export function expiryMs(option: RcsExpiryOption): number {
  return EXPIRY_MS[option];
}

/** The sizes depend on the layout; see images.ts. */
const RCS_IMAGE = imageRule('RCS');

/** References to the images of the cards. */
export function rcsCardMediaOf(step: RcsStep): FileUse[] {
  return referencesOf(step, /^media\d*$/);
}

/** References to the images of the sub-infos. */
export function rcsSubMediaOf(step: RcsStep): FileUse[] {
  return referencesOf(step, /^subMedia\d+$/);
}

/** Every reference to an uploaded image, under whatever key. */
export function rcsMediaOf(step: RcsStep): FileUse[] {
  return referencesOf(step, /^/);
}

function referencesOf({ body }: RcsStep, keys: RegExp): FileUse[] {
  return Object.entries(body).flatMap(([key, value]) =>
    typeof value === 'string' && value.startsWith(MEDIA_SCHEME) && keys.test(key)
      ? [{ field: `body.${key}`, name: value, rule: RCS_IMAGE }]
      : [],
  );
}

/** A name that someone else issued; whether it exists is checked by the registry or the network. */
function identifier(code: ResultCode, description: string) {
  return text({ code, max: 100, unit: 'characters', description });
}

/** An object that is read later, when the format is known. */
function jsonObject(code: ResultCode, schema: JsonSchema) {
  return field<Readonly<Record<string, unknown>>>(code, schema, (value, path) =>
    isObject(value) ? value : new Problem('A011', `"${path}" must be a JSON object`),
  );
}
