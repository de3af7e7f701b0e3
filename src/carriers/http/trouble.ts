import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import { SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import type { SubmitAnswer } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';

/** The carrier's own trouble: it says nothing about the message. */
export function troubleOf(channel: Channel, detail?: string, retryAfterMs?: number): SubmitAnswer {
  return {
    kind: 'temporary',
    reportCode: SILENCE_CODE[familyOf(channel)],
    isCarriersFault: true,
    ...(detail !== undefined && { detail: cleanText(detail) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
