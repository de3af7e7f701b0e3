/** What the single sends of the messenger channels share: recipient, reference, and a text message as fallback. */
import { required } from '../request/fields.ts';
import type { ChannelStep, SingleSendOf } from './channel.ts';
import { type FallbackStep, senderlessFallback } from './fallback.ts';
import { domesticTo, ref } from './shared-fields.ts';

/** The fields of a single send beside those of the message. */
export const singleSendFields = { to: required(domesticTo), ref, fallback: senderlessFallback };

/** The single send of one message and, where given, its fallback. */
export function singleSend<Step extends ChannelStep>(
  values: { readonly to: string; readonly ref?: string; readonly fallback?: FallbackStep },
  step: Step,
): SingleSendOf<Step | FallbackStep> {
  const { to, ref: clientRef, fallback } = values;
  return { to, ref: clientRef, flow: fallback === undefined ? [step] : [step, fallback] };
}
