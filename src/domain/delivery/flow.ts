/**
 * What is sent. Every send is a flow: channel messages in order, each the fallback of the one before it.
 * A single send is a flow of one.
 */
import type { Channel, SingleSendOf } from '../channels/channel.ts';
import type { StepByChannel } from '../channels/channel-table.ts';

/** One channel message of a flow, in its normal form. */
export type Step = StepByChannel[Channel];

export type Flow = readonly Step[];

/** A parsed single send: one recipient, one flow. */
export type SingleSend = SingleSendOf<Step>;
