/**
 * The simple style: `content`, read and put into carrier-standard form. The mapping is at the top of rcs.ts.
 */
import { field, list, listOrOne, object } from '../../request/field-kinds.ts';
import {
  alsoNamed,
  BARRED,
  type Field,
  isNotGiven,
  isObject,
  Members,
  memberOf,
  type Reading,
  readFields,
} from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { simpleButton } from './buttons.ts';
import { CONTENT_KINDS, type ContentKind, type RcsFormat } from './formats.ts';
import { CARD_KEYS, type PartNames, type RcsCardButtons, type RcsMessage, SUB_INFO_KEYS } from './limits.ts';
import { exactText, readFreeKeys } from './text.ts';

/** Formats limit their lists themselves; this limit is for issued templates. */
const MANY = 100;

/** Dropped in silence, they would be missed. */
const NO_SUB_INFO = field<never>(
  'A424',
  BARRED,
  (_value, path) => new Problem('A424', `"${path}" is not allowed in a carousel`),
);

/** How `content` is read for a format of the table, and as the API document shows it. */
const checked = fieldsOf(true);

/** How it is read for an issued template, whose buttons need no more than type and name. */
const unchecked = fieldsOf(false);

export const contentSchema = object({
  code: 'A415',
  fields: checked.content,
  description: 'Simple style: exactly one of standalone, carousel and template.',
}).schema;

type Standalone = ReadBy<typeof checked.content.standalone>;
type ReadBy<F> = F extends Field<infer T> ? T : never;
type SubContent = NonNullable<Standalone['subContent']>[number];
type Card = Pick<Standalone, 'title' | 'text' | 'media' | 'mediaUrl' | 'button'>;

/** What the client calls a card's keys. */
const SIMPLE_NAMES = { title: 'title', description: 'text', media: 'media', mediaUrl: 'mediaUrl' } as const;

export function readContent(
  content: unknown,
  format: RcsFormat | undefined,
  reading: Reading,
  path: string,
): RcsMessage | Problem {
  const kind = kindOf(content, path);
  if (kind instanceof Problem) return kind;
  if (format && kind.name !== format.kind) {
    return new Problem('A415', `"${path}" must hold "${format.kind}" for ${format.id} (was "${kind.name}")`);
  }
  const own = format ? checked : unchecked;
  const within = `${path}.${kind.name}`;
  if (kind.name === 'template') return readTemplate(kind.value, reading, within);
  if (kind.name === 'carousel') {
    const cards = own.content.carousel.read(kind.value, within, reading);
    return cards instanceof Problem ? cards : carouselMessage(cards, within);
  }
  const card = own.content.standalone.read(kind.value, within, reading);
  return card instanceof Problem ? card : standaloneMessage(card, within);
}

/** The member of `content` that a request gives, if it gives just one. */
export function contentKindOf(content: unknown): ContentKind | undefined {
  const kind = kindOf(content, '');
  return kind instanceof Problem ? undefined : kind.name;
}

/** How the client wrote a message; undefined in the expert style. See request/field-names.ts. */
export const contentStyle = {
  styleOf(message: unknown): string | undefined {
    const content = isObject(message) ? memberOf(message, 'content') : undefined;
    return isNotGiven(content) ? undefined : contentKindOf(content);
  },
  /** `body.media2` is `content.carousel[1].media`, `body.subDesc1` is `content.standalone.subContent[0].subDesc`. */
  nameIn(kind: string, field: string): string {
    const path = `content.${kind}`;
    if (field === 'body' || field === 'buttons') return path;
    const [, key = '', number = ''] = /^body\.([a-zA-Z]+?)(\d*)$/.exec(field) ?? [];
    const place = Number(number) - 1;
    const subInfo = SUB_INFO_KEYS.find(each => each === key);
    if (subInfo && number !== '') return `${path}.subContent[${place}].${subInfo}`;
    const simple = CARD_KEYS.find(each => each === key);
    if (kind === 'carousel' && simple && number !== '') return `${path}[${place}].${SIMPLE_NAMES[simple]}`;
    if (kind === 'standalone' && simple && number === '') return `${path}.${SIMPLE_NAMES[simple]}`;
    if (field.startsWith('body.')) return `${path}${field.slice('body'.length)}`;
    return buttonName(path, kind, field);
  },
};

function buttonName(path: string, kind: string, field: string): string {
  const [whole, card = '', button] = /^buttons\[(\d+)\]\.suggestions(?:\[(\d+)\])?/.exec(field) ?? [];
  if (whole === undefined) return field;
  const ofCard = kind === 'carousel' ? `${path}[${card}].button` : `${path}.button`;
  if (button === undefined) return ofCard;
  const isLabel = field.endsWith('.displayText');
  return `${ofCard}[${button}]${isLabel ? '.name' : ''}`;
}

function kindOf(content: unknown, path: string): { name: ContentKind; value: unknown } | Problem {
  if (!isObject(content)) return new Problem('A011', `"${path}" must be a JSON object`);
  const members = new Members(content);
  const kinds = CONTENT_KINDS.map(name => ({ name, value: members.find(name) })).filter(
    ({ value }) => !isNotGiven(value),
  );
  const [kind] = kinds;
  if (kind && kinds.length === 1) return kind;
  const was = kinds.length === 0 ? 'none' : kinds.map(({ name }) => `"${name}"`).join(' and ');
  return new Problem(
    'A415',
    `"${path}" must hold exactly one of "standalone", "carousel" and "template" (was ${was})`,
  );
}

function standaloneMessage(card: Standalone, path: string): RcsMessage {
  const { subContent = [] } = card;
  const cardButtons = buttonsOf(card);
  return {
    body: { ...cardKeys(card, ''), ...subInfoKeys(subContent) },
    buttons: cardButtons.suggestions ? [cardButtons] : [],
    cards: 1,
    subInfos: subContent.length,
    names: namesOf(path, () => path),
  };
}

function carouselMessage(cards: readonly Card[], path: string): RcsMessage {
  return {
    body: Object.assign({}, ...cards.map((card, index) => cardKeys(card, String(index + 1)))),
    buttons: cards.some(card => card.button) ? cards.map(buttonsOf) : [],
    cards: cards.length,
    subInfos: 0,
    names: namesOf(path, card => `${path}[${card}]`),
  };
}

/** An issued template: its keys as they were registered; only `subContent` is numbered as elsewhere. */
function readTemplate(template: unknown, reading: Reading, path: string): RcsMessage | Problem {
  if (!isObject(template)) return new Problem('A011', `"${path}" must be a JSON object`);
  const known = readFields(unchecked.template, template, reading, path);
  if (known instanceof Problem) return known;
  const keys = Object.entries(template).filter(([key]) => key.toLowerCase() !== 'subcontent');
  const free = readFreeKeys(keys, path);
  if (free instanceof Problem) return free;
  const { subContent = [] } = known;
  return {
    body: { ...free, ...subInfoKeys(subContent) },
    buttons: [],
    cards: 1,
    subInfos: subContent.length,
    names: templateNames(path),
  };
}

function cardKeys({ title, text, media, mediaUrl }: Card, number: string): Record<string, string> {
  return numbered({ title, description: text, media, mediaUrl }, number);
}

function subInfoKeys(subContent: readonly SubContent[]): Record<string, string> {
  return Object.assign({}, ...subContent.map((item, index) => numbered(item, String(index + 1))));
}

function numbered(
  values: Readonly<Record<string, string | undefined>>,
  number: string,
): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) keys[`${key}${number}`] = value;
  }
  return keys;
}

function buttonsOf({ button }: Card): RcsCardButtons {
  return button ? { suggestions: button } : {};
}

/** How the client wrote the parts of an issued template's values. */
export function templateNames(path: string): PartNames {
  return {
    ...namesOf(path, () => path),
    card: key => `${path}.${key}`,
  };
}

function namesOf(path: string, cardPath: (card: number) => string): PartNames {
  return {
    cards: path,
    subInfos: `${path}.subContent`,
    card: (key, card) => `${cardPath(card)}.${SIMPLE_NAMES[key]}`,
    subInfo: (key, index) => `${path}.subContent[${index}].${key}`,
    buttonEntries: `${path}.button`,
    buttons: card => `${cardPath(card)}.button`,
    label: (card, button) => `${cardPath(card)}.button[${button}].name`,
  };
}

function fieldsOf(isChecked: boolean) {
  const subContentItem = {
    subTitle: exactText('A415', 'Title of the sub-info.'),
    subDesc: exactText('A415', 'Text of the sub-info.'),
    subMedia: exactText('A415', 'Image of the sub-info, a maapfile:// reference.'),
    subMediaUrl: alsoNamed(exactText('A415', 'Address that opens on a tap on the image.'), 'subUrl'),
  };
  const subInfos = list({
    code: 'A424',
    item: object({ code: 'A424', fields: subContentItem, description: 'One sub-info.' }),
    max: MANY,
    description: 'Sub-infos, as many as the format has room for.',
  });
  // A public client sends a single one without the list.
  const subContent = listOrOne(subInfos);
  const title = exactText('A415', 'Title.');
  const card = {
    text: exactText('A415', 'Message.'),
    title,
    media: exactText('A415', 'Image, a maapfile:// reference.'),
    mediaUrl: exactText('A415', 'Address that opens on a tap on the image.'),
    button: list({
      code: 'A406',
      item: simpleButton(isChecked),
      max: MANY,
      description: 'Buttons, as many as the format has room for.',
    }),
  };
  const standalone = { ...card, subContent };
  const template = { title, description: exactText('A415', 'Description.'), subContent };
  const item = object({
    code: 'A415',
    fields: { ...card, subContent: NO_SUB_INFO },
    description: 'One card.',
  });
  const content = {
    standalone: object({ code: 'A415', fields: standalone, description: 'One card.' }),
    carousel: list({ code: 'A415', item, max: MANY, tooMany: 'A417', description: 'Cards side by side.' }),
    template: object({
      code: 'A415',
      fields: template,
      description: 'The values of an issued template, under the keys it was registered with.',
    }),
  };
  return { content, template };
}
