/** The fields of each RCS format, so that the composer offers only those. The gateway checks the limits. */

export interface RcsFormat {
  readonly kind: 'standalone' | 'carousel' | 'template';
  readonly cards: number;
  readonly hasImage: boolean;
  readonly hasTitle: boolean;
  readonly hasText: boolean;
  readonly buttons: number;
  readonly subInfos: number;
}

const USUAL: RcsFormat = {
  kind: 'standalone',
  cards: 1,
  hasImage: true,
  hasTitle: true,
  hasText: true,
  buttons: 2,
  subInfos: 0,
};

const FORMATS: Readonly<Record<string, RcsFormat>> = {
  SS000000: { ...USUAL, hasImage: false, hasTitle: false, buttons: 1 },
  SL000000: { ...USUAL, buttons: 3 },
  SMwThT00: USUAL,
  SMwThM00: USUAL,
  OMHITV0001: { ...USUAL, hasText: false, subInfos: 1 },
  OMHITS0001: { ...USUAL, hasText: false, subInfos: 1 },
  OMHIMV0001: { ...USUAL, hasText: false },
  OMHIMS0001: { ...USUAL, hasText: false },
  OMTBNV0001: { ...USUAL, subInfos: 2 },
  OMTBNH0001: { ...USUAL, subInfos: 3 },
  OMSNSS0001: USUAL,
  OMSNSH0001: USUAL,
};

const CAROUSEL = /^(CMwMhM0|CMwShS0)([2-6])00$/;

/** The ids in the order of the specification's table. */
export const RCS_FORMAT_IDS: readonly string[] = [
  'SS000000',
  'SL000000',
  'SMwThT00',
  'SMwThM00',
  ...['CMwMhM0', 'CMwShS0'].flatMap(head => [2, 3, 4, 5, 6].map(cards => `${head}${cards}00`)),
  'OMHITV0001',
  'OMHITS0001',
  'OMHIMV0001',
  'OMHIMS0001',
  'OMTBNV0001',
  'OMTBNH0001',
  'OMSNSS0001',
  'OMSNSH0001',
];

/** Any other id is an issued template. */
export function rcsFormat(formatId: string): RcsFormat {
  const carousel = CAROUSEL.exec(formatId);
  if (carousel) return { ...USUAL, kind: 'carousel', cards: Number(carousel[2]) };
  return FORMATS[formatId] ?? { ...USUAL, kind: 'template', hasImage: false };
}

/** The head of a carousel's id and its number of cards. */
export function carouselOf(formatId: string): { readonly head: string; readonly cards: number } | undefined {
  const [, head, cards] = CAROUSEL.exec(formatId) ?? [];
  return head === undefined ? undefined : { head, cards: Number(cards) };
}
