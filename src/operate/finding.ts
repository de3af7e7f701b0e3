/** What `doctor` finds: an area, how bad it is, what was found, and what to do about it. */

export const AREAS = [
  'configuration',
  'certificate',
  'store',
  'durability',
  'disk',
  'clock',
  'nodes',
  'carriers',
  'webhooks',
  'forms',
  'queue',
] as const;
export type Area = (typeof AREAS)[number];

export const VERDICTS = ['ok', 'warning', 'problem'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  readonly area: Area;
  readonly verdict: Verdict;
  readonly detail: string;
  /** What to do; empty if there is nothing to do. */
  readonly advice: string;
  /** The carrier, account or node that it is about; null if it is about none. */
  readonly about: string | null;
  /** Since when; null if that is not known. */
  readonly since: string | null;
  /** What does not happen because of it; empty if that is not known. */
  readonly effect: string;
}

type Context = Pick<Finding, 'about' | 'since' | 'effect'>;

/** A finding of one check, which knows its area. */
export type CheckResult = Omit<Finding, 'area' | keyof Context> & Partial<Context>;

/** Findings of an area that are listed; the rest is counted. */
export const MOST_LISTED = 20;

export function ok(detail: string): CheckResult {
  return { verdict: 'ok', detail, advice: '' };
}

export function warning(detail: string, advice: string, context: Partial<Context> = {}): CheckResult {
  return { verdict: 'warning', detail, advice, ...context };
}

export function problem(detail: string, advice: string, context: Partial<Context> = {}): CheckResult {
  return { verdict: 'problem', detail, advice, ...context };
}

export function shortened(results: readonly CheckResult[]): readonly CheckResult[] {
  const rest = results.length - MOST_LISTED;
  return rest <= 0
    ? results
    : [...results.slice(0, MOST_LISTED), warning(`There are ${rest} more such findings`, '')];
}
