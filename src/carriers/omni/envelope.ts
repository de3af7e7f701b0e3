/**
 * The result envelope of every answer, and what its code means to us.
 *
 *   taken      A000
 *   token      A001, A002         it was refused before anything else was looked at
 *   throttled  A020, 429          it takes less than we send
 *   account    A1xx, A320         our account there, or its quota: every call would be refused
 *   file       A217               a file key that it no longer knows
 *   repeated   A301               this Idempotency-Key was used before, so an earlier try was taken
 *   failed     A910, A999         an error of its own at this message or file; nothing was accepted. So are refusals with
 *                                 status 500 and above: A214, A215
 *   trouble    A8xx, A9xx         it cannot take anything now
 *   message    all others         refused for what it is
 *   unknown    no answer of the contract, so nobody knows what was done
 */
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { shownWords } from '../clean-text.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { parseJson } from '../http/provider-answer.ts';

export type Answered = OutboundAnswer & { readonly kind: 'answered' };

export type Meaning =
  | 'taken'
  | 'token'
  | 'throttled'
  | 'account'
  | 'file'
  | 'repeated'
  | 'failed'
  | 'trouble'
  | 'message'
  | 'unknown';

export interface Envelope {
  readonly meaning: Meaning;
  /** Empty where the answer has none. */
  readonly code: string;
  /** The code and the text, for people. */
  readonly says: string;
  /** The whole answer. */
  readonly json: unknown;
}

const CODE = /^[A-Z]\d{3}$/;

export function envelopeOf({ status, body }: Answered): Envelope {
  const json = parseJson(body);
  const result = resultIn(json);
  if (!result) return { meaning: meaningOfStatus(status), code: '', says: `status ${status}`, json };
  // A success that does not travel as one is somebody else's answer.
  const isOdd = result.code === 'A000' && status !== 200;
  if (isOdd) return { ...result, meaning: 'unknown', json };
  const meaning = meaningOf(result.code);
  return { ...result, meaning: meaning === 'message' && status >= 500 ? 'failed' : meaning, json };
}

/** Code and text of an answer, or of one destination within it. */
export function resultIn(value: unknown): { readonly code: string; readonly says: string } | undefined {
  const code = textOf(memberOf(value, 'code'));
  if (code === undefined || !CODE.test(code)) return undefined;
  return { code, says: `${code} ${shownWords(textOf(memberOf(value, 'result')) ?? '')}`.trim() };
}

export function meaningOf(code: string): Meaning {
  switch (code) {
    case 'A000':
      return 'taken';
    case 'A001':
    case 'A002':
      return 'token';
    case 'A020':
      return 'throttled';
    case 'A217':
      return 'file';
    case 'A301':
      return 'repeated';
    case 'A320':
      return 'account';
    case 'A910':
    case 'A999':
      return 'failed';
  }
  if (code.startsWith('A1')) return 'account';
  return /^A[89]/.test(code) ? 'trouble' : 'message';
}

/** Without an envelope something before the service has answered: a refusal by it never reached the service. */
function meaningOfStatus(status: number): Meaning {
  if (status === 429) return 'throttled';
  return status >= 400 && status < 500 && status !== 408 ? 'trouble' : 'unknown';
}
