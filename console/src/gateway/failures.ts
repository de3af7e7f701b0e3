import { read } from '../answers/question.ts';

export const DIMENSIONS = ['code', 'channel', 'carrier', 'account'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface FailureDay {
  readonly day: string;
  readonly messages: number;
  readonly failed: number;
}

export interface FailureGroup extends Partial<Record<Dimension, string>> {
  readonly reportText?: string;
  readonly advice?: string;
  readonly failed: number;
  /** Of all that failed on the day. */
  readonly share: number;
  /** Of all messages: on the day, and on the days before it. */
  readonly rate: number;
  readonly usualRate: number;
  readonly days: readonly number[];
}

export interface FailureDesk {
  readonly day: string;
  readonly today: string;
  readonly from: string;
  readonly until: string;
  readonly countedUntil: string | null;
  readonly days: readonly FailureDay[];
  readonly groups: readonly FailureGroup[];
  readonly left: { readonly groups: number; readonly failed: number };
}

export const readFailures = (query: {
  readonly day: string;
  readonly account: string;
  readonly by: string;
}) => read<FailureDesk>('/failures', query);
