/**
 * Calls to the service with our token. One login at a time; the token is renewed before it ends, and once when it is
 * refused. A code that concerns our whole account there is told at once, whichever call brought it.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../platform/outbound.ts';
import type { Randomness } from '../../platform/randomness.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { ProviderCalls } from '../http/provider-calls.ts';
import { type ReadToken, type TokenResult, TokenSource } from '../http/token-source.ts';
import { type Answered, envelopeOf } from './envelope.ts';
import { baseOf, type OmniOptions } from './options.ts';

export interface SessionRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the address of the service. */
  readonly path: string;
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes with the type in the headers; for files. */
  readonly body?: Buffer;
}

/** A thousand reports, each with a reference of 200 characters, have less. */
const LONGEST_ANSWER = 4_000_000;
const LONGEST_REFUSAL = 4_000;
const DAY_MS = 86_400_000;
/** Where the answer names no moment, or one that has passed. */
const SHORT_LIFETIME_MS = 3_600_000;

export class OmniSession {
  readonly #base: string;
  readonly #clock: Clock;
  readonly #calls: ProviderCalls;
  readonly #token: TokenSource;
  readonly #accountRefused: (says: string) => void;
  #clockDifferenceMs: number | undefined;

  constructor(deps: {
    readonly options: OmniOptions;
    readonly outbound: Outbound;
    readonly clock: Clock;
    readonly random: Randomness;
    /** The service refuses our account: in their words. */
    readonly accountRefused: (says: string) => void;
  }) {
    const { options, outbound, clock, random } = deps;
    const { account, password, headerPrefix } = options;
    this.#base = baseOf(options.url);
    this.#clock = clock;
    this.#accountRefused = deps.accountRefused;
    const limits = { timeoutMs: options.timeout, maxBytes: LONGEST_ANSWER };
    const shared = { clock, random, limits, outbound };
    const login = new ProviderCalls({
      ...shared,
      credentials: { basic: undefined, signingSecrets: [], token: undefined },
    });
    const headers = {
      accept: 'application/json',
      [`x-${headerPrefix}-client-id`.toLowerCase()]: account,
      [`x-${headerPrefix}-client-passwd`.toLowerCase()]: password,
    };
    this.#token = new TokenSource({
      clock,
      fetch: () => login.call({ method: 'POST', url: `${this.#base}/v1/auth/token`, headers }),
      read: answer => this.#readToken(answer),
    });
    this.#calls = new ProviderCalls({
      ...shared,
      credentials: {
        basic: undefined,
        signingSecrets: [],
        token: {
          source: this.#token,
          headers: authorization => ({ authorization }),
          isRefusal: answer => isBrief(answer) && envelopeOf(answer).meaning === 'token',
        },
      },
    });
  }

  /** How far their clock is ahead of ours, by the last answer that told. */
  get clockDifferenceMs(): number | undefined {
    return this.#clockDifferenceMs;
  }

  /** The time by their clock, as far as it is known. */
  theirNow(): number {
    return this.#clock.now() + (this.#clockDifferenceMs ?? 0);
  }

  login(): Promise<TokenResult> {
    return this.#token.get();
  }

  async call({ method, path, json, headers, body }: SessionRequest): Promise<OutboundAnswer> {
    const request: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'> = {
      method,
      url: `${this.#base}${path}`,
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((json ?? body) !== undefined && { body: json ?? body }),
    };
    const answer = await this.#calls.call(request);
    if (answer.kind === 'answered') {
      this.#noteClock(answer);
      if (isBrief(answer)) this.#tellRefusal(answer);
    }
    return answer;
  }

  #tellRefusal(answer: Answered): void {
    const { meaning, says } = envelopeOf(answer);
    if (meaning === 'account') this.#accountRefused(says);
  }

  #readToken(answer: Answered): ReturnType<ReadToken> {
    this.#noteClock(answer);
    const { meaning, says, json } = envelopeOf(answer);
    if (meaning === 'account') this.#accountRefused(says);
    const data = memberOf(json, 'data');
    const token = textOf(memberOf(data, 'token'));
    if (meaning !== 'taken' || token === undefined) return { reason: `no token: ${says}` };
    const schema = textOf(memberOf(data, 'schema')) ?? 'Bearer';
    // By their clock, not by ours: either may be wrong.
    const leftMs = Date.parse(textOf(memberOf(data, 'expired')) ?? '') - this.theirNow();
    const lifetimeMs = leftMs > 0 ? Math.min(leftMs, DAY_MS) : SHORT_LIFETIME_MS;
    return { token: `${schema} ${token}`, lifetimeMs };
  }

  #noteClock({ headers }: Answered): void {
    const theirs = Date.parse(headers.date ?? '');
    if (!Number.isNaN(theirs)) this.#clockDifferenceMs = theirs - this.#clock.now();
  }
}

/** A refusal is an envelope and nothing more. A batch of reports is read once, by who asked for it. */
function isBrief({ body }: Answered): boolean {
  return body.length <= LONGEST_REFUSAL;
}
