/** What bongsu.yaml says of a service that speaks our contract. */
import type { LinkOptions } from '../http/provider-link.ts';

export interface OmniOptions extends LinkOptions {
  readonly breaker: { readonly failures: number; readonly pause: number; readonly longestPause: number };
  readonly url: string;
  readonly account: string;
  readonly password: string;
  readonly headerPrefix: string;
  readonly channels: readonly string[] | undefined;
  readonly rate: number;
  readonly receiptsOf: readonly string[];
  /** Messages in one call. */
  readonly gather: number;
  readonly repeatable: boolean;
  readonly repeatableFor: number;
  readonly timeout: number;
  readonly interval: number;
  readonly idleInterval: number;
}

/** The address that paths are appended to, however it was written. */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
