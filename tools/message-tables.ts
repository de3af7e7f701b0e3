/** Tables and examples of the pages about single channels (docs/rcs.md, docs/friendtalk.md), made from the tables in the code. */
import { FRIENDTALK_TYPE_WORDS, friendtalkRow } from '../src/domain/channels/friendtalk/types.ts';
import { RCS_BUTTONS } from '../src/domain/channels/rcs/buttons.ts';
import {
  type ImageSize,
  RCS_FORMATS,
  RCS_TEMPLATE_KINDS,
  type RcsFormat,
} from '../src/domain/channels/rcs/formats.ts';
import { mustBe, type ValueKind } from '../src/domain/channels/rcs/value-kinds.ts';
import { IMAGE_RULES, type ImageService } from '../src/domain/images/image-rules.ts';
import { SEND_EXAMPLES } from '../src/http/contract/send-examples.ts';

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const FORMAT_HEAD = ['content', 'image', 'title', 'text', 'buttons', 'label', 'sub-infos', 'report'];

/** Formats that differ only in the number of their cards share a row. */
export function rcsFormatsTable(): Table {
  const groups = Map.groupBy(RCS_FORMATS, format => JSON.stringify({ ...format, id: '', cards: 0 }));
  const rows = [...groups.values()].flatMap(formats => {
    const [first] = formats;
    if (!first) return [];
    const ids = formats.map(({ id }) => `\`${id}\``).join(', ');
    const cards = [...new Set(formats.map(format => format.cards))].join(', ');
    return [[ids, cards, ...formatCells(first)]];
  });
  return { head: ['formatId', 'cards', ...FORMAT_HEAD], rows };
}

export function rcsTemplatesTable(): Table {
  const rows = Object.values(RCS_TEMPLATE_KINDS).map(format => [`\`${format.id}\``, ...formatCells(format)]);
  return { head: ['templateKind', ...FORMAT_HEAD], rows };
}

function formatCells(format: RcsFormat): string[] {
  const { kind, image, imageSizes, titleMax, textMax, isTextTotal, isTextRequired, subInfoMax } = format;
  const { buttonsPerCard, labelMax, subTextMax, subImageSize, msgType } = format;
  const sizes = imageSizes.map(sizeText).join(' or ');
  const text = textMax === 0 ? 'none' : `${textMax}${isTextTotal ? ' in all cards together' : ''}`;
  const subInfo = [
    ...(subTextMax === undefined ? [] : [`text ${subTextMax}`]),
    ...(subImageSize ? [`image ${sizeText(subImageSize)}`] : []),
  ];
  return [
    `\`${kind}\``,
    image === 'none' ? 'none' : `${sizes}, ${image}`,
    titleMax === 0 ? 'none' : String(titleMax),
    isTextRequired ? `${text}, required` : text,
    String(buttonsPerCard),
    labelMax === undefined ? 'any' : String(labelMax),
    subInfoMax === 0 ? 'none' : [String(subInfoMax), ...subInfo].join(', '),
    msgType,
  ];
}

function sizeText({ width, height }: ImageSize): string {
  return `${width}x${height}`;
}

export function rcsButtonsTable(): Table {
  const rows = Object.entries(RCS_BUTTONS).map(([type, { code, fields, action }]) => [
    `\`${type}\``,
    ['`name`', ...Object.keys(fields).map(name => `\`${name}\``)].join(', '),
    pathOf(action({})),
    code,
  ]);
  return { head: ['type', 'fields, all required', 'carrier-standard action', 'a wrong field'], rows };
}

/** `urlAction.openUrl`: the names of an action without values. */
function pathOf(action: object): string {
  const [[name, deed] = ['', {}]] = Object.entries(action);
  return `\`${name}.${Object.keys(deed)[0]}\``;
}

export function rcsValuesTable(): Table {
  const kinds: readonly (readonly [names: string, kind: ValueKind])[] = [
    ['`url`, `fallbackUrl`', 'url'],
    ['`mediaUrl`, `subMediaUrl`', 'imageLink'],
    ['`phoneNumber`', 'phone'],
    ['`latitude`', 'latitude'],
    ['`longitude`', 'longitude'],
    ['`startTime`, `endTime`', 'time'],
  ];
  return {
    head: ['field', 'must be'],
    rows: kinds.map(([names, kind]) => [names, mustBe(kind).replaceAll('\\', '`\\`')]),
  };
}

export function friendtalkTypesTable(): Table {
  const rows = FRIENDTALK_TYPE_WORDS.map(type => {
    const { name, needs, text, coupon, buttonsBesideCoupon, adFlag } = friendtalkRow(type);
    return [
      `\`${type}\``,
      name,
      needs.map(need => `\`${need}\``).join(', '),
      String(text),
      `${coupon}, beside ${buttonsBesideCoupon} buttons`,
      adFlag.join(', '),
    ];
  });
  const head = [
    'msgType',
    'shows',
    'needs',
    'text, characters',
    'coupon description, characters',
    '`adFlag`',
  ];
  return { head, rows };
}

export function imagesTable(...services: readonly ImageService[]): Table {
  const rules = IMAGE_RULES.filter(({ service }) => services.includes(service));
  const rows = rules.map(({ service, kind, formats, maxBytes, size }) => [
    `\`POST /v1/file/${service}${kind === 'default' ? '' : `/${kind}`}\``,
    formats.join(', '),
    `${maxBytes / 1024} KB`,
    size.map(({ says }) => says).join('; ') || 'as the format of the message asks',
  ]);
  return { head: ['upload', 'formats', 'at most', 'size'], rows };
}

export function examplesOf(channel: 'rcs' | 'friendtalk'): string {
  return Object.entries(SEND_EXAMPLES[channel])
    .map(([name, body]) => {
      const json = JSON.stringify(body, null, 2);
      return `\`POST /v1/send/${channel}\`, ${name}:\n\n\`\`\`json\n${json}\n\`\`\``;
    })
    .join('\n\n');
}
