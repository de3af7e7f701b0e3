import { read } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export interface Node {
  readonly node: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly state: 'running' | 'draining' | 'drained' | 'gone';
  readonly startedAt: string | null;
  readonly since: string | null;
  /** How far its clock is ahead of the clock of the database. */
  readonly clockSkewMs: number | null;
  readonly isClockWrong: boolean;
  readonly inFlight: number;
  readonly carriers: readonly string[];
}

export interface Drift {
  readonly kind: 'version' | 'mode' | 'setting' | 'dataKeys' | 'carrier' | 'routes';
  /** The setting or the carrier. */
  readonly name: string;
  readonly groups: readonly (readonly string[])[];
}

export const listNodes = () =>
  read<{ readonly nodes: readonly Node[]; readonly drift: readonly Drift[] }>('/nodes');

export const drainNode = (name: string) => call<void>('POST', pathOf('nodes', name, 'drain'));
export const forgetNode = (name: string) => call<void>('POST', pathOf('nodes', name, 'forget'));
export const resumeNode = (name: string) => call<void>('POST', pathOf('nodes', name, 'resume'));
