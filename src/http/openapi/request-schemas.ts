/**
 * The schemas of requests, made from the field tables that requests are read by. Parts that occur in several places
 * are named once here and referred to (measured: 166 KB instead of 1.1 MB).
 */
import { item, itemHighlight } from '../../domain/channels/alimtalk-items.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { FieldsByType } from '../../domain/channels/channel-description.ts';
import { CHANNEL_TABLE } from '../../domain/channels/channel-table.ts';
import { fallbackFields } from '../../domain/channels/fallback.ts';
import { attachment, commerce, coupon, image } from '../../domain/channels/friendtalk/attachment.ts';
import { carousel } from '../../domain/channels/friendtalk/carousel.ts';
import { buttons, quickReplies } from '../../domain/channels/messenger-buttons.ts';
import { simpleButton } from '../../domain/channels/rcs/buttons.ts';
import { contentSchema } from '../../domain/channels/rcs/content.ts';
import { type Fields, isObject, type JsonSchema, schemaOfFields } from '../../domain/request/fields.ts';
import { FLOW_CHANNELS, MAX_STEPS } from '../../domain/request/message-flow.ts';
import { MAX_DESTINATIONS, omniFields } from '../../domain/request/omni.ts';
import { sendFields } from '../../domain/request/send-fields.ts';
import type { SendKind } from '../../domain/request/send-kinds.ts';
import { laterFields, reservationFields } from '../../domain/reservation/parse-reservation.ts';
import { reference } from '../../operations/schemas.ts';

const PARTS: Readonly<Record<string, JsonSchema>> = {
  Fallback: schemaOfFields(fallbackFields),
  RcsButton: simpleButton(true).schema,
  RcsContent: contentSchema,
  MessengerButton: itemsOf(buttons.schema),
  QuickReply: itemsOf(quickReplies.schema),
  AlimtalkItems: item.schema,
  AlimtalkHighlight: itemHighlight('AT').schema,
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

export const REQUEST_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, schema]) => [name, withReferences(schema, name)])),
  ...Object.fromEntries(FLOW_CHANNELS.flatMap(messageSchemas)),
  FlowEntry: {
    type: 'object',
    description: 'Exactly one channel message.',
    properties: Object.fromEntries(FLOW_CHANNELS.map(channel => [channel, reference(messageName(channel))])),
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

const OF_ACCOUNT = 'Recipients: at most 10, or the recipientLimit of the account.';
const A_CALL = 'Recipients, at most 1,000 a call.';

/** The body of each send, by the last segment of its path. */
export function sendSchema(kind: SendKind): JsonSchema {
  if (kind === 'omni') return omniSchema({ ...omniFields, ...laterFields }, OF_ACCOUNT);
  const { fields, schemaRule } = CHANNEL_TABLE[kind].request;
  if ('byType' in fields) return singleOf(messageName(kind), fields.byType);
  return { ...schemaOf({ ...fields.single, ...sendFields, ...laterFields }), ...schemaRule };
}

export const RESERVATION_SCHEMA: JsonSchema = omniSchema(reservationFields, OF_ACCOUNT);

export const RECIPIENTS_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { destinations: destinationsOf(A_CALL) },
  required: ['destinations'],
};

function schemaOf(fields: Fields): JsonSchema {
  return withReferences(schemaOfFields(fields));
}

/** What a document calls the message of a channel. */
function messageName(channel: Channel): string {
  return `${namePrefix(channel)}Message`;
}

function namePrefix(channel: Channel): string {
  return channel.charAt(0).toUpperCase() + channel.slice(1);
}

/** The message of a channel as an entry of a flow holds it. */
function messageSchemas(channel: Channel): (readonly [string, JsonSchema])[] {
  const { fields, schemaRule } = CHANNEL_TABLE[channel].request;
  if ('byType' in fields) return messagesByType(channel, fields.byType);
  return fields.entry ? [[messageName(channel), { ...schemaOf(fields.entry), ...schemaRule }]] : [];
}

/** One schema for each msgType, because limits differ, and the choice between them. */
function messagesByType(channel: Channel, byType: FieldsByType): (readonly [string, JsonSchema])[] {
  const nameOf = (type: string) => `${namePrefix(channel)}${type}`;
  const types = Object.keys(byType);
  const messages = Object.entries(byType).map(([type, { entry }]) => {
    const schema = schemaOf(entry);
    const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
    const msgType = { ...properties.msgType, enum: [type] };
    return [nameOf(type), { ...schema, properties: { ...properties, msgType } }] as const;
  });
  const mapping = Object.fromEntries(types.map(type => [type, `#/components/schemas/${nameOf(type)}`]));
  const choice = {
    oneOf: types.map(type => reference(nameOf(type))),
    discriminator: { propertyName: 'msgType', mapping },
  };
  return [[messageName(channel), choice], ...messages];
}

/** A single send is the message, and what only a single send has: recipient, reference, fallback. */
function singleOf(message: string, byType: FieldsByType): JsonSchema {
  const [first] = Object.values(byType);
  const own = Object.entries(first?.single ?? {}).filter(([name]) => !(name in (first?.entry ?? {})));
  const beside = { ...sendFields, ...laterFields };
  return { allOf: [reference(message), schemaOf({ ...Object.fromEntries(own), ...beside })] };
}

function destinationsOf(said: string): JsonSchema {
  const destination = {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'Recipient number.' },
      ref: {
        ...omniFields.ref.schema,
        description: 'Reference of this recipient, instead of that of the request.',
      },
      replaceWords: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description: 'Value for each #{key} in the flow; keys are written without #{}.',
      },
    },
    required: ['to'],
  };
  return {
    type: 'array',
    items: destination,
    minItems: 1,
    maxItems: MAX_DESTINATIONS,
    description: said,
  };
}

function omniSchema(fields: Fields, said: string): JsonSchema {
  const schema = schemaOf(fields);
  return {
    ...schema,
    properties: {
      ...(schema.properties as object),
      destinations: destinationsOf(said),
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
export function withReferences<T>(value: T, own?: string): T {
  return replaced(value, own) as T;
}

function replaced(value: unknown, own?: string): unknown {
  if (Array.isArray(value)) return value.map(each => replaced(each));
  if (!isObject(value)) return value;
  const name = NAME_OF_PART.get(JSON.stringify(value));
  if (name !== undefined && name !== own) return reference(name);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(member)]));
}
