import { read } from '../answers/question.ts';
import { call } from './call.ts';

export interface Chaos {
  readonly errorRate: number;
  readonly dropRate: number;
  readonly lateRate: number;
  readonly extraLatencyMs: number;
  readonly throttleAbove: number;
  readonly partLength: number;
  readonly partErrorRate: number;
}

export const readChaos = () => read<Chaos>('/simulator/chaos');
export const setChaos = (chaos: Chaos) => call<Chaos>('PUT', '/simulator/chaos', { body: chaos });
export const endChaos = () => call<Chaos>('DELETE', '/simulator/chaos');
