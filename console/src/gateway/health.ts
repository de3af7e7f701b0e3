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

/** Each with a key of its own: several may be about one carrier, and what they say changes while they last. */
export function keyed(findings: readonly Finding[]): readonly (readonly [key: string, finding: Finding])[] {
  const seen = new Map<string, number>();
  return findings.map(finding => {
    const about = `${finding.area} ${finding.about ?? ''}`;
    const count = seen.get(about) ?? 0;
    seen.set(about, count + 1);
    return [`${about} ${count}`, finding];
  });
}
