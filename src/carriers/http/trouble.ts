import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import { SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import type { SubmitAnswer } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import type { FailedUpload } from './media-uploads.ts';

/** A message waits so long for a file that our own store does not give now. */
const FILE_AWAY_MS = 5_000;

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

/** The answer for a message that was not sent because one of its files could not be uploaded. */
export function answerWithout(upload: FailedUpload, channel: Channel): SubmitAnswer {
  const { cause, reason, retryAfterMs, isThrottled, isShared } = upload;
  switch (cause) {
    case 'file':
      return {
        ...{ kind: 'temporary', reportCode: SILENCE_CODE[familyOf(channel)] },
        detail: cleanText(reason),
      };
    case 'provider':
      return {
        ...troubleOf(channel, reason, retryAfterMs),
        ...(isThrottled && { isThrottled }),
        ...(isShared && { isToldBefore: true }),
      };
    case 'ours':
      // No attempt is counted, and the carrier is not blamed.
      return { ...troubleOf(channel, reason, FILE_AWAY_MS), isToldBefore: true };
  }
}
