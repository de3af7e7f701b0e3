/**
 * The table of channels: the step and the description of each. Code that differs by channel reads it from here. A name
 * added to CHANNELS does not compile until it has both.
 */

import type { ChannelFamily } from '../reports/report-codes.ts';
import { type AlimtalkStep, alimtalkChannel } from './alimtalk.ts';
import { type BrandmessageStep, brandmessageChannel } from './brandmessage.ts';
import type { Channel } from './channel.ts';
import type { ChannelDescription } from './channel-description.ts';
import type { FallbackStep } from './fallback.ts';
import { type FriendtalkStep, friendtalkChannel } from './friendtalk/friendtalk.ts';
import { type InternationalStep, internationalChannel } from './international.ts';
import { type MmsStep, mmsChannel } from './mms.ts';
import type { RcsStep } from './rcs/rcs.ts';
import { rcsChannel } from './rcs/rcs-channel.ts';
import { type SmsStep, smsChannel } from './sms.ts';

export interface StepByChannel {
  readonly sms: SmsStep;
  readonly mms: MmsStep;
  readonly international: InternationalStep;
  readonly rcs: RcsStep;
  readonly alimtalk: AlimtalkStep;
  readonly friendtalk: FriendtalkStep;
  readonly brandmessage: BrandmessageStep;
}

type AnyStep = StepByChannel[Channel];

export const CHANNEL_TABLE: {
  readonly [Name in Channel]: ChannelDescription<StepByChannel[Name], FallbackStep>;
} = {
  sms: smsChannel,
  mms: mmsChannel,
  international: internationalChannel,
  rcs: rcsChannel,
  alimtalk: alimtalkChannel,
  friendtalk: friendtalkChannel,
  brandmessage: brandmessageChannel,
};

/** The description of the step's own channel; its methods take this step. */
export function channelOf(step: AnyStep): ChannelDescription<AnyStep, FallbackStep> {
  return CHANNEL_TABLE[step.channel];
}

export function familyOf(channel: Channel): ChannelFamily {
  return CHANNEL_TABLE[channel].family;
}
