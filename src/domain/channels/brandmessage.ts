/**
 * Brandmessage: a friendtalk-like message that may also reach people who are not friends of the channel. `basic` fills
 * an approved template, so the request may leave content out; `free` carries all of its content.
 */

import { uploadKeyIn } from '../images/upload-address.ts';
import { word } from '../request/field-kinds.ts';
import { type Reading, readFields, required, type ValuesOf } from '../request/fields.ts';
import { measureByType } from '../request/measures.ts';
import { Problem } from '../request/problem.ts';
import { adFlagProblem, hasFreeNumber } from '../text/advertisement-mark.ts';
import { registeredBrandTemplate } from './brandmessage-registry.ts';
import { type FreeValue, variables } from './brandmessage-variables.ts';
import type { SingleSendOf } from './channel.ts';
import { type ChannelDescription, type FileUse, withoutChannel } from './channel-description.ts';
import type { FallbackStep } from './fallback.ts';
import {
  byType,
  friendtalkContent,
  friendtalkMsgType,
  friendtalkTexts,
  gatherAttachment,
  missingContent,
} from './friendtalk/friendtalk.ts';
import { BRAND_IMAGES, imagesIn } from './friendtalk/images.ts';
import type { FriendtalkType } from './friendtalk/types.ts';
import { characters, pathTo, senderKey, templateCode, withoutBlanks } from './messenger-fields.ts';
import { singleSend, singleSendFields } from './messenger-single-send.ts';
import { messengerStyle } from './messenger-style.ts';
import { originCID } from './shared-fields.ts';

const sendType = required(
  word({
    code: 'A571',
    values: ['basic', 'free', 'template'],
    description: 'basic or template: by an approved template; free: without one.',
  }),
);

const variableFields = {
  messageVariable: variables('Values for the text.', 'object'),
  buttonVariable: variables('Values for the buttons.', 'object'),
  couponVariable: variables('Values for the coupon.', 'object'),
  imageVariable: variables('Values for the images.', 'object or list'),
  videoVariable: variables('Values for the video.', 'object'),
  commerceVariable: variables('Values for the goods.', 'object'),
  carouselVariable: variables('Values for the cards.', 'object or list'),
};

function entryFields(type: FriendtalkType) {
  return {
    senderKey,
    sendType,
    msgType: friendtalkMsgType,
    targeting: word({
      code: 'A570',
      values: ['M', 'N', 'I', 'O'],
      description:
        'Recipients: M everyone who agreed; of these, N those who are not friends, I and O those who are.',
    }),
    templateCode,
    ...friendtalkContent(type),
    ...variableFields,
    originCID,
    unsubscribePhoneNumber: characters('A300', 13, 'Free number for opting out.'),
    unsubscribeAuthNumber: characters('A300', 10, 'Code for opting out.'),
  };
}

function singleFields(type: FriendtalkType) {
  const { senderKey: key, sendType: kind, msgType, ...message } = entryFields(type);
  const { to, ref, fallback } = singleSendFields;
  return { senderKey: key, sendType: kind, msgType, to, ...message, ref, fallback };
}

/** The fields by msgType, in the order in which they are checked. */
const brandmessageFields = byType(type => ({
  entry: entryFields(type),
  single: singleFields(type),
}));

type BrandmessageValues = ValuesOf<ReturnType<typeof entryFields>>;

export interface BrandmessageStep extends Omit<BrandmessageValues, 'imgUrl' | 'button'> {
  readonly channel: 'brandmessage';
}

export function parseBrandmessageEntry(
  entry: unknown,
  reading: Reading,
  path: string,
): BrandmessageStep | Problem {
  const given = withoutBlanks(entry, isVariable);
  const kind = readFields(kindFields, given, reading, path);
  if (kind instanceof Problem) return kind;
  const values = readFields(brandmessageFields[kind.msgType].entry, given, reading, path);
  return values instanceof Problem ? values : stepOf(values, path);
}

export function parseBrandmessage(body: unknown): SingleSendOf<BrandmessageStep | FallbackStep> | Problem {
  const given = withoutBlanks(body, isVariable);
  const kind = readFields(kindFields, given);
  if (kind instanceof Problem) return kind;
  const values = readFields(brandmessageFields[kind.msgType].single, given);
  if (values instanceof Problem) return values;
  const { to, ref, fallback, ...message } = values;
  const step = stepOf(message, '');
  return step instanceof Problem ? step : singleSend(values, step);
}

/** Read first, because the limits of the rest depend on the type. */
const kindFields = { senderKey, sendType, msgType: friendtalkMsgType };

/** An empty text is a value for a variable, so variables are not dropped as blank. */
function isVariable(name: string): boolean {
  return name.toLowerCase().endsWith('variable');
}

function stepOf(values: BrandmessageValues, path: string): BrandmessageStep | Problem {
  const attached = gatherAttachment(values.msgType, values, path);
  if (attached instanceof Problem) return attached;
  const { imgUrl, button, ...message } = values;
  const step: BrandmessageStep = {
    channel: 'brandmessage',
    ...message,
    ...(attached !== undefined && { attachment: attached }),
  };
  if (step.sendType === 'free') return missingContent(step.msgType, step, path) ?? step;
  if (step.templateCode !== undefined) return step;
  const name = pathTo(path, 'templateCode');
  return new Problem('A505', `"${name}" is required for sendType ${step.sendType}`);
}

/** Without a number of its own the message shows the one of the sender profile. */
function brandMarkProblem(step: BrandmessageStep, isFallbackOfOne: boolean): string | undefined {
  const { adFlag, unsubscribePhoneNumber } = step;
  return adFlag !== 'N' && unsubscribePhoneNumber !== undefined && !hasFreeNumber(unsubscribePhoneNumber)
    ? '"unsubscribePhoneNumber" must be a free number for opting out, such as 080-123-4567'
    : adFlagProblem(adFlag, friendtalkTexts(step), isFallbackOfOne);
}

/** The names that templates give to the address of an image: `imgUrl`, `image_url`, `thumbnailUrl`. */
const IMAGE_NAME = /^(img|image|thumbnail)_?url$/i;

/**
 * Variables hold addresses of many things. Images are known by their names, and uploads also by the form of their address.
 * Their kind is that of the message.
 */
function imagesInVariables(step: BrandmessageStep): FileUse[] {
  const rule = BRAND_IMAGES[step.msgType];
  const found: FileUse[] = [];
  const collect = (value: FreeValue | undefined, field: string, isImage = false): void => {
    if (typeof value === 'string') {
      if (value !== '' && (isImage || uploadKeyIn(value))) found.push({ field, name: value, rule });
    } else if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) collect(each, `${field}[${index}]`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        collect(each, `${field}.${name}`, IMAGE_NAME.test(name));
      }
    }
  };
  collect(step.imageVariable, 'imageVariable');
  collect(step.videoVariable, 'videoVariable');
  collect(step.commerceVariable, 'commerceVariable');
  collect(step.carouselVariable, 'carouselVariable');
  return found;
}

export const brandmessageChannel: ChannelDescription<BrandmessageStep, FallbackStep> = {
  family: 'messenger',
  request: {
    fields: { byType: brandmessageFields },
    readSingle: parseBrandmessage,
    readEntry: parseBrandmessageEntry,
    measure: message => measureByType(brandmessageFields, message),
    write: withoutChannel,
    ...messengerStyle,
    fitsSingleSend: () => true,
  },
  registry: { enforced: registeredBrandTemplate },
  files: {
    namedBy: 'address',
    uses: step => [...imagesIn(step, BRAND_IMAGES), ...imagesInVariables(step)],
  },
  report: { msgType: step => step.msgType, hasUserType: step => step.sendType === 'basic' },
  deadlineMs: (_step, { messengerMs }) => messengerMs,
  advertisement: {
    isFlagged: step => step.adFlag !== 'N',
    textsOf: friendtalkTexts,
    problem: brandMarkProblem,
  },
  recipientsCanBlock: true,
};
