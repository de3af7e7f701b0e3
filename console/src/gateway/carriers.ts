import { call, pathOf } from './call.ts';

export interface Carrier {
  readonly name: string;
  readonly kind: string;
  readonly node?: string;
  readonly state: 'connecting' | 'up' | 'slowed' | 'down';
  readonly detail?: string | null;
  readonly since?: string;
  readonly paused: boolean;
  readonly channels: readonly string[];
  readonly window: number;
  readonly inFlight: number;
  readonly rate: number | null;
  /** The rate that the carrier was measured to take; null while it takes all that the settings allow. */
  readonly foundRate: number | null;
  readonly throttled: number;
  /** Until when its breaker lets nothing through; null while it is closed. */
  readonly breakerOpenUntil: string | null;
  /** A setting that looks wrong, with a suggestion. */
  readonly hint: string | null;
  readonly sent: { accepted: number; permanent: number; temporary: number; unknown: number };
}

export const listCarriers = (signal: AbortSignal) =>
  call<{ carriers: readonly Carrier[] }>('GET', '/carriers', { signal });

export const pauseCarrier = (name: string) => call<void>('POST', pathOf('carriers', name, 'pause'));
export const resumeCarrier = (name: string) => call<void>('POST', pathOf('carriers', name, 'resume'));
export const testCarrier = (name: string) =>
  call<{ isOk: boolean; detail: string }>('POST', pathOf('carriers', name, 'test'));

export interface Route {
  readonly index: number;
  readonly channel: string | readonly string[] | null;
  readonly prefix: string | readonly string[] | null;
  readonly account: string | readonly string[] | null;
  readonly weight: number | null;
  readonly via: readonly string[];
}

export const listRoutes = (signal: AbortSignal) =>
  call<{ routes: readonly Route[]; otherwise: string | null }>('GET', '/routes', { signal });

export interface Explanation {
  readonly carrier: string | null;
  readonly why: string;
  readonly considered: readonly { readonly route: number; readonly matches: boolean; readonly why: string }[];
}

export const explainRoute = (query: { channel: string; to: string; account: string }) =>
  call<Explanation>('GET', '/routes/explain', { query });
