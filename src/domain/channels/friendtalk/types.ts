/**
 * The friendtalk message types, which brandmessage shares: what each one requires, and its limits.
 *
 * Our choice: FI and FW do not need an image here, because the specification's own friendtalk request has no field
 * for one; the network refuses the message and the report says so.
 */

export type FriendtalkNeed = 'text' | 'header' | 'image' | 'item' | 'commerce' | 'video' | 'carousel';

interface FriendtalkTypeRow {
  readonly name: string;
  readonly needs: readonly FriendtalkNeed[];
  /** Characters. Types without a text of their own take the longest; some clients always send one. */
  readonly text: number;
  /** Characters of a coupon's description. */
  readonly coupon: 12 | 18;
  readonly buttonsBesideCoupon: 4 | 5;
  /** Lists and carousels always carry the advertisement mark. */
  readonly adFlag: readonly ('Y' | 'N')[];
  readonly carousel?: 'feed' | 'commerce';
}

const EITHER = ['Y', 'N'] as const;

// biome-ignore format: one row for each type reads as the table it is
export const FRIENDTALK_TYPES = {
  FT: { name: 'text', needs: ['text'], text: 1000, coupon: 12, buttonsBesideCoupon: 4, adFlag: EITHER },
  FI: { name: 'image', needs: ['text'], text: 400, coupon: 12, buttonsBesideCoupon: 4, adFlag: EITHER },
  FW: { name: 'wide image', needs: ['text'], text: 76, coupon: 18, buttonsBesideCoupon: 5, adFlag: EITHER },
  FL: { name: 'wide item list', needs: ['header', 'item'], text: 1000, coupon: 18, buttonsBesideCoupon: 5, adFlag: ['Y'] },
  FC: { name: 'carousel feed', needs: ['carousel'], text: 1000, coupon: 12, buttonsBesideCoupon: 5, adFlag: ['Y'], carousel: 'feed' },
  FM: { name: 'commerce', needs: ['image', 'commerce'], text: 1000, coupon: 12, buttonsBesideCoupon: 5, adFlag: EITHER },
  FA: { name: 'carousel commerce', needs: ['carousel'], text: 1000, coupon: 12, buttonsBesideCoupon: 5, adFlag: ['Y'], carousel: 'commerce' },
  FP: { name: 'video', needs: ['video'], text: 76, coupon: 18, buttonsBesideCoupon: 5, adFlag: EITHER },
} as const satisfies Record<string, FriendtalkTypeRow>;

export type FriendtalkType = keyof typeof FRIENDTALK_TYPES;

export const FRIENDTALK_TYPE_WORDS = ['FT', 'FI', 'FW', 'FL', 'FC', 'FM', 'FA', 'FP'] as const;

export function friendtalkRow(type: FriendtalkType): FriendtalkTypeRow {
  return FRIENDTALK_TYPES[type];
}
