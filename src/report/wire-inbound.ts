/** An inbound message as accounts get it: in batches, by webhook, in the history. */
import type { InboundMessage } from '../domain/inbound/inbound.ts';
import type { FormatTime } from '../platform/zoned-time.ts';

export interface WireInbound {
  readonly msgKey: string;
  readonly serviceType: 'MO';
  readonly msgType: 'SM';
  readonly to: string;
  readonly from: string;
  readonly originator: string;
  readonly content: string;
  readonly occurredTime: string;
}

/** Of a sender no other number is known than the handset's. */
export function wireInbound(message: InboundMessage, formatTime: FormatTime): WireInbound {
  const { msgKey, to, from, text = '', receivedAt } = message;
  return {
    msgKey,
    serviceType: 'MO',
    msgType: 'SM',
    to,
    from,
    originator: from,
    content: text,
    occurredTime: formatTime(receivedAt),
  };
}
