import { call } from './call.ts';

export interface Chaos {
  readonly errorRate: number;
  readonly dropRate: number;
  readonly extraLatencyMs: number;
}

export const readChaos = (signal: AbortSignal) => call<Chaos>('GET', '/simulator/chaos', { signal });
export const setChaos = (chaos: Chaos) => call<Chaos>('PUT', '/simulator/chaos', { body: chaos });
export const endChaos = () => call<Chaos>('DELETE', '/simulator/chaos');
