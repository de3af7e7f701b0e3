/** The placeholders of a submit: their names, and their values for one message. */
import type { FormatTime } from '../../platform/zoned-time.ts';
import type { Submission } from '../carrier.ts';
import { memberOf } from './pointer.ts';
import type { TemplateValues } from './template.ts';

/** Moments, in every request. */
export const TIME_NAMES = ['time.unix', 'time.unixMs', 'time.iso', 'time.local', 'time.date', 'time.compact'];

export const SUBMIT_NAMES = [
  'to',
  'to.digits',
  'to.international',
  'from',
  'text',
  'title',
  'attemptId',
  'attempt',
  'account',
  'channel',
  'callbackUrl',
  'media',
  'media.*',
  'message',
  'message.*',
  ...TIME_NAMES,
];

export function timeValues(now: number, formatTime: FormatTime): TemplateValues {
  const local = formatTime(now);
  const digits = local.slice(0, 19).replace(/\D/g, '');
  return {
    'time.unix': Math.floor(now / 1000),
    'time.unixMs': now,
    'time.iso': new Date(now).toISOString(),
    'time.local': local,
    'time.date': digits.slice(0, 8),
    'time.compact': digits,
  };
}

export function submitValues(
  { attemptId, account, to, attempt }: Submission,
  /** The message as it goes out: references to files may have been replaced. */
  message: unknown,
  more: TemplateValues,
): TemplateValues {
  return {
    to,
    'to.digits': to.replace(/\D/g, ''),
    'to.international': to.replace(/\D/g, '').replace(/^0/, '82'),
    // Messengers have the key of a profile in the place of the sender's number.
    from: memberOf(message, 'from') ?? memberOf(message, 'senderKey'),
    text: memberOf(message, 'text'),
    title: memberOf(message, 'title'),
    attemptId,
    attempt,
    account,
    channel: memberOf(message, 'channel'),
    message,
    ...more,
  };
}
