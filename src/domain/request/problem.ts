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
    extra: {
      readonly status?: number;
      readonly retryAfterSeconds?: number | undefined;
      readonly isInDoubt?: boolean;
    } = {},
  ) {
    this.code = code;
    this.result = result;
    this.status = extra.status ?? statusOf(code);
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.isInDoubt = extra.isInDoubt ?? false;
  }

  /** The same about a field that the client called something else. A sentence about a field begins with its name in quotes. */
  renamed(nameOf: (field: string) => string): Problem {
    const [quoted, field] = /^"([^"]+)"/.exec(this.result) ?? [];
    if (quoted === undefined || field === undefined) return this;
    return new Problem(this.code, `"${nameOf(field)}"${this.result.slice(quoted.length)}`, this);
  }
}
