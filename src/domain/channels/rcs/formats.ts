/**
 * The formats an RCS message can have: one row for each code of the specification's formatId table, and the
 * limits of the four kinds of issued templates, whose ids an operator registers.
 *
 * "Our choice" (the specification gives no number): labels of SS000000 as in SL000000, no sub-info in the SS,
 * SL, SM and CM rows, and an image in every card of a row that names an image size without a variant. A template
 * takes `template` content, because the content must match the kind.
 */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export const CONTENT_KINDS = ['standalone', 'carousel', 'template'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

export interface RcsFormat {
  /** The formatId; for a template kind, the kind's name. */
  readonly id: string;
  /** The member of `content` that a message of this format holds; `body` says the same in the expert style. */
  readonly kind: ContentKind;
  /** What reports call a message of this format. */
  readonly msgType: 'RS' | 'RL' | 'RM' | 'RF' | 'RD' | 'RC' | 'RI';
  /** The exact number of cards. */
  readonly cards: number;
  /** Whether each card has an image, and the sizes one of which it must have. */
  readonly image: 'none' | 'optional' | 'required';
  readonly imageSizes: readonly ImageSize[];
  /** Characters; 0 where the format has no title. */
  readonly titleMax: number;
  /** Characters; 0 where the format has no text. */
  readonly textMax: number;
  /** `textMax` bounds the texts of all cards together. */
  readonly isTextTotal: boolean;
  /** True where a message consists of its text. */
  readonly isTextRequired: boolean;
  readonly buttonsPerCard: number;
  /** Characters of a button's label; undefined where the specification sets no bound. */
  readonly labelMax: number | undefined;
  readonly subInfoMax: number;
  /** Characters of a sub-info's text; undefined where the specification sets no bound. */
  readonly subTextMax: number | undefined;
  /** The size of a sub-info's image; undefined where the specification sets none. */
  readonly subImageSize: ImageSize | undefined;
}

/** What most rows share; a row names only where it differs. */
const USUAL = {
  kind: 'standalone',
  msgType: 'RM',
  cards: 1,
  image: 'required',
  titleMax: 30,
  isTextTotal: false,
  isTextRequired: false,
  buttonsPerCard: 2,
  subInfoMax: 0,
  subTextMax: undefined,
  subImageSize: undefined,
} as const;

const TEXT_ONLY = { ...USUAL, image: 'none', imageSizes: [] } as const;

/** Open formats label their buttons with at most 16 characters. */
const OPEN = { ...USUAL, labelMax: 16 } as const;

/** Every code of the specification's formatId table. */
export const RCS_FORMATS: readonly RcsFormat[] = [
  {
    ...TEXT_ONLY,
    id: 'SS000000',
    msgType: 'RS',
    titleMax: 0,
    textMax: 100,
    isTextRequired: true,
    buttonsPerCard: 1,
    labelMax: 17,
  },
  {
    ...USUAL,
    id: 'SL000000',
    msgType: 'RL',
    image: 'optional',
    imageSizes: [size(568, 528)],
    textMax: 1300,
    isTextRequired: true,
    buttonsPerCard: 3,
    labelMax: 17,
  },
  { ...USUAL, id: 'SMwThT00', imageSizes: [size(568, 528)], textMax: 1300, labelMax: 17 },
  { ...USUAL, id: 'SMwThM00', imageSizes: [size(568, 336)], textMax: 1300, labelMax: 17 },
  ...carousels('CMwMhM', { imageSizes: [size(696, 504)], labelMax: 13 }),
  ...carousels('CMwShS', { imageSizes: [size(360, 336)], labelMax: 5 }),
  { ...OPEN, id: 'OMHITV0001', imageSizes: [size(900, 1200)], textMax: 0, subInfoMax: 1 },
  { ...OPEN, id: 'OMHITS0001', imageSizes: [size(900, 900)], textMax: 0, subInfoMax: 1 },
  { ...OPEN, id: 'OMHIMV0001', imageSizes: [size(900, 1200)], textMax: 0 },
  { ...OPEN, id: 'OMHIMS0001', imageSizes: [size(900, 900)], textMax: 0 },
  { ...OPEN, id: 'OMTBNV0001', imageSizes: [size(900, 560)], textMax: 150, subInfoMax: 2 },
  { ...OPEN, id: 'OMTBNH0001', imageSizes: [size(900, 560)], textMax: 150, subInfoMax: 3 },
  { ...OPEN, id: 'OMSNSS0001', imageSizes: [size(900, 900)], textMax: 150 },
  { ...OPEN, id: 'OMSNSH0001', imageSizes: [size(900, 900)], textMax: 150 },
];

/** A template is sent with the values it was registered with. */
const TEMPLATE = { ...TEXT_ONLY, kind: 'template', labelMax: undefined } as const;

export type RcsTemplateKind = 'free' | 'description' | 'cell' | 'image';

/** The limits of issued templates. */
export const RCS_TEMPLATE_KINDS: Readonly<Record<RcsTemplateKind, RcsFormat>> = {
  free: { ...TEMPLATE, id: 'free', msgType: 'RF', titleMax: 0, textMax: 90, buttonsPerCard: 1 },
  description: { ...TEMPLATE, id: 'description', msgType: 'RD', titleMax: 8, textMax: 90 },
  cell: { ...TEMPLATE, id: 'cell', msgType: 'RC', titleMax: 8, textMax: 90 },
  image: {
    ...TEMPLATE,
    id: 'image',
    msgType: 'RI',
    image: 'required',
    imageSizes: [size(900, 1200), size(900, 900), size(900, 560)],
    textMax: 150,
    subInfoMax: 3,
    subTextMax: 33,
    subImageSize: size(300, 300),
  },
};

export const RCS_TEMPLATE_KIND_WORDS = Object.keys(RCS_TEMPLATE_KINDS) as RcsTemplateKind[];

const formatsById = new Map(RCS_FORMATS.map(format => [format.id, format]));

/** The row of a code of the table; undefined for an issued template's id. */
export function findRcsFormat(formatId: string): RcsFormat | undefined {
  return formatsById.get(formatId);
}

/** More than one slip of the finger, and it is another name. */
const MOST_SLIPS = 1;

/** The format that was probably meant by an id outside the table: one letter or the case of some differ. */
export function nearestFormat(formatId: string): string | undefined {
  const given = formatId.trim().toLowerCase();
  const slips = RCS_FORMATS.map(({ id }) => ({ id, count: slipsBetween(given, id.toLowerCase()) }));
  const near = slips.filter(({ count }) => count <= MOST_SLIPS);
  return near.toSorted((a, b) => a.count - b.count || distance(a.id, formatId) - distance(b.id, formatId))[0]
    ?.id;
}

/** 0 for the same, 1 for a letter that is another, missing or too much, 2 for anything else. */
function slipsBetween(a: string, b: string): number {
  if (a === b) return 0;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return 2;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  const rest = short.length === long.length ? short.slice(start + 1) : short.slice(start);
  return rest === long.slice(start + 1) ? 1 : 2;
}

/** For a wrong number of cards, the carousel format with the nearest number. */
function distance(id: string, given: string): number {
  let sum = 0;
  for (let at = 0; at < id.length; at++) sum += Math.abs(id.charCodeAt(at) - (given.charCodeAt(at) || 0));
  return sum;
}

/** The limits of a message: those of its format, or of the kind that its issued template is registered with. */
export function rcsFormatOf(step: {
  readonly formatId: string;
  readonly templateKind?: RcsTemplateKind;
}): RcsFormat | undefined {
  return findRcsFormat(step.formatId) ?? (step.templateKind && RCS_TEMPLATE_KINDS[step.templateKind]);
}

/** The msgType of reports. An issued template is RF unless it is registered with another kind. */
export function rcsServiceKind(formatId: string, kind: RcsTemplateKind = 'free'): RcsFormat['msgType'] {
  return (findRcsFormat(formatId) ?? RCS_TEMPLATE_KINDS[kind]).msgType;
}

/** A carousel exists with two to six cards: `CMwMhM0200` … `CMwMhM0600`. */
function carousels(prefix: string, row: Pick<RcsFormat, 'imageSizes' | 'labelMax'>): RcsFormat[] {
  return [2, 3, 4, 5, 6].map(cards => ({
    ...USUAL,
    ...row,
    id: `${prefix}0${cards}00`,
    kind: 'carousel',
    cards,
    textMax: 1300,
    isTextTotal: true,
  }));
}

function size(width: number, height: number): ImageSize {
  return { width, height };
}
