/** The first step of an accepted message, as it is stored: in the queue, or claimed at once. */
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { NewMessage, NewRequest } from './port/message-store.ts';

export function firstStepOf(request: NewRequest, message: NewMessage): LiveStep {
  const { account, groupKey, traceparent, flow, deadlineAt, claim } = request;
  const { msgKey, to, words, route } = message;
  const ref = message.ref ?? request.ref;
  return {
    ...{ msgKey, account, to, words, ref, groupKey, traceparent, flow, deadlineAt },
    carrier: route.carrier,
    step: 0,
    state: claim ? 'submitting' : 'queued',
    attempt: claim ? 1 : 0,
    claim: claim?.claim,
    repeatUntil: undefined,
    parts: undefined,
    submittedAt: undefined,
  };
}
