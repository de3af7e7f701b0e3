/** What a friendtalk or brandmessage has beside its text: buttons, image, item list, coupon, goods, video. */

import { isUnfilled, list, wholeNumber } from '../../request/field-kinds.ts';
import { alsoNamed, type Field, required, type ValuesOf } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { fitsCharacters } from '../../text/characters.ts';
import { buttons } from '../messenger-buttons.ts';
import { address, characters, links, looseObject, refine, roomyText } from '../messenger-fields.ts';

export const image = looseObject({
  code: 'A513',
  fields: {
    imgUrl: required(roomyText('A513', 'Address of an uploaded image.')),
    imgLink: address('A513', 'Where a tap on the image leads.'),
  },
  description: 'Image.',
});

/** One client uses the same type for alimtalk and sends a blank `summary` here, which is ignored. */
const item = looseObject({
  code: 'A573',
  fields: {
    list: required(
      list({
        code: 'A521',
        item: looseObject({
          code: 'A521',
          fields: {
            ...links('A521'),
            title: required(roomyText('A521', 'Title of the item.')),
            imgUrl: required(roomyText('A521', 'Address of an uploaded image.')),
            urlMobile: required(links('A521').urlMobile),
          },
          description: 'Item.',
        }),
        min: 3,
        max: 4,
        description: 'Items, 3 or 4.',
      }),
    ),
  },
  description: 'Items of a wide item list.',
});

/** The titles that a coupon may have. `word` is a free text of at most seven characters. */
const COUPON_TITLES = [
  /^[1-9][\d,]{0,9} ?원 할인$/,
  /^(?:[1-9]\d?|100) ?% 할인$/,
  /^배송비 할인$/,
  /^(?<word>.+) 무료$/,
  /^(?<word>.+) UP$/i,
];
const COUPON_WORD = 7;

const couponTitle = refine(roomyText('A573', 'Title of the coupon.'), (title, path, reading) => {
  if (isUnfilled(title, reading) || isCouponTitle(title)) return title;
  return new Problem(
    'A573',
    `"${path}" must be "N원 할인", "N% 할인", "배송비 할인", "… 무료" or "… UP" (at most ${COUPON_WORD} characters before it)`,
  );
});

function isCouponTitle(title: string): boolean {
  // The messenger's own titles end in the word "coupon"; those of the contract do not.
  const bare = title.replace(/ 쿠폰$/, '');
  return COUPON_TITLES.some(form => {
    const match = form.exec(bare);
    return match !== null && fitsCharacters(match.groups?.word ?? '', COUPON_WORD);
  });
}

export function coupon(descriptionLimit: number) {
  return looseObject({
    code: 'A573',
    fields: {
      ...links('A573'),
      title: required(couponTitle),
      description: required(characters('A573', descriptionLimit, 'What the coupon is for.')),
    },
    description: 'Coupon.',
  });
}

const commerceFields = {
  title: required(characters('A573', 30, 'Name of the goods.')),
  regularPrice: required(won('regular_price', 99_999_999, 'Price in won.')),
  discountPrice: won('discount_price', 99_999_999, 'Price after the discount.'),
  discountRate: won('discount_rate', 100, 'Discount in percent.'),
  discountFixed: won('discount_fixed', 999_999, 'Discount in won.'),
};

export const commerce = refine(
  looseObject({ code: 'A573', fields: commerceFields, description: 'Goods and price.' }),
  (values, path) => {
    const { discountPrice, discountRate, discountFixed, ...goods } = values;
    if (discountPrice && !discountRate && !discountFixed) {
      return new Problem('A573', `"${path}.discountPrice" needs "discountRate" or "discountFixed"`);
    }
    // Clients in Java and C# send 0 where there is no discount.
    return {
      ...goods,
      ...(discountPrice && { discountPrice }),
      ...(discountRate && { discountRate }),
      ...(discountFixed && { discountFixed }),
    };
  },
);

function won(alias: string, max: number, description: string): Field<number, false> {
  return alsoNamed(wholeNumber({ code: 'A573', min: 0, max, description }), alias);
}

const video = looseObject({
  code: 'A573',
  fields: {
    videoUrl: alsoNamed(required(roomyText('A573', 'Address of the video.')), 'video_url'),
    thumbnailUrl: alsoNamed(roomyText('A573', 'Address of its still image.'), 'thumbnail_url'),
  },
  description: 'Video.',
});

function attachmentFields(couponDescription: number) {
  return { button: buttons, image, item, coupon: coupon(couponDescription), commerce, video };
}

export type FriendtalkAttachment = ValuesOf<ReturnType<typeof attachmentFields>>;

export function attachment(couponDescription: number): Field<FriendtalkAttachment, false> {
  return looseObject({
    code: 'A573',
    fields: attachmentFields(couponDescription),
    description: 'Buttons, image, items, coupon, goods, video.',
  });
}
