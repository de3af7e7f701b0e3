/** What `doctor` finds: an area, how bad it is, what was found, and what to do about it. */

import type { Finding } from '../operations/health.ts';

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
