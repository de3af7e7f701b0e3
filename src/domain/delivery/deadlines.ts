/** How long a step may stay without a receipt before silence counts as its outcome. */
import { expiryMs } from '../channels/rcs/rcs.ts';
import type { Step } from './flow.ts';

/** Settings of the operator, in milliseconds. */
export interface DeadlineSettings {
  readonly textMs: number;
  readonly mmsMs: number;
  readonly messengerMs: number;
}

export function deadlineMs(step: Step, settings: DeadlineSettings): number {
  switch (step.channel) {
    case 'sms':
    case 'international':
      return settings.textMs;
    case 'mms':
      return settings.mmsMs;
    case 'rcs':
      return expiryMs(step.expiryOption);
    case 'alimtalk':
    case 'friendtalk':
    case 'brandmessage':
      return settings.messengerMs;
  }
}
