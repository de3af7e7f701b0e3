/** The fields of an RCS message. Which ones there are depends on its format. */

import { optionsOf } from '../components/options.ts';
import type { Words } from '../words/en.ts';
import { lookUp } from '../words/words.tsx';
import { type Entry, isEntry, listAt, textAt, valueAt, withValue } from './entry.ts';
import type { FieldRow } from './field-row.ts';
import { carouselOf, RCS_FORMAT_IDS, type RcsFormat, rcsFormat } from './rcs-formats.ts';

const TEMPLATE = 'template';

export function rcsFields(entry: Entry): readonly FieldRow[] {
  const format = rcsFormat(textAt(entry, 'formatId'));
  return [
    { kind: 'text', path: 'from', word: 'from' },
    { kind: 'text', path: 'brandKey', word: 'brandKey' },
    {
      kind: 'choice',
      path: 'formatId',
      word: 'formatId',
      options: formatOptions,
      fallback: 'SS000000',
      otherwise: TEMPLATE,
      pick: changeFormat,
    },
    ...(entry.body === undefined ? contentFields(format) : CARRIER_FORM),
    { ...choice('header', 'header', '0'), isExtra: false },
    { kind: 'text', path: 'footer', word: 'footer' },
    choice('expiryOption', 'expiryOption', '1'),
  ];
}

/** What `content` cannot express is edited as the client wrote it. */
const CARRIER_FORM: readonly FieldRow[] = [
  { kind: 'json', path: 'body', word: 'rcsBody' },
  { kind: 'json', path: 'buttons', word: 'rcsSuggestions' },
];

function choice(path: string, word: 'header' | 'expiryOption', fallback: string): FieldRow {
  const options = (t: Words) => optionsOf(word === 'header' ? t.options.shown : t.options.expiry);
  return { kind: 'choice', path, word, options, fallback, isExtra: true };
}

function contentFields(format: RcsFormat): readonly FieldRow[] {
  switch (format.kind) {
    case 'standalone':
      return cardFields(format, 'content.standalone.');
    case 'carousel':
      return [
        {
          kind: 'list',
          path: 'content.carousel',
          word: 'cards',
          item: () => cardFields(format, ''),
          blank: {},
          min: format.cards,
          max: format.cards,
          adds: 'addCard',
        },
      ];
    case 'template':
      return [
        { kind: 'text', path: 'formatId', word: 'templateId' },
        { kind: 'pairs', path: 'content.template', word: 'templateKeys' },
      ];
  }
}

function cardFields(format: RcsFormat, head: string): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  if (format.hasImage) {
    rows.push({
      kind: 'image',
      path: `${head}media`,
      word: 'media',
      purpose: { service: 'RCS' },
      refers: 'media',
    });
  }
  if (format.hasTitle) rows.push({ kind: 'text', path: `${head}title`, word: 'title' });
  if (format.hasText) rows.push({ kind: 'long', path: `${head}text`, word: 'text' });
  if (format.subInfos > 0) {
    rows.push({
      kind: 'list',
      path: `${head}subContent`,
      word: 'subContent',
      item: () => SUB_CONTENT,
      blank: { subTitle: '' },
      min: 0,
      max: format.subInfos,
      adds: 'addRow',
    });
  }
  rows.push({
    kind: 'list',
    path: `${head}button`,
    word: 'buttons',
    item: button => [TYPE, NAME, ...(TARGETS[textAt(button, 'type')] ?? [])],
    blank: { type: 'URL', name: '' },
    min: 0,
    max: format.buttons,
    adds: 'addButton',
  });
  return rows;
}

const SUB_CONTENT: readonly FieldRow[] = [
  { kind: 'text', path: 'subTitle', word: 'subTitle' },
  { kind: 'text', path: 'subDesc', word: 'subDesc' },
  { kind: 'image', path: 'subMedia', word: 'subMedia', purpose: { service: 'RCS' }, refers: 'media' },
];

const TYPE: FieldRow = {
  kind: 'choice',
  path: 'type',
  word: 'buttonType',
  options: t => optionsOf(t.options.rcsButtons),
  fallback: 'URL',
};
const NAME: FieldRow = { kind: 'text', path: 'name', word: 'buttonName' };

const PHONE: FieldRow = { kind: 'text', path: 'phoneNumber', word: 'phoneNumber' };
const FALLBACK_URL: FieldRow = { kind: 'text', path: 'fallbackUrl', word: 'fallbackUrl' };

/** What a button of each type needs besides its label. */
const TARGETS: Readonly<Record<string, readonly FieldRow[]>> = {
  URL: [{ kind: 'text', path: 'url', word: 'url' }],
  MAP_LOC: [
    { kind: 'text', path: 'label', word: 'label' },
    { kind: 'text', path: 'latitude', word: 'latitude' },
    { kind: 'text', path: 'longitude', word: 'longitude' },
    FALLBACK_URL,
  ],
  MAP_QRY: [{ kind: 'text', path: 'query', word: 'query' }, FALLBACK_URL],
  CALENDAR: [
    { kind: 'text', path: 'startTime', word: 'startTime' },
    { kind: 'text', path: 'endTime', word: 'endTime' },
    { kind: 'text', path: 'title', word: 'title' },
    { kind: 'text', path: 'description', word: 'description' },
  ],
  COPY: [{ kind: 'text', path: 'text', word: 'copyText' }],
  COM_T: [PHONE, { kind: 'text', path: 'text', word: 'text' }],
  COM_V: [PHONE],
  DIAL: [PHONE],
};

function formatOptions(t: Words) {
  const options = RCS_FORMAT_IDS.map(id => {
    const carousel = carouselOf(id);
    const name = lookUp(t.options.rcsFormats, carousel?.head ?? id);
    return { value: id, label: carousel ? `${name} · ${t.options.cards(carousel.cards)}` : name };
  });
  return [...options, { value: TEMPLATE, label: t.options.rcsFormats.template }];
}

/** A change of format keeps what fits into the new one; texts move between the single card and the first of a carousel. */
function changeFormat(entry: Entry, value: string): Entry {
  const formatId = value === TEMPLATE ? 'TEMPLATE-ID' : value;
  const format = rcsFormat(formatId);
  const cards = listAt(entry, 'content.carousel').filter(isEntry);
  const card = cards[0] ?? valueAt(entry, 'content.standalone') ?? {};
  const { body, buttons, ...changed } = withValue(entry, 'formatId', formatId);
  switch (format.kind) {
    case 'standalone':
      return { ...changed, content: { standalone: fitted(card, format) } };
    case 'carousel': {
      const kept = cards.length > 0 ? cards : [card];
      const carousel = Array.from({ length: format.cards }, (_, index) => fitted(kept[index] ?? {}, format));
      return { ...changed, content: { carousel } };
    }
    case 'template':
      return { ...changed, content: { template: { description: textAt(card, 'text') } } };
  }
}

function fitted(card: unknown, format: RcsFormat): Entry {
  const { media, title, text, button, subContent } = isEntry(card) ? card : {};
  return {
    ...(format.hasImage && media !== undefined && { media }),
    ...(format.hasTitle && title !== undefined && { title }),
    ...(format.hasText && text !== undefined && { text }),
    ...(Array.isArray(button) && { button: button.slice(0, format.buttons) }),
    ...(format.subInfos > 0 &&
      Array.isArray(subContent) && { subContent: subContent.slice(0, format.subInfos) }),
  };
}
