/** The send request that would produce a stored message, for repeating it or understanding it. */
import { channelOf } from '../channels/channel-table.ts';
import type { Flow } from '../delivery/flow.ts';
import type { MsgKey } from '../ids.ts';
import type { Words } from '../text/substitution.ts';
import { RESULT_CODES } from './result-codes.ts';

export interface SentMessage {
  readonly msgKey: MsgKey;
  readonly to: string;
  readonly words: Words | undefined;
  readonly ref: string | undefined;
  readonly groupKey?: string | undefined;
  readonly paymentCode: string | undefined;
  readonly flow: Flow;
}

export interface EquivalentRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A single send where that can express everything, else a combined send to this recipient. */
export function equivalentRequest(message: SentMessage): EquivalentRequest {
  const { to, words, ref, groupKey, paymentCode, flow } = message;
  const [step] = flow;
  const about = { ...(ref !== undefined && { ref }), ...(groupKey !== undefined && { groupKey }) };
  if (step && isSingle(message)) {
    return {
      method: 'POST',
      path: `/v1/send/${step.channel}`,
      body: { to, ...channelOf(step).request.write(step), ...about },
    };
  }
  const body = {
    destinations: [{ to, ...(words && { replaceWords: words }) }],
    messageFlow: flow.map(each => ({ [each.channel]: channelOf(each).request.write(each) })),
    ...(paymentCode !== undefined && { paymentCode }),
    ...about,
  };
  return { method: 'POST', path: '/v1/send/omni', body };
}

/** The answer to that request. */
export function equivalentResponse(message: SentMessage): Readonly<Record<string, unknown>> {
  const { msgKey, to, ref } = message;
  const success = { code: 'A000', result: RESULT_CODES.A000.text };
  const about = { ...(ref !== undefined && { ref }) };
  if (isSingle(message)) return { ...success, msgKey, ...about };
  return { ...success, data: { destinations: [{ to, msgKey, ...success }] }, ...about };
}

function isSingle({ words, paymentCode, flow }: SentMessage): boolean {
  const [step] = flow;
  if (step === undefined || flow.length > 1 || words || paymentCode !== undefined) return false;
  return channelOf(step).request.fitsSingleSend(step);
}
