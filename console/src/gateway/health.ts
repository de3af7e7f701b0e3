import type { Finding } from '../../../src/operations/health.ts';
import { askMember } from './operations.ts';

/** The worst first. */
const VERDICTS: readonly Finding['verdict'][] = ['problem', 'warning', 'ok'];

/** What may need somebody now. */
export const readPressing = () => askMember('GET /doctor', 'findings', { scope: 'pressing' });

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
