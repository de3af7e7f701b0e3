import { readMember } from '../answers/question.ts';

export const VERDICTS = ['problem', 'warning', 'ok'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  readonly area: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** What to do; empty if there is nothing to do. */
  readonly advice: string;
  /** The carrier, account or node that it is about, by its area. */
  readonly about: string | null;
  readonly since: string | null;
  /** What it keeps from happening; empty if that is not known. */
  readonly effect: string;
}

/** What may need somebody now. */
export const readPressing = () =>
  readMember<readonly Finding[]>('/doctor', 'findings', { scope: 'pressing' });

/** What is wrong, worst first, and of that what has lasted longest first. */
export function wrongIn(findings: readonly Finding[]): readonly Finding[] {
  const beganAt = ({ since }: Finding) => (since === null ? Number.POSITIVE_INFINITY : Date.parse(since));
  return findings
    .filter(({ verdict }) => verdict !== 'ok')
    .toSorted(
      (one, other) =>
        VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict) ||
        (beganAt(one) < beganAt(other) ? -1 : beganAt(one) > beganAt(other) ? 1 : 0),
    );
}
