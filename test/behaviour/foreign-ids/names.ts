/**
 * What the parameters of the API and the members of its requests can hold that belongs to an account. Every name is in one of
 * the two tables; the walk fails on a name that is in neither, so that a new one is not forgotten.
 */
import type { RegistryKind } from '../../../src/domain/registry/registry.ts';

/** The kinds of things by which one account could reach for another's. */
export type Kind =
  | 'message'
  | 'request'
  | 'batch'
  | 'form'
  | 'reservation'
  | 'file'
  | 'media'
  | 'fileUrl'
  | 'idempotencyKey'
  | RegistryKind
  | 'optOut'
  | 'brandId';

export const NAMES_THAT_HOLD: Readonly<Record<string, readonly Kind[]>> = {
  msgKey: ['message'],
  lastSeq: ['message', 'reservation'],
  requestId: ['request'],
  reportId: ['batch'],
  moId: ['batch'],
  formId: ['form'],
  resvKey: ['reservation'],
  messageForm: ['form'],
  'Idempotency-Key': ['idempotencyKey'],
  fileKey: ['file', 'media', 'fileUrl'],
  media: ['media', 'file', 'fileUrl'],
  subMedia: ['media', 'file', 'fileUrl'],
  mediaUrl: ['fileUrl', 'media'],
  subMediaUrl: ['fileUrl', 'media'],
  imgUrl: ['fileUrl', 'media', 'file'],
  imageUrl: ['fileUrl', 'media', 'file'],
  thumbnailUrl: ['fileUrl'],
  videoUrl: ['fileUrl'],
  body: ['media', 'file', 'fileUrl'],
  imageVariable: ['fileUrl'],
  videoVariable: ['fileUrl'],
  carouselVariable: ['fileUrl'],
  from: ['sender', 'internationalSenderId', 'inboundNumber'],
  senderKey: ['senderProfile'],
  templateCode: ['alimtalkTemplate'],
  brandKey: ['rcsBrand'],
  sender: ['sender', 'senderProfile'],
  brandId: ['brandId', 'rcsBrand'],
  formatId: ['rcsTemplate'],
  text: ['internationalSignature'],
};

/** Names of what belongs to nobody: contents, addresses in the world, and keys of companies that we only hand on. */
export const NAMES_OF_OTHER_THINGS: ReadonlySet<string> = new Set([
  // The path of an upload.
  ...['serviceType', 'msgType', 'subType', 'file'],
  // The recipient, and what comes back with the report.
  ...['to', 'ref', 'originCID', 'paymentCode', 'replaceWords', 'groupKey', 'resvSendTime', 'resvName'],
  // What is looked for.
  ...['requestTime', 'until', 'outcome', 'reportCode', 'status', 'limit', 'startDate', 'endDate'],
  // Contents.
  'occurredTime',
  ...['title', 'header', 'footer', 'content', 'description', 'name', 'label', 'message'],
  ...['subTitle', 'subDesc', 'additionalContent', 'type', 'target', 'price', 'currencyType', 'query'],
  ...['startTime', 'endTime', 'latitude', 'longitude', 'phoneNumber', 'telNumber', 'ttl', 'expiryOption'],
  ...['copyAllowed', 'adFlag', 'adult', 'pushAlarm', 'sendType', 'targeting'],
  ...['messageVariable', 'buttonVariable', 'couponVariable', 'commerceVariable', 'suggestions'],
  ...['unsubscribePhoneNumber', 'unsubscribeAuthNumber'],
  // Lists.
  ...['state', 'limit', 'cursor', 'covers'],
  // Links.
  ...['url', 'urlMobile', 'urlPc', 'schemeIos', 'schemeAndroid', 'imgLink', 'fallbackUrl'],
  // Keys that a company behind a carrier gave out.
  ...['groupId', 'agencyId', 'agencyKey', 'groupTagKey', 'chatExtra', 'chatEvent', 'bizFormKey', 'bizFormId'],
  ...['pluginId', 'relayId', 'oneclickId', 'productId'],
]);
