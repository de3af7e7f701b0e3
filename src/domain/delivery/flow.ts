/**
 * What is sent. Every send is a flow: channel messages in order, each the fallback of the one before it.
 * A single send is a flow of one.
 */
import type { AlimtalkStep } from '../channels/alimtalk.ts';
import type { BrandmessageStep } from '../channels/brandmessage.ts';
import type { SingleSendOf } from '../channels/channel.ts';
import type { FriendtalkStep } from '../channels/friendtalk/friendtalk.ts';
import type { InternationalStep } from '../channels/international.ts';
import type { MmsStep } from '../channels/mms.ts';
import type { RcsStep } from '../channels/rcs/rcs.ts';
import type { SmsStep } from '../channels/sms.ts';

/** One channel message of a flow, in its normal form. */
export type Step =
  | SmsStep
  | MmsStep
  | InternationalStep
  | RcsStep
  | AlimtalkStep
  | FriendtalkStep
  | BrandmessageStep;

export type Flow = readonly Step[];

/** A parsed single send: one recipient, one flow. */
export type SingleSend = SingleSendOf<Step>;
