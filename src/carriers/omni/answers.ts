/** What the service said of each message of a call. */
import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import { SILENCE_CODE } from '../../domain/reports/report-codes.ts';
import { isSameNumber } from '../../domain/request/phone-number.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { Submission, SubmitAnswer } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { troubleOf } from '../http/trouble.ts';
import { type Answered, type Envelope, meaningOf, resultIn } from './envelope.ts';
import { refusalCode } from './refusal-codes.ts';
import type { SendForm } from './send-request.ts';

/** A message key fit to be kept; one that is too long would be another's when cut. */
const LONGEST_KEY = 200;

/** The answers to a call that was taken, one for each submission: each destination has a code of its own. */
export function answersOf(
  submissions: readonly Submission[],
  { json }: Envelope,
  form: SendForm,
  answer: Answered,
  now: number,
): readonly SubmitAnswer[] {
  if (form.kind === 'single') return [acceptedAs(memberOf(json, 'msgKey'))];
  const list = memberOf(memberOf(json, 'data'), 'destinations');
  const destinations: readonly unknown[] = Array.isArray(list) ? list : [];
  return submissions.map(({ to, message }, index) => {
    const own = destinationOf(destinations, to, index);
    const result = resultIn(own);
    if (!result) return { kind: 'unknown', fault: 'the answer of the service has no result for a recipient' };
    const meaning = meaningOf(result.code);
    if (meaning === 'taken') return acceptedAs(memberOf(own, 'msgKey'));
    return answerTo({ ...result, meaning }, message.channel, answer, now);
  });
}

/** The answer for a message that was not taken. */
export function answerTo(
  { meaning, code, says }: Pick<Envelope, 'meaning' | 'code' | 'says'>,
  channel: Channel,
  { status, headers }: Answered,
  now: number,
): SubmitAnswer {
  const silence = SILENCE_CODE[familyOf(channel)];
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], now);
  const later = { ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const asked = { ...(status === 503 && retryAfterMs !== undefined && { pauseMs: retryAfterMs }) };
  switch (meaning) {
    case 'throttled':
      return { kind: 'temporary', reportCode: silence, isCarriersFault: true, isThrottled: true, ...later };
    case 'token':
    case 'account':
    case 'trouble':
      return troubleOf(channel, says, retryAfterMs);
    case 'file':
      return { kind: 'temporary', reportCode: silence, detail: says, ...later };
    case 'failed': {
      const fault = { ...(status >= 500 && { fault: `the service answered ${says}` }) };
      return { kind: 'temporary', reportCode: silence, detail: says, ...fault, ...later, ...asked };
    }
    case 'message':
      return { kind: 'permanent', reportCode: refusalCode(code, channel), detail: says };
    case 'taken':
    case 'repeated':
      return { kind: 'unknown' };
    case 'unknown':
      return { kind: 'unknown', fault: 'the answer of the service cannot be read', ...asked };
  }
}

/** The part of the answer about one recipient: at its place, or wherever its number is. */
function destinationOf(destinations: readonly unknown[], to: string, index: number): unknown {
  const isOurs = (destination: unknown) => {
    const given = textOf(memberOf(destination, 'to'));
    return given !== undefined && isSameNumber(given, to);
  };
  const inPlace = destinations[index];
  return isOurs(inPlace) ? inPlace : destinations.find(isOurs);
}

/** Taken under a name that we cannot keep: its report will tell ours. */
function acceptedAs(msgKey: unknown): SubmitAnswer {
  const key = textOf(msgKey);
  const ref = key === undefined || key.length > LONGEST_KEY ? '' : cleanText(key);
  if (ref === '') return { kind: 'unknown', fault: 'the answer of the service has no msgKey' };
  return { kind: 'accepted', refs: [ref] };
}
