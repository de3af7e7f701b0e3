/**
 * Friendtalk: a free-form message to the friends of a channel, in eight types (types.ts). The parts of its
 * content are the same in brandmessage, which reads them with `friendtalkContent` and `gatherAttachment`.
 */

import { text, word } from '../../request/field-kinds.ts';
import { alsoNamed, type Reading, readFields, required, type ValuesOf } from '../../request/fields.ts';
import { measureByType } from '../../request/measures.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { adFlagProblem } from '../../text/advertisement-mark.ts';
import type { SingleSendOf } from '../channel.ts';
import { type ChannelDescription, type RegistryRule, withoutChannel } from '../channel-description.ts';
import type { FallbackStep } from '../fallback.ts';
import { buttons } from '../messenger-buttons.ts';
import {
  characters,
  givenTwiceProblem,
  pathTo,
  roomyText,
  senderKey,
  withoutBlanks,
  yesOrNo,
} from '../messenger-fields.ts';
import { singleSend, singleSendFields } from '../messenger-single-send.ts';
import { messengerStyle } from '../messenger-style.ts';
import { registeredProfile } from '../registered-sender.ts';
import { attachment, type FriendtalkAttachment } from './attachment.ts';
import { additionalContent, carousel } from './carousel.ts';
import { FRIENDTALK_IMAGES, imagesIn } from './images.ts';
import { FRIENDTALK_TYPE_WORDS, type FriendtalkNeed, type FriendtalkType, friendtalkRow } from './types.ts';

export const friendtalkMsgType = required(
  word({
    code: 'A523',
    values: FRIENDTALK_TYPE_WORDS,
    description: FRIENDTALK_TYPE_WORDS.map(type => `${type} ${friendtalkRow(type).name}`).join(', '),
  }),
);

/** The content of a message of this type. Single sends have `imgUrl` and `button` outside of `attachment`. */
export function friendtalkContent(type: FriendtalkType) {
  const row = friendtalkRow(type);
  return {
    text: text({
      code: 'A303',
      tooLong: 'A328',
      max: row.text,
      unit: 'characters',
      description: 'Message.',
    }),
    header: characters('A565', 20, 'Line at the head.'),
    imgUrl: roomyText('A513', 'Address of an uploaded image.'),
    button: buttons,
    attachment: attachment(row.coupon),
    carousel: carousel(row.carousel),
    additionalContent: additionalContent('A300'),
    adFlag: word({ code: 'A506', values: row.adFlag, description: 'Advertisement mark. Default Y.' }),
    adult: alsoNamed(yesOrNo('A569', 'For adults only. Default N.'), 'adults'),
    pushAlarm: yesOrNo('A300', 'Alarm on arrival. Default Y.'),
    groupTagKey: characters('A300', 40, 'Key of a statistics group.'),
  };
}

type ContentValues = ValuesOf<ReturnType<typeof friendtalkContent>>;
export type FriendtalkContent = Omit<ContentValues, 'imgUrl' | 'button'>;

/** The attachment with buttons and image, wherever the client put them. */
export function gatherAttachment(
  type: FriendtalkType,
  values: ContentValues,
  path: string,
): FriendtalkAttachment | undefined | Problem {
  const { imgUrl, button, attachment: given } = values;
  const twice = givenTwiceProblem(values, path);
  if (twice) return twice;
  if (imgUrl === undefined && button === undefined && given === undefined) return undefined;
  const gathered: FriendtalkAttachment = {
    ...(button !== undefined && { button }),
    ...(imgUrl !== undefined && { image: { imgUrl } }),
    ...given,
  };
  const most = friendtalkRow(type).buttonsBesideCoupon;
  const count = gathered.button?.length ?? 0;
  if (gathered.coupon === undefined || count <= most) return gathered;
  const name = pathTo(path, given?.button === undefined ? 'button' : 'attachment.button');
  return new Problem('A503', `"${name}" has more than ${most} entries beside a coupon (was ${count})`);
}

const NEEDS: Readonly<
  Record<FriendtalkNeed, { code: ResultCode; name: string; of: (content: FriendtalkContent) => unknown }>
> = {
  text: { code: 'A303', name: 'text', of: content => content.text },
  header: { code: 'A565', name: 'header', of: content => content.header },
  image: { code: 'A513', name: 'attachment.image', of: content => content.attachment?.image },
  item: { code: 'A573', name: 'attachment.item', of: content => content.attachment?.item },
  commerce: { code: 'A573', name: 'attachment.commerce', of: content => content.attachment?.commerce },
  video: { code: 'A573', name: 'attachment.video', of: content => content.attachment?.video },
  carousel: { code: 'A567', name: 'carousel', of: content => content.carousel },
};

/** The first part that the type requires and the message does not have. */
export function missingContent(
  type: FriendtalkType,
  content: FriendtalkContent,
  path: string,
): Problem | undefined {
  const missing = friendtalkRow(type).needs.find(need => NEEDS[need].of(content) === undefined);
  if (missing === undefined) return undefined;
  const { code, name } = NEEDS[missing];
  return new Problem(code, `"${pathTo(path, name)}" is required for msgType ${type}`);
}

function entryFields(type: FriendtalkType) {
  return { senderKey, msgType: friendtalkMsgType, ...friendtalkContent(type) };
}

function singleFields(type: FriendtalkType) {
  const { to, ref, fallback } = singleSendFields;
  return { senderKey, msgType: friendtalkMsgType, to, ...friendtalkContent(type), ref, fallback };
}

/** The fields by msgType, in the order in which they are checked. */
const friendtalkFields = byType(type => ({ entry: entryFields(type), single: singleFields(type) }));

/** Made once for each type, not for every message. */
export function byType<T>(make: (type: FriendtalkType) => T): Readonly<Record<FriendtalkType, T>> {
  return {
    FT: make('FT'),
    FI: make('FI'),
    FW: make('FW'),
    FL: make('FL'),
    FC: make('FC'),
    FM: make('FM'),
    FA: make('FA'),
    FP: make('FP'),
  };
}

export interface FriendtalkStep extends Omit<ValuesOf<ReturnType<typeof entryFields>>, 'imgUrl' | 'button'> {
  readonly channel: 'friendtalk';
}

export function parseFriendtalkEntry(
  entry: unknown,
  reading: Reading,
  path: string,
): FriendtalkStep | Problem {
  const given = withoutBlanks(entry);
  const kind = readFields({ senderKey, msgType: friendtalkMsgType }, given, reading, path);
  if (kind instanceof Problem) return kind;
  const values = readFields(friendtalkFields[kind.msgType].entry, given, reading, path);
  return values instanceof Problem ? values : stepOf(values, path);
}

export function parseFriendtalk(body: unknown): SingleSendOf<FriendtalkStep | FallbackStep> | Problem {
  const given = withoutBlanks(body);
  const kind = readFields({ senderKey, msgType: friendtalkMsgType }, given);
  if (kind instanceof Problem) return kind;
  const values = readFields(friendtalkFields[kind.msgType].single, given);
  if (values instanceof Problem) return values;
  const { to, ref, fallback, ...message } = values;
  const step = stepOf(message, '');
  return step instanceof Problem ? step : singleSend(values, step);
}

function stepOf(values: ValuesOf<ReturnType<typeof entryFields>>, path: string): FriendtalkStep | Problem {
  const attached = gatherAttachment(values.msgType, values, path);
  if (attached instanceof Problem) return attached;
  const { imgUrl, button, ...message } = values;
  const step: FriendtalkStep = {
    channel: 'friendtalk',
    ...message,
    ...(attached !== undefined && { attachment: attached }),
  };
  return missingContent(step.msgType, step, path) ?? step;
}

/** What a recipient reads first, of the message and of each of its cards. */
export function friendtalkTexts({
  header,
  text,
  carousel,
}: FriendtalkContent): readonly (string | undefined)[] {
  if (!carousel) return [header, text];
  const cards = carousel.list.flatMap(card => [card.header, card.message]);
  return [header, text, carousel.head?.header, carousel.head?.content, ...cards];
}

/** The types that show a picture above their text; other types without one are refused when they are read. */
const PICTURE_TYPES: readonly FriendtalkType[] = ['FI', 'FW'];

/** Whether an image is given is the network's business, as every file is, unless the account is held to its registry. */
export function missingPicture({
  msgType,
  attachment: given,
}: FriendtalkContent & { readonly msgType: FriendtalkType }): Problem | undefined {
  return PICTURE_TYPES.includes(msgType) && given?.image === undefined
    ? new Problem('A513', `"attachment.image" is required for msgType ${msgType}`)
    : undefined;
}

const registeredProfileAndImage: RegistryRule<FriendtalkStep> = {
  wanted: registeredProfile.wanted,
  problem: (step, ...found) => registeredProfile.problem(step, ...found) ?? missingPicture(step),
};

export const friendtalkChannel: ChannelDescription<FriendtalkStep, FallbackStep> = {
  family: 'messenger',
  request: {
    fields: { byType: friendtalkFields },
    readSingle: parseFriendtalk,
    readEntry: parseFriendtalkEntry,
    measure: message => measureByType(friendtalkFields, message),
    write: withoutChannel,
    ...messengerStyle,
    fitsSingleSend: () => true,
  },
  registry: { enforced: registeredProfileAndImage },
  files: { namedBy: 'address', uses: step => imagesIn(step, FRIENDTALK_IMAGES) },
  report: { msgType: step => step.msgType },
  deadlineMs: (_step, { messengerMs }) => messengerMs,
  advertisement: {
    isFlagged: step => step.adFlag !== 'N',
    textsOf: friendtalkTexts,
    problem: (step, isFallbackOfOne) => adFlagProblem(step.adFlag, friendtalkTexts(step), isFallbackOfOne),
  },
  recipientsCanBlock: true,
};
