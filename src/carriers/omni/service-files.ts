/**
 * Files at the service: uploaded for the channel and the kind of message that shows them, and named in the message as the
 * answer to the upload says. The service tells until when it keeps them, by its own clock and in Korean time.
 */
import type { Step } from '../../domain/delivery/flow.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import { fileForm } from '../http/media-template.ts';
import type { MediaFile, SentFile } from '../http/media-uploads.ts';
import type { FileRules } from '../http/message-files.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { type Answered, envelopeOf } from './envelope.ts';
import { refusalCode } from './refusal-codes.ts';
import type { OmniSession } from './session.ts';

type FileChannel = 'mms' | 'rcs' | 'friendtalk' | 'brandmessage';

/** Which member of the answer goes into a message. */
const NAMED_BY: Readonly<Record<FileChannel, string>> = {
  mms: 'fileKey',
  rcs: 'media',
  friendtalk: 'imgUrl',
  brandmessage: 'imgUrl',
};

/** Kinds of brandmessage images, by the type of the message; all others are plain. */
const BRAND_KINDS: Readonly<Record<string, string>> = {
  FW: 'wide',
  FL: 'wideItemList',
  FC: 'carouselFeed',
  FA: 'carouselCommerce',
};
const PLAIN = 'default';
/** The first image of a wide item list is wider than the others. */
const ITEM_LIST = 'FL';

const HOUR_MS = 3_600_000;
const LONGEST_KEPT_MS = 30 * 24 * HOUR_MS;
/** A file is uploaded again when this part of its time is over. */
const SAFE_PART = 0.9;

export function serviceFiles(session: OmniSession): FileRules {
  return {
    purposeOf,
    referenceOf: id => id,
    passesUnknown: true,
    send: async (purpose, file) => {
      const [channel] = purpose.split('/');
      return upload(session, channel as FileChannel, purpose, file);
    },
  };
}

/** The rest of the path of the upload, led by the channel. */
function purposeOf(message: Step, index: number): string | undefined {
  const { channel } = message;
  if (channel === 'mms' || channel === 'rcs') return channel;
  if (channel !== 'friendtalk' && channel !== 'brandmessage') return undefined;
  const { msgType } = message;
  const kind = channel === 'friendtalk' ? msgType : (BRAND_KINDS[msgType] ?? PLAIN);
  return msgType === ITEM_LIST && index === 0 ? `${channel}/${kind}/first` : `${channel}/${kind}`;
}

async function upload(
  session: OmniSession,
  channel: FileChannel,
  purpose: string,
  file: MediaFile,
): Promise<SentFile> {
  const { contentType, body } = await fileForm([], 'file', { ...file, name: shortName(file) });
  const path = `/v1/file/${purpose.replace(channel, channel.toUpperCase())}`;
  const answer = await session.call({ method: 'POST', path, body, headers: { 'content-type': contentType } });
  if (answer.kind === 'failed') return { kind: 'failed', reason: answer.reason, cause: 'provider' };
  return readUpload(session, channel, answer);
}

function readUpload(session: OmniSession, channel: FileChannel, answer: Answered): SentFile {
  const { meaning, code, says, json } = envelopeOf(answer);
  const data = memberOf(json, 'data');
  const id = textOf(memberOf(data, NAMED_BY[channel]));
  if (meaning === 'message' || meaning === 'file') {
    return { kind: 'refused', reportCode: refusalCode(code, channel), reason: says };
  }
  if (meaning !== 'taken') {
    return {
      ...{ kind: 'failed', reason: says, cause: 'provider' },
      retryAfterMs: parseRetryAfterMs(answer.headers['retry-after'], session.theirNow()),
      ...(meaning === 'throttled' && { isThrottled: true }),
    };
  }
  if (id === undefined) {
    return { kind: 'failed', reason: `the upload has no ${NAMED_BY[channel]}`, cause: 'provider' };
  }
  const expired = textOf(memberOf(data, 'expired'))?.trim().replace(' ', 'T') ?? '';
  const leftMs = Date.parse(`${expired}+09:00`) - session.theirNow();
  const keptMs = leftMs > 0 ? Math.min(leftMs, LONGEST_KEPT_MS) : HOUR_MS;
  return { kind: 'uploaded', id, lifetimeMs: keptMs * SAFE_PART };
}

/** The service takes names of at most 40 characters, and looks at the bytes only. */
function shortName({ contentHash, contentType }: MediaFile): string {
  return `${contentHash.slice(0, 16)}.${contentType === 'image/jpeg' ? 'jpg' : contentType.replace(/^.*\//, '')}`;
}
