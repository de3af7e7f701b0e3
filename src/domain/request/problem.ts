import { RESULT_CODES, type ResultCode, statusOf } from './result-codes.ts';

/**
 * Why a request is refused, in words for the client: a code of the contract and a sentence that names the field
 * and the rule. Parsers return it as a value; it is the only failure whose text reaches a client.
 */
export class Problem {
  readonly code: ResultCode;
  readonly result: string;
  /** Differs from the code's own status only for unknown paths (404) and foreign content types (415). */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** It is not known whether the request was carried out. */
  readonly isInDoubt: boolean;

  constructor(
    code: ResultCode,
    result: string = RESULT_CODES[code].text,
    extra: { status?: number; retryAfterSeconds?: number; isInDoubt?: boolean } = {},
  ) {
    this.code = code;
    this.result = result;
    this.status = extra.status ?? statusOf(code);
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.isInDoubt = extra.isInDoubt ?? false;
  }
}
