import type { Step } from './flow.ts';

/** Who a step is from, as recipients and reports know it: a number or a sender profile; '' once its text is removed. */
export function senderOf(step: Step): string {
  if ('senderKey' in step) return step.senderKey;
  return 'from' in step && typeof step.from === 'string' ? step.from : '';
}
