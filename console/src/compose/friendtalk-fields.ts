/** The fields of friendtalk and brand message, by type. Images have the shape that their type asks for. */

import { optionsOf } from '../components/options.ts';
import type { ImagePurpose } from '../gateway/files.ts';
import type { Words } from '../words/en.ts';
import { type Entry, withValue } from './entry.ts';
import type { FieldRow } from './field-row.ts';
import { messengerButtons } from './messenger-button-fields.ts';

type FriendtalkChannel = 'friendtalk' | 'brandmessage';

/** Image kinds of brand messages have their own names. */
const BRAND_KINDS: Readonly<Record<string, string>> = {
  FW: 'wide',
  FL: 'wideItemList',
  FC: 'carouselFeed',
  FA: 'carouselCommerce',
};

function purposeOf(channel: FriendtalkChannel, type: string): ImagePurpose {
  return channel === 'friendtalk'
    ? { service: 'FRIENDTALK', kind: type === 'FT' ? 'FI' : type }
    : { service: 'BRANDMESSAGE', kind: BRAND_KINDS[type] ?? 'default' };
}

function choice(
  path: string,
  word: 'msgType' | 'adFlag' | 'sendType' | 'targeting',
  fallback: string,
): Extract<FieldRow, { kind: 'choice' }> {
  const tables = {
    msgType: (t: Words) => t.options.friendtalk,
    adFlag: (t: Words) => t.options.yesNo,
    sendType: (t: Words) => t.options.sendType,
    targeting: (t: Words) => t.options.targeting,
  };
  return { kind: 'choice', path, word, options: t => optionsOf(tables[word](t)), fallback };
}

const COUPON: readonly FieldRow[] = [
  { kind: 'text', path: 'attachment.coupon.title', word: 'couponTitle', isExtra: true },
  { kind: 'text', path: 'attachment.coupon.description', word: 'couponText', isExtra: true },
];

const GOODS: readonly FieldRow[] = [
  { kind: 'text', path: 'attachment.commerce.title', word: 'goodsTitle' },
  { kind: 'number', path: 'attachment.commerce.regularPrice', word: 'regularPrice' },
  { kind: 'number', path: 'attachment.commerce.discountPrice', word: 'discountPrice' },
  { kind: 'number', path: 'attachment.commerce.discountRate', word: 'discountRate' },
];

const text: FieldRow = { kind: 'long', path: 'text', word: 'text' };

export function friendtalkFields(
  channel: FriendtalkChannel,
  type: string,
  sendType: string,
): readonly FieldRow[] {
  const isByTemplate = channel === 'brandmessage' && sendType === 'basic';
  const brand: readonly FieldRow[] = [
    choice('sendType', 'sendType', 'free'),
    choice('targeting', 'targeting', 'I'),
    ...(isByTemplate ? [{ kind: 'text', path: 'templateCode', word: 'templateCode' } as const] : []),
  ];
  return [
    { kind: 'text', path: 'senderKey', word: 'senderKey' },
    ...(channel === 'brandmessage' ? brand : []),
    {
      ...choice('msgType', 'msgType', 'FT'),
      pick: (entry, picked) => withType(channel, type, entry, picked),
    },
    ...(isByTemplate
      ? [{ kind: 'pairs', path: 'messageVariable', word: 'templateKeys' } as const]
      : contentFields(type, purposeOf(channel, type))),
    choice('adFlag', 'adFlag', 'Y'),
  ];
}

/** What another type has no field for goes, and so do cards, whose parts differ: the gateway refuses both. */
function withType(channel: FriendtalkChannel, type: string, entry: Entry, picked: string): Entry {
  const pathsOf = (of: string) => contentFields(of, purposeOf(channel, of)).map(({ path }) => path);
  const kept = new Set(pathsOf(picked).filter(path => path !== 'carousel.list'));
  const gone = pathsOf(type).filter(path => !kept.has(path));
  return gone.reduce((left, path) => withValue(left, path, undefined), withValue(entry, 'msgType', picked));
}

function contentFields(type: string, purpose: ImagePurpose): readonly FieldRow[] {
  const image: FieldRow = {
    kind: 'image',
    path: 'attachment.image.imgUrl',
    word: 'image',
    purpose,
    refers: 'imgUrl',
  };
  const buttons = messengerButtons('attachment.button', 5);
  switch (type) {
    case 'FI':
    case 'FW':
      return [image, text, buttons, ...COUPON];
    case 'FL':
      return [{ kind: 'text', path: 'header', word: 'headerLine' }, wideItems(purpose), buttons, ...COUPON];
    case 'FM':
      return [
        image,
        ...GOODS,
        { kind: 'text', path: 'additionalContent', word: 'additionalContent' },
        buttons,
        ...COUPON,
      ];
    case 'FP':
      return [
        { kind: 'text', path: 'attachment.video.videoUrl', word: 'videoUrl' },
        { kind: 'text', path: 'attachment.video.thumbnailUrl', word: 'thumbnailUrl' },
        text,
        buttons,
      ];
    case 'FC':
    case 'FA':
      return [
        carouselCards(type, image),
        { kind: 'text', path: 'carousel.tail.urlMobile', word: 'moreLink', isExtra: true },
      ];
    default:
      return [text, buttons, ...COUPON];
  }
}

function wideItems(purpose: ImagePurpose): FieldRow {
  const item: readonly FieldRow[] = [
    { kind: 'text', path: 'title', word: 'title' },
    { kind: 'image', path: 'imgUrl', word: 'image', purpose, refers: 'imgUrl' },
    { kind: 'text', path: 'urlMobile', word: 'urlMobile' },
  ];
  return {
    kind: 'list',
    path: 'attachment.item.list',
    word: 'wideItems',
    item: () => item,
    blank: { title: '' },
    min: 3,
    max: 4,
    adds: 'addRow',
  };
}

function carouselCards(type: 'FC' | 'FA', image: FieldRow): FieldRow {
  const own: readonly FieldRow[] =
    type === 'FC'
      ? [
          { kind: 'text', path: 'header', word: 'title' },
          { kind: 'long', path: 'message', word: 'message' },
        ]
      : GOODS;
  return {
    kind: 'list',
    path: 'carousel.list',
    word: 'cards',
    item: () => [image, ...own, messengerButtons('attachment.button', 2)],
    blank: {},
    min: 2,
    max: 10,
    adds: 'addCard',
  };
}
