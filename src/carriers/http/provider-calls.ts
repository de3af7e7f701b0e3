/** Calls to the provider with our authentication: Basic, token, signature. */
import { BASE32 } from '../../domain/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import { NOT_SENT, type Outbound, type OutboundAnswer } from '../../platform/outbound.ts';
import type { Randomness } from '../../platform/randomness.ts';
import { signatureHeaders } from '../../platform/standard-webhooks.ts';
import type { RenderedRequest } from './request-template.ts';
import type { TokenSource } from './token-source.ts';

export interface Credentials {
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  readonly signingSecrets: readonly string[];
  readonly token:
    | {
        readonly source: TokenSource;
        readonly headers: (token: string) => Readonly<Record<string, string>>;
        /** An answer that refuses the token, and surely did nothing else. */
        readonly isRefusal: (answer: OutboundAnswer & { readonly kind: 'answered' }) => boolean;
      }
    | undefined;
}

const GENERATED_ID_LENGTH = 26;

export class ProviderCalls {
  readonly #outbound: Outbound;
  readonly #credentials: Credentials;
  readonly #limits: { readonly timeoutMs: number; readonly maxBytes: number };
  readonly #clock: Clock;
  readonly #random: Randomness;

  constructor(deps: {
    readonly outbound: Outbound;
    readonly credentials: Credentials;
    readonly limits: { readonly timeoutMs: number; readonly maxBytes: number };
    readonly clock: Clock;
    readonly random: Randomness;
  }) {
    this.#outbound = deps.outbound;
    this.#credentials = deps.credentials;
    this.#limits = deps.limits;
    this.#clock = deps.clock;
    this.#random = deps.random;
  }

  /** `id` names the call in its signature; a call that is no attempt gets a generated one. */
  async call(request: RenderedRequest, id?: string): Promise<OutboundAnswer> {
    const { token } = this.#credentials;
    if (!token) return this.#send(request, {}, id);
    const first = await token.source.get();
    if (first.kind === 'none')
      return { kind: 'failed', isUnsent: true, timing: NOT_SENT, reason: first.reason };
    const answer = await this.#send(request, token.headers(first.token), id);
    if (answer.kind === 'failed' || !token.isRefusal(answer)) return answer;
    // It was surely not taken, so this one repetition cannot send anything twice.
    token.source.drop(first.token);
    const second = await token.source.get();
    return second.kind === 'none' ? answer : this.#send(request, token.headers(second.token), id);
  }

  #send(
    request: RenderedRequest,
    tokenHeaders: Readonly<Record<string, string>>,
    id?: string,
  ): Promise<OutboundAnswer> {
    const { basic, signingSecrets } = this.#credentials;
    const isSigned = signingSecrets.length > 0;
    const signed = { id: id ?? this.#generatedId(), body: request.body ?? '' };
    const login = basic && Buffer.from(`${basic.user}:${basic.password}`).toString('base64');
    return this.#outbound.call({
      ...request,
      ...this.#limits,
      headers: {
        ...request.headers,
        ...(login !== undefined && { authorization: `Basic ${login}` }),
        ...tokenHeaders,
        ...(isSigned && signatureHeaders(signingSecrets, signed, this.#clock.now())),
      },
    });
  }

  #generatedId(): string {
    return this.#random.characters(GENERATED_ID_LENGTH, BASE32);
  }
}
