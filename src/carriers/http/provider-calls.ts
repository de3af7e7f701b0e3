/** Calls to the provider with our authentication: Basic, token, signature. */
import { BASE32 } from '../../domain/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import { NOT_SENT, type Outbound, type OutboundAnswer } from '../../platform/outbound.ts';
import type { Randomness } from '../../platform/randomness.ts';
import { signatureHeaders } from '../../platform/standard-webhooks.ts';
import type { RenderedRequest } from './request-template.ts';
import type { Template } from './template.ts';
import type { TokenSource } from './token-source.ts';

export interface Credentials {
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  readonly signingSecrets: readonly string[];
  readonly token:
    | { readonly source: TokenSource; readonly header: string; readonly value: Template<string> }
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
    const answer = await this.#send(request, this.#tokenHeader(first.token), id);
    if (answer.kind === 'failed' || answer.status !== 401) return answer;
    // A 401 was surely not taken, so this one repetition cannot send anything twice.
    token.source.drop(first.token);
    const second = await token.source.get();
    return second.kind === 'none' ? answer : this.#send(request, this.#tokenHeader(second.token), id);
  }

  #send(request: RenderedRequest, tokenHeader: Record<string, string>, id?: string): Promise<OutboundAnswer> {
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
        ...tokenHeader,
        ...(isSigned && signatureHeaders(signingSecrets, signed, this.#clock.now())),
      },
    });
  }

  #tokenHeader(token: string): Record<string, string> {
    const { token: kept } = this.#credentials;
    return kept ? { [kept.header.toLowerCase()]: kept.value({ token }) ?? '' } : {};
  }

  #generatedId(): string {
    return this.#random.characters(GENERATED_ID_LENGTH, BASE32);
  }
}
