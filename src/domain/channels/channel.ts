/** The names of the channels. What each one is, and its rules, stand in its own file; channel-table.ts gathers them. */

/** The channels the contract names; accounts are permitted by these words. */
export const CHANNELS = [
  'sms',
  'mms',
  'international',
  'rcs',
  'alimtalk',
  'friendtalk',
  'brandmessage',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** The channel of this name, undefined where there is none. */
export function channelNamed(name: unknown): Channel | undefined {
  return CHANNELS.find(known => known === name);
}

/** What reports and figures call the channel. */
export function serviceTypeOf(channel: Channel): string {
  return channel.toUpperCase();
}

/** What every channel message of a flow has; each channel adds its own fields. */
export interface ChannelStep {
  readonly channel: Channel;
}

/** A parsed single send: one recipient, and a flow of one message or of a message and its fallback. */
export interface SingleSendOf<Step extends ChannelStep> {
  readonly to: string;
  readonly ref: string | undefined;
  readonly flow: readonly Step[];
}
