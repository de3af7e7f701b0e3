/**
 * The schemas of requests, made from the field tables that requests are read by. Parts that occur in several places
 * are named once here and referred to (measured: 166 KB instead of 1.1 MB).
 */
import { alimtalkFields } from '../../domain/channels/alimtalk.ts';
import { brandmessageFields } from '../../domain/channels/brandmessage.ts';
import { fallbackFields } from '../../domain/channels/fallback.ts';
import { attachment, commerce, coupon, image } from '../../domain/channels/friendtalk/attachment.ts';
import { carousel } from '../../domain/channels/friendtalk/carousel.ts';
import { friendtalkFields } from '../../domain/channels/friendtalk/friendtalk.ts';
import { internationalFields } from '../../domain/channels/international.ts';
import { buttons, quickReplies } from '../../domain/channels/messenger-buttons.ts';
import { mmsEntryFields, mmsFields } from '../../domain/channels/mms.ts';
import { simpleButton } from '../../domain/channels/rcs/buttons.ts';
import { contentSchema } from '../../domain/channels/rcs/content.ts';
import { rcsEntryFields, rcsFields } from '../../domain/channels/rcs/rcs.ts';
import { smsEntryFields, smsFields } from '../../domain/channels/sms.ts';
import { type Fields, isObject, type JsonSchema, schemaOfFields } from '../../domain/request/fields.ts';
import { FLOW_CHANNELS, MAX_STEPS } from '../../domain/request/message-flow.ts';
import { MAX_DESTINATIONS, omniFields } from '../../domain/request/omni.ts';
import { reference } from './schemas.ts';

const PARTS: Readonly<Record<string, JsonSchema>> = {
  Fallback: schemaOfFields(fallbackFields),
  RcsButton: simpleButton(true).schema,
  RcsContent: contentSchema,
  MessengerButton: itemsOf(buttons.schema),
  QuickReply: itemsOf(quickReplies.schema),
  MessengerImage: image.schema,
  Goods: commerce.schema,
  Coupon: coupon(12).schema,
  WideCoupon: coupon(18).schema,
  FriendtalkAttachment: attachment(12).schema,
  WideFriendtalkAttachment: attachment(18).schema,
  CarouselFeed: carousel('feed').schema,
  CarouselCommerce: carousel('commerce').schema,
};

const NAME_OF_PART = new Map(Object.entries(PARTS).map(([name, schema]) => [JSON.stringify(schema), name]));

/** Of `content` and `body` a message has exactly one. */
const CONTENT_OR_BODY = { oneOf: [{ required: ['content'] }, { required: ['body'] }] };

/** What an entry of a flow holds, by the member that holds it. */
const ENTRY_NAMES: Readonly<Record<string, string>> = {
  sms: 'SmsMessage',
  mms: 'MmsMessage',
  rcs: 'RcsMessage',
  alimtalk: 'AlimtalkMessage',
  friendtalk: 'FriendtalkMessage',
  brandmessage: 'BrandmessageMessage',
};

type ByType = Readonly<Record<string, { readonly entry: Fields; readonly single: Fields }>>;

export const REQUEST_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, schema]) => [name, withReferences(schema, name)])),
  SmsMessage: schemaOf(smsEntryFields),
  MmsMessage: schemaOf(mmsEntryFields),
  RcsMessage: { ...schemaOf(rcsEntryFields), ...CONTENT_OR_BODY },
  ...messagesByType('Alimtalk', alimtalkFields),
  ...messagesByType('Friendtalk', friendtalkFields),
  ...messagesByType('Brandmessage', brandmessageFields),
  FlowEntry: {
    type: 'object',
    description: 'Exactly one channel message.',
    properties: Object.fromEntries(
      Object.keys(FLOW_CHANNELS).map(channel => [channel, reference(ENTRY_NAMES[channel] ?? channel)]),
    ),
    minProperties: 1,
    maxProperties: 1,
  },
};

const flowEntries = {
  type: 'array',
  items: reference('FlowEntry'),
  minItems: 1,
  maxItems: MAX_STEPS,
} as const;

/** The body of each send, by the last segment of its path. */
export const SEND_SCHEMAS = {
  sms: schemaOf(smsFields),
  mms: schemaOf(mmsFields),
  international: schemaOf(internationalFields),
  rcs: { ...schemaOf(rcsFields), ...CONTENT_OR_BODY },
  alimtalk: singleOf('AlimtalkMessage', alimtalkFields),
  friendtalk: singleOf('FriendtalkMessage', friendtalkFields),
  brandmessage: singleOf('BrandmessageMessage', brandmessageFields),
  omni: omniSchema(),
} satisfies Record<string, JsonSchema>;

export const FORM_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    messageForm: { ...flowEntries, description: 'Messages in send order, as in messageFlow.' },
  },
  required: ['messageForm'],
};

export function schemaOf(fields: Fields): JsonSchema {
  return withReferences(schemaOfFields(fields)) as JsonSchema;
}

/** One schema for each msgType, because limits differ, and the choice between them. */
function messagesByType(channel: string, byType: ByType): Record<string, JsonSchema> {
  const nameOf = (type: string) => `${channel}${type}`;
  const types = Object.keys(byType);
  const messages = Object.entries(byType).map(([type, { entry }]) => {
    const schema = schemaOf(entry);
    const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
    const msgType = { ...properties.msgType, enum: [type] };
    return [nameOf(type), { ...schema, properties: { ...properties, msgType } }];
  });
  const mapping = Object.fromEntries(types.map(type => [type, `#/components/schemas/${nameOf(type)}`]));
  return {
    [`${channel}Message`]: {
      oneOf: types.map(type => reference(nameOf(type))),
      discriminator: { propertyName: 'msgType', mapping },
    },
    ...Object.fromEntries(messages),
  };
}

/** A single send is the message, and what only a single send has: recipient, reference, fallback. */
function singleOf(message: string, byType: ByType): JsonSchema {
  const [first] = Object.values(byType);
  const own = Object.entries(first?.single ?? {}).filter(([name]) => !(name in (first?.entry ?? {})));
  return { allOf: [reference(message), schemaOf(Object.fromEntries(own))] };
}

function omniSchema(): JsonSchema {
  const schema = schemaOf(omniFields);
  const destination = {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'Recipient number.' },
      replaceWords: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description: 'Value for each #{key} in the flow; keys are written without #{}.',
      },
    },
    required: ['to'],
  };
  return {
    ...schema,
    properties: {
      ...(schema.properties as object),
      destinations: {
        type: 'array',
        items: destination,
        minItems: 1,
        maxItems: MAX_DESTINATIONS,
        description: `Recipients, at most ${MAX_DESTINATIONS}.`,
      },
      messageFlow: {
        ...flowEntries,
        description: 'Messages in send order; each is sent if the one before fails.',
      },
    },
    anyOf: [{ required: ['messageFlow'] }, { required: ['messageForm'] }],
  };
}

function itemsOf(list: JsonSchema): JsonSchema {
  return list.items as JsonSchema;
}

/** The schema with a reference in each place that holds a named part; `own` is the part that is being defined. */
function withReferences(value: unknown, own?: string): unknown {
  if (Array.isArray(value)) return value.map(each => withReferences(each));
  if (!isObject(value)) return value;
  const name = NAME_OF_PART.get(JSON.stringify(value));
  if (name !== undefined && name !== own) return reference(name);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withReferences(member)]));
}
