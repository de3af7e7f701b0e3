/** How each RCS format looks: one row for each formatId of the contract's table. */

export interface RcsLayout {
  readonly shape: 'text' | 'media' | 'emphasis' | 'thumbnail' | 'sns' | 'carousel' | 'cells';
  /** Of the image, width by height. */
  readonly ratio?: string;
  readonly size?: 'small' | 'medium';
  readonly cards?: number;
  /** The title lies on the image. */
  readonly isTitleOver?: boolean;
  /** Sub-infos side by side instead of below each other. */
  readonly isAcross?: boolean;
  /** Buttons between image and text. */
  readonly isButtonInMiddle?: boolean;
}

const LAYOUTS: Readonly<Record<string, RcsLayout>> = {
  SS000000: { shape: 'text' },
  SL000000: { shape: 'media', ratio: '568 / 528' },
  SMwThT00: { shape: 'media', ratio: '568 / 528' },
  SMwThM00: { shape: 'media', ratio: '568 / 336' },
  OMHITV0001: { shape: 'emphasis', ratio: '3 / 4', isTitleOver: true },
  OMHITS0001: { shape: 'emphasis', ratio: '1 / 1', isTitleOver: true },
  OMHIMV0001: { shape: 'emphasis', ratio: '3 / 4' },
  OMHIMS0001: { shape: 'emphasis', ratio: '1 / 1' },
  OMTBNV0001: { shape: 'thumbnail', ratio: '900 / 560' },
  OMTBNH0001: { shape: 'thumbnail', ratio: '900 / 560', isAcross: true },
  OMSNSS0001: { shape: 'sns', ratio: '1 / 1' },
  OMSNSH0001: { shape: 'sns', ratio: '1 / 1', isButtonInMiddle: true },
};

/** Any other id is an issued template, drawn by the keys that it has. */
export function rcsLayout(formatId: string): RcsLayout {
  const carousel = /^CMw([MS])h[MS]0([2-6])00$/.exec(formatId);
  if (carousel) {
    const isMedium = carousel[1] === 'M';
    return {
      shape: 'carousel',
      ratio: isMedium ? '696 / 504' : '360 / 336',
      size: isMedium ? 'medium' : 'small',
      cards: Number(carousel[2]),
    };
  }
  return LAYOUTS[formatId] ?? { shape: 'cells' };
}
