import { Problem } from '../domain/request/problem.ts';
import { StoreFault } from './store-fault.ts';

/** A store that is away or busy is worth another try soon. */
const RETRY_AFTER = { retryAfterSeconds: 1 };

/** What to answer when a call of the store failed; undefined for any other error. */
export function problemOfFault(error: unknown): Problem | undefined {
  if (!(error instanceof StoreFault)) return undefined;
  return error.outcome === 'didNotHappen'
    ? new Problem('A920', undefined, RETRY_AFTER)
    : unknownProblem('It is not known whether this was done: check before you repeat the request');
}

export function unknownProblem(text: string): Problem {
  return new Problem('A920', text, { ...RETRY_AFTER, isInDoubt: true });
}
