/** The single sends: one recipient on one channel, each with its reader. */
import { parseAlimtalk } from '../channels/alimtalk.ts';
import { parseBrandmessage } from '../channels/brandmessage.ts';
import type { Channel } from '../channels/channel.ts';
import { parseFriendtalk } from '../channels/friendtalk/friendtalk.ts';
import { parseInternational } from '../channels/international.ts';
import { parseMms } from '../channels/mms.ts';
import { parseRcs } from '../channels/rcs/rcs.ts';
import { parseSms } from '../channels/sms.ts';
import type { SingleSend } from '../delivery/flow.ts';
import type { Problem } from './problem.ts';

export const SINGLE_SENDS: Readonly<Record<Channel, (body: unknown) => SingleSend | Problem>> = {
  sms: parseSms,
  mms: parseMms,
  international: parseInternational,
  rcs: parseRcs,
  alimtalk: parseAlimtalk,
  friendtalk: parseFriendtalk,
  brandmessage: parseBrandmessage,
};

/** What can be sent in one request: on each channel, and a flow. */
export const SEND_KINDS = [...(Object.keys(SINGLE_SENDS) as Channel[]), 'omni'] as const;
export type SendKind = Channel | 'omni';
