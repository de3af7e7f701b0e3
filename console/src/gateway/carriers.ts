import { read, readMember } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export interface Carrier {
  readonly name: string;
  readonly kind: string;
  readonly node?: string;
  readonly state: 'connecting' | 'up' | 'full' | 'waiting' | 'slowed' | 'down' | 'gone';
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
  /** Until when it rests after faults; null while it does not. */
  readonly breakerOpenUntil: string | null;
  /** A setting that looks wrong, with a suggestion. */
  readonly hint: string | null;
  readonly sent: { accepted: number; permanent: number; temporary: number; unknown: number };
}

export const listCarriers = () => readMember<readonly Carrier[]>('/carriers', 'carriers');

export const pauseCarrier = (name: string) => call<void>('POST', pathOf('carriers', name, 'pause'));
export const resumeCarrier = (name: string) => call<void>('POST', pathOf('carriers', name, 'resume'));
export const reconnectCarrier = (name: string) => call<void>('POST', pathOf('carriers', name, 'reconnect'));
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

export const listRoutes = () =>
  read<{ readonly routes: readonly Route[]; readonly otherwise: string | null }>('/routes');

export interface Explanation {
  readonly carrier: string | null;
  readonly why: string;
  readonly considered: readonly { readonly route: number; readonly matches: boolean; readonly why: string }[];
}

export const explainRoute = (query: { channel: string; to: string; account: string }) =>
  call<Explanation>('GET', '/routes/explain', { query });
