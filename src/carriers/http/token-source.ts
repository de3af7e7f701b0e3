/**
 * An access token that is fetched once for all calls, kept, and fetched anew shortly before it expires. Its lifetime is a
 * duration measured by the monotonic clock: a wall clock that is set must neither end it nor keep an expired one.
 */
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';

export type TokenResult =
  | { readonly kind: 'token'; readonly token: string }
  /** For people, without secrets. */
  | { readonly kind: 'none'; readonly reason: string };

/** Reads the answer to a login. */
export type ReadToken = (
  answer: OutboundAnswer & { readonly kind: 'answered' },
) => { readonly token: string; readonly lifetimeMs: number } | { readonly reason: string };

/** A token is renewed this long before its end, or at nine tenths of a short lifetime. */
const MARGIN_MS = 60_000;

export class TokenSource {
  readonly #fetch: () => Promise<OutboundAnswer>;
  readonly #read: ReadToken;
  readonly #clock: Clock;
  #kept: { readonly token: string; readonly renewAt: number } | undefined;
  #underWay: Promise<TokenResult> | undefined;

  constructor(options: {
    readonly fetch: () => Promise<OutboundAnswer>;
    readonly read: ReadToken;
    readonly clock: Clock;
  }) {
    this.#fetch = options.fetch;
    this.#read = options.read;
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
    const read = this.#read(answer);
    if ('reason' in read) return { kind: 'none', reason: read.reason };
    const { token, lifetimeMs } = read;
    const renewAt = this.#clock.monotonic() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs * 0.9);
    this.#kept = { token, renewAt };
    return { kind: 'token', token };
  }
}
