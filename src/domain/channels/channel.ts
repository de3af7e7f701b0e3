/** The names of the channels. The rules of each are in its own file; channel-table.ts gathers them. */

/** The channels of the contract, in the order in which documents and messages list them. */
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

/** The channel of this name; undefined if there is none. */
export function channelNamed(name: unknown): Channel | undefined {
  return CHANNELS.find(known => known === name);
}

/** The channel's name in reports and statistics. */
export function serviceTypeOf(channel: Channel): string {
  return channel.toUpperCase();
}

/** What the steps of all channels have in common. */
export interface ChannelStep {
  readonly channel: Channel;
}

/** A parsed single send: one recipient, and a flow of one message or of a message and its fallback. */
export interface SingleSendOf<Step extends ChannelStep> {
  readonly to: string;
  readonly ref: string | undefined;
  readonly groupKey?: string;
  /** The trace that the request names; see request/traceparent.ts. */
  readonly traceparent?: string;
  readonly flow: readonly Step[];
  /** How the client wrote the first message, where there are several ways; see request/field-names.ts. */
  readonly style?: string;
}
