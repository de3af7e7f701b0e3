/** A call from a provider to our HTTP server, and the carrier's answer to it. */

export interface CarrierCallback {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** Where the call came from. */
  readonly address: string;
  /** From the path, where the address of the callback was made for one attempt: its id, and the proof that we made it. */
  readonly attemptId?: string;
  readonly token?: string;
}

export interface CallbackAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}
