/**
 * The registry: what an operator has registered for an account. Each kind is a row of a table: the fields of an entry,
 * and those of them that make up its key. registry-rules.ts checks sends against it.
 *
 * Keys are short and hold no slash, because they are used in paths and indexes; a key of two fields joins them by a slash.
 */
import { ALIMTALK_TYPES, item, itemHighlight } from '../channels/alimtalk-items.ts';
import { FRIENDTALK_TYPE_WORDS } from '../channels/friendtalk/types.ts';
import { buttons, quickReplies } from '../channels/messenger-buttons.ts';
import { characters } from '../channels/messenger-fields.ts';
import { RCS_TEMPLATE_KIND_WORDS } from '../channels/rcs/formats.ts';
import { isStorable, list, listOrOne, parsed, word } from '../request/field-kinds.ts';
import { type Fields, isObject, readFields, required, type ValuesOf } from '../request/fields.ts';
import { parseSenderNumber, parseTextSenderId } from '../request/phone-number.ts';
import { Problem } from '../request/problem.ts';
import { LONGEST_WORD, normalKeyword, WHOLE_NUMBER } from '../text/keyword.ts';
import { TEMPLATE_STATES } from './template-state.ts';

const number = parsed({
  code: 'A300',
  parse: parseSenderNumber,
  mustBe: 'a sender number of 3 to 15 digits',
  description: 'Sender number, digits only.',
});

const prefixes = listOrOne(
  list({
    code: 'A300',
    item: parsed({
      code: 'A300',
      parse: value => (/^\+[1-9]\d{0,6}$/.test(value) ? value : undefined),
      mustBe: 'a prefix of international numbers, such as +1 or +4420',
      description: 'Head of the numbers it is for.',
    }),
    max: 300,
    description: 'Countries it is for, by the heads of their numbers.',
  }),
);

/** What the library keeps of a template beside its content. */
const approval = {
  state: word({
    code: 'A300',
    values: TEMPLATE_STATES,
    description: 'State of its approval; an entry without one is approved.',
  }),
  reason: characters('A300', 500, 'Why it was rejected, or what else was said about its state.'),
  name: characters('A300', 100, 'Name by which operators find it.'),
};

/** The previews of the console show it in the place of the key; nothing else does. */
const shownName = characters('A300', 40, 'Name that recipients see.');

/** Enough for 128 by 128 pixels, which the console makes of any image. */
const LONGEST_LOGO = 40_000;
const LOGO = /^data:image\/(?:png;base64,iVBORw0KGgo|jpeg;base64,\/9j\/)[A-Za-z0-9+/]+={0,2}$/;

interface RegistryKindRow {
  readonly meaning: string;
  /** The fields that make up the key, in order. */
  readonly key: readonly string[];
  readonly fields: Fields;
}

export const REGISTRY_KINDS = {
  sender: { meaning: 'sender number', key: ['number'], fields: { number: required(number) } },
  senderProfile: {
    meaning: 'messenger sender profile',
    key: ['senderKey'],
    fields: { senderKey: required(identifier('Key of the sender profile.')), name: shownName },
  },
  alimtalkTemplate: {
    meaning: 'alimtalk template',
    key: ['senderKey', 'templateCode'],
    fields: {
      senderKey: required(identifier('Key of the sender profile it belongs to.')),
      templateCode: required(identifier('Code of the template.')),
      text: required(characters('A300', 1000, 'Text; #{name} matches any text.')),
      title: characters('A300', 50, 'Emphasised title, compared where it is registered.'),
      header: characters('A300', 16, 'Line at the head, compared where it is registered.'),
      msgType: word({
        code: 'A300',
        values: ALIMTALK_TYPES,
        description: 'AT text, AI image; compared where it is registered.',
      }),
      item,
      itemHighlight: itemHighlight('AT'),
      buttons,
      quickReplies,
      ...approval,
    },
  },
  brandmessageTemplate: {
    meaning: 'brandmessage template',
    key: ['senderKey', 'templateCode'],
    fields: {
      senderKey: required(identifier('Key of the sender profile it belongs to.')),
      templateCode: required(identifier('Code of the template.')),
      msgType: word({
        code: 'A300',
        values: FRIENDTALK_TYPE_WORDS,
        description: 'Kind of the message, compared where it is registered.',
      }),
      text: characters(
        'A300',
        1000,
        'Text; #{name} matches any text. Compared with a text that a message brings.',
      ),
      buttons,
      ...approval,
    },
  },
  rcsBrand: {
    meaning: 'RCS brand',
    key: ['brandKey'],
    fields: {
      brandKey: required(identifier('Key of the brand.')),
      brandId: identifier('Id of the brand.'),
      name: shownName,
      senders: listOrOne(
        list({
          code: 'A300',
          item: number,
          max: 1000,
          description: 'The only numbers the brand sends from.',
        }),
      ),
    },
  },
  // An entry of its own: sends read profiles and brands, and have no use for an image.
  logo: {
    meaning: 'logo of a sender profile or brand',
    key: ['profile'],
    fields: {
      profile: required(identifier('Key of the sender profile or brand.')),
      image: required(
        parsed({
          code: 'A300',
          parse: value => (value.length <= LONGEST_LOGO && LOGO.test(value) ? value : undefined),
          mustBe: `a PNG or JPEG image as a data: URL of at most ${LONGEST_LOGO} characters`,
          description: `Image as a data: URL, PNG or JPEG, at most ${LONGEST_LOGO} characters.`,
        }),
      ),
    },
  },
  rcsTemplate: {
    meaning: 'RCS template',
    key: ['formatId'],
    fields: {
      formatId: required(identifier('Id of the template.')),
      templateKind: required(
        word({
          code: 'A300',
          values: RCS_TEMPLATE_KIND_WORDS,
          description: 'Kind of the template; it brings the limits.',
        }),
      ),
      brandKey: identifier('Key of the brand it was issued to.'),
      text: characters('A300', 1300, 'What it says, with {{key}} for each value that a sender gives.'),
      ...approval,
    },
  },
  internationalSenderId: {
    meaning: 'text sender id',
    key: ['senderId'],
    fields: {
      senderId: required(
        parsed({
          code: 'A300',
          parse: parseTextSenderId,
          mustBe: '3 to 11 letters and digits, at least one of them a letter',
          description: 'Word shown in the place of the sender number.',
        }),
      ),
      prefixes: required(prefixes),
    },
  },
  internationalSignature: {
    meaning: 'signature at the front of the text',
    key: ['text'],
    fields: {
      text: required(
        parsed({
          code: 'A300',
          parse: value => (/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(value) ? value : undefined),
          mustBe: 'one line of 1 to 100 characters',
          description: 'Text that messages must begin with.',
        }),
      ),
      prefixes: required(prefixes),
    },
  },
  inboundNumber: {
    meaning: 'number that people write to',
    key: ['number', 'keyword'],
    fields: {
      number: required(number),
      keyword: required(
        parsed({
          code: 'A300',
          parse: parseInboundKeyword,
          mustBe: 'a word of 1 to 40 letters and digits, or * for the whole number',
          description: 'First word of the texts it is for; * for all that no other keyword takes.',
        }),
      ),
      reply: characters('A300', 1000, 'Text that the sender gets as an answer.'),
    },
  },
} as const satisfies Record<string, RegistryKindRow>;

/** None comes near it but one of long addresses in each button; its history is kept too. */
const LARGEST_TEMPLATE = 50_000;

export type RegistryKind = keyof typeof REGISTRY_KINDS;
export const REGISTRY_KIND_WORDS = Object.keys(REGISTRY_KINDS) as RegistryKind[];

export type EntryOf<Kind extends RegistryKind> = { readonly kind: Kind } & ValuesOf<
  (typeof REGISTRY_KINDS)[Kind]['fields']
>;
export type RegistryEntry = { [Kind in RegistryKind]: EntryOf<Kind> }[RegistryKind];

/** Names an entry, or every entry of a kind where there is no key. */
export interface RegistryRef {
  readonly kind: RegistryKind;
  readonly key: string | undefined;
}

/** An entry as operators see it, and as `parseRegistryEntry` reads it. */
export type RegistryEntryView = RegistryEntry & { readonly key: string };

export function parseRegistryKind(value: unknown): RegistryKind | Problem {
  const kind = REGISTRY_KIND_WORDS.find(known => known === value);
  return kind ?? new Problem('A300', `"kind" must be one of ${REGISTRY_KIND_WORDS.join(', ')}`);
}

/**
 * Reads `{kind, …fields}`. A `key` may replace the fields that it is made of; given together, they must agree.
 * Members that the kind does not have are refused: they are typing errors.
 */
export function parseRegistryEntry(input: unknown): RegistryEntry | Problem {
  if (!isObject(input)) return new Problem('A011', 'An entry must be a JSON object');
  const { kind: given, key, ...members } = input;
  const kind = parseRegistryKind(given);
  if (kind instanceof Problem) return kind;
  const row: RegistryKindRow = REGISTRY_KINDS[kind];
  const unknownName = Object.keys(members).find(name => !Object.hasOwn(row.fields, name));
  if (unknownName !== undefined) {
    const known = Object.keys(row.fields).join(', ');
    return new Problem('A300', `"${unknownName.slice(0, 64)}" is not a field of ${kind}; expected ${known}`);
  }
  if (key !== undefined && (typeof key !== 'string' || !isStorable(key))) {
    return new Problem('A011', '"key" must be a string');
  }
  const values = readFields(row.fields, { ...(key !== undefined && fieldsOfKey(row, key)), ...members });
  if (values instanceof Problem) return values;
  const entry = { kind, ...values } as RegistryEntry;
  if ('state' in row.fields && JSON.stringify(entry).length > LARGEST_TEMPLATE) {
    return new Problem('A300', `A template must have at most ${LARGEST_TEMPLATE} characters as JSON`);
  }
  if (key === undefined || key === registryKey(entry)) return entry;
  return new Problem('A300', `"key" must be ${row.key.join('/')}, here ${registryKey(entry)}`);
}

/** The key of an entry, unique among the account's entries of its kind. */
export function registryKey(entry: RegistryEntry): string {
  const values: Readonly<Record<string, unknown>> = entry;
  return REGISTRY_KINDS[entry.kind].key.map(name => String(values[name])).join('/');
}

export function registryEntryView(entry: RegistryEntry): RegistryEntryView {
  const { kind, ...fields } = entry;
  return { kind, key: registryKey(entry), ...fields } as RegistryEntryView;
}

function fieldsOfKey({ key: names }: RegistryKindRow, key: string): Readonly<Record<string, string>> {
  const [first = '', second] = names;
  if (second === undefined) return { [first]: key };
  const slash = key.indexOf('/');
  return slash < 0 ? { [second]: key } : { [first]: key.slice(0, slash), [second]: key.slice(slash + 1) };
}

/** As texts are compared with it; see domain/inbound. */
function parseInboundKeyword(value: string): string | undefined {
  if (value === WHOLE_NUMBER) return value;
  if (value.length > LONGEST_WORD) return undefined;
  const keyword = normalKeyword(value);
  return /^[^\s/\p{Cc}\p{Cs}]{1,40}$/u.test(keyword) ? keyword : undefined;
}

/** A name that someone else issued. */
function identifier(description: string) {
  return parsed({
    code: 'A300',
    parse: value => (/^[^\s/\p{Cc}\p{Cs}]{1,100}$/u.test(value) ? value : undefined),
    mustBe: '1 to 100 characters without blanks and slashes',
    description,
  });
}
