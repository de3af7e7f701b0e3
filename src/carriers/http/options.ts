/** What bongsu.yaml says of an HTTP provider. The texts are checked and compiled in provider.ts. */

type Texts = Readonly<Record<string, string>>;

/** A request as templates. At most one of `json` and `form`. */
export interface RequestOptions {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly query: Texts | undefined;
  readonly headers: Texts | undefined;
  readonly json: unknown;
  readonly form: Texts | undefined;
}

export interface TokenOptions extends RequestOptions {
  /** Pointer to the token in the answer. */
  readonly token: string;
  /** Pointer to the seconds it is valid. */
  readonly expires: string | undefined;
  /** Used where the answer does not tell. */
  readonly lifetime: number;
  readonly header: string;
  readonly value: string;
}

export interface AuthOptions {
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  readonly token: TokenOptions | undefined;
  readonly hmac: { readonly secrets: readonly string[] } | undefined;
}

export type OutcomeResult = 'accepted' | 'permanent' | 'temporary' | 'unknown';

export interface OutcomeOptions {
  readonly status: readonly string[] | undefined;
  readonly pointer: string | undefined;
  readonly equals: readonly string[] | undefined;
  /** Regular expressions, in which a dot is any character. */
  readonly matches: string | undefined;
  readonly result: OutcomeResult;
  readonly id: string | undefined;
  readonly idMatches: string | undefined;
  readonly reportCode: string | undefined;
  /** Pointer to the provider's code, which `reportCodes` of the carrier turns into ours. */
  readonly code: string | undefined;
  /** Pointer to the provider's words, for people. */
  readonly says: string | undefined;
  readonly retryAfter: string | undefined;
  readonly carriersFault: boolean;
}

export interface ReceiptOptions {
  readonly id: string | undefined;
  readonly attemptId: string | undefined;
  readonly status: string;
  readonly statuses: Texts;
  readonly code: string | undefined;
  readonly reportCode: string;
  readonly network: string | undefined;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly userType: string | undefined;
}

export interface CallbackOptions {
  readonly hmac: { readonly secrets: readonly string[] } | undefined;
  readonly token:
    | { readonly header: string | undefined; readonly query: string | undefined; readonly value: string }
    | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly urlSecret: string | undefined;
  readonly publicUrl: string | undefined;
  readonly list: string | undefined;
  readonly reply:
    | { readonly status: number; readonly json: unknown; readonly text: string | undefined }
    | undefined;
}

/** Messages of people. The checks are those of callbacks. */
export interface InboundOptions extends Omit<CallbackOptions, 'urlSecret' | 'publicUrl'> {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export interface PollingOptions extends RequestOptions {
  readonly interval: number;
  readonly idleInterval: number;
  readonly list: string;
  readonly batch: string | undefined;
  readonly ok: { readonly pointer: string; readonly equals: readonly string[] } | undefined;
  readonly acknowledge: RequestOptions | undefined;
}

export interface MediaOptions extends RequestOptions {
  readonly multipart: Texts | undefined;
  /** Pointer to the provider's id of the file. */
  readonly id: string;
  readonly reference: string;
  readonly lifetime: number;
}

export interface HttpCarrierOptions {
  readonly window: number;
  readonly rate: number;
  readonly receiptsOf: readonly string[];
  readonly timeout: number;
  readonly maxAnswerBytes: number;
  readonly allowPrivate: boolean;
  readonly ca: string | undefined;
  readonly auth: AuthOptions | undefined;
  readonly submit: RequestOptions;
  /** By channel: what differs from `submit`. Only these channels are carried. */
  readonly channels: Readonly<Record<string, RequestOptions>>;
  readonly idempotencyHeader: string | undefined;
  readonly repeatable: boolean;
  /** How long the provider remembers an attempt id. */
  readonly repeatableFor: number;
  readonly outcomes: readonly OutcomeOptions[];
  readonly reportCodes: Texts;
  readonly receipt: ReceiptOptions | undefined;
  readonly callback: CallbackOptions | undefined;
  readonly inbound: InboundOptions | undefined;
  readonly polling: PollingOptions | undefined;
  readonly media: MediaOptions | undefined;
  readonly breaker: { readonly failures: number; readonly pause: number; readonly longestPause: number };
  readonly test: RequestOptions | undefined;
}
