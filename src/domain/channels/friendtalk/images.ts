/** Where friendtalk and brandmessage name uploaded images, and which uploads they take. */
import { type ImageRule, type ImageService, imageRule } from '../../images/image-rules.ts';
import type { FileUse } from '../channel-description.ts';
import type { FriendtalkAttachment } from './attachment.ts';
import type { Carousel } from './carousel.ts';
import { FRIENDTALK_TYPE_WORDS, type FriendtalkType } from './types.ts';

interface WithImages {
  readonly msgType: FriendtalkType;
  readonly attachment?: FriendtalkAttachment;
  readonly carousel?: Carousel;
}

type Kinds = Readonly<Record<FriendtalkType, ImageRule>>;

function rulesOf(service: ImageService, kindOf: (type: FriendtalkType) => string): Kinds {
  const rules = FRIENDTALK_TYPE_WORDS.map(type => [type, imageRule(service, kindOf(type))]);
  return Object.fromEntries(rules) as Kinds;
}

const BRAND_KINDS: Readonly<Partial<Record<FriendtalkType, string>>> = {
  FW: 'wide',
  FL: 'wideItemList',
  FC: 'carouselFeed',
  FA: 'carouselCommerce',
};

export const FRIENDTALK_IMAGES = rulesOf('FRIENDTALK', type => type);
export const BRAND_IMAGES = rulesOf('BRANDMESSAGE', type => BRAND_KINDS[type] ?? 'default');

/** The images of a message, in the order of the step; a list has images of its own kind whatever the type. */
export function imagesIn({ msgType, attachment, carousel }: WithImages, rules: Kinds): FileUse[] {
  const rule = rules[msgType];
  const image = attachment?.image?.imgUrl;
  const items = attachment?.item?.list ?? [];
  const thumbnail = attachment?.video?.thumbnailUrl;
  const head = carousel?.head?.imageUrl;
  const cards = carousel?.list ?? [];
  return [
    ...(image === undefined ? [] : [{ field: 'attachment.image.imgUrl', name: image, rule }]),
    ...items.map(({ imgUrl }, index) => ({
      field: `attachment.item.list[${index}].imgUrl`,
      name: imgUrl,
      rule: rules.FL,
    })),
    ...(thumbnail === undefined ? [] : [{ field: 'attachment.video.thumbnailUrl', name: thumbnail, rule }]),
    ...(head === undefined ? [] : [{ field: 'carousel.head.imageUrl', name: head, rule }]),
    ...cards.map((card, index) => ({
      field: `carousel.list[${index}].attachment.image.imgUrl`,
      name: card.attachment.image.imgUrl,
      rule,
    })),
  ];
}
