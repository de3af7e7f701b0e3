/**
 * An access token that is fetched once for all calls, kept, and fetched anew shortly before it expires. Its lifetime is a
 * duration measured by the monotonic clock: a wall clock that is set must neither end it nor keep an expired one.
 */
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { Pointer } from './pointer.ts';
import { parseJson } from './provider-answer.ts';

export type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  /** For people, without secrets. */
  | { readonly kind: 'none'; readonly reason: string };

/** A token is renewed this long before its end, or at nine tenths of a short lifetime. */
const MARGIN_MS = 60_000;

export class TokenSource {
  readonly #fetch: () => Promise<OutboundAnswer>;
  readonly #token: Pointer;
  readonly #expires: Pointer | undefined;
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  #kept: { readonly token: string; readonly renewAt: number } | undefined;
  #underWay: Promise<TokenResult> | undefined;

  constructor(options: {
    readonly fetch: () => Promise<OutboundAnswer>;
    readonly token: Pointer;
    readonly expires: Pointer | undefined;
    readonly lifetimeMs: number;
    readonly clock: Clock;
  }) {
    this.#fetch = options.fetch;
    this.#token = options.token;
    this.#expires = options.expires;
    this.#lifetimeMs = options.lifetimeMs;
    this.#clock = options.clock;
  }

  async get(): Promise<TokenResult> {
    const kept = this.#kept;
    if (kept && this.#clock.monotonic() < kept.renewAt) return { kind: 'token', token: kept.token };
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** The provider refused this token. One that was fetched since is not touched. */
  drop(token: string): void {
    if (this.#kept?.token === token) this.#kept = undefined;
  }

  async #renew(): Promise<TokenResult> {
    const answer = await this.#fetch();
    if (answer.kind === 'failed') return { kind: 'none', reason: `no token: ${answer.reason}` };
    const json = parseJson(answer.body);
    const token = this.#token.text(json);
    if (answer.status >= 300 || token === undefined) {
      return { kind: 'none', reason: `no token in the answer with status ${answer.status}` };
    }
    const seconds = Number(this.#expires?.text(json) ?? Number.NaN);
    const lifetimeMs = seconds > 0 ? seconds * 1000 : this.#lifetimeMs;
    const renewAt = this.#clock.monotonic() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs * 0.9);
    this.#kept = { token, renewAt };
    return { kind: 'token', token };
  }
}
