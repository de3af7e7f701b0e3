import { Problem } from '../domain/request/problem.ts';
import { StoreFault } from './store-fault.ts';

/** A store that is away or busy is worth another try soon. */
const RETRY_AFTER = { retryAfterSeconds: 1 };

/** What to answer when the store did not do as it was asked; undefined if the error is none of the store's. */
export function problemOfFault(error: unknown): Problem | undefined {
  if (!(error instanceof StoreFault)) return undefined;
  return error.outcome === 'didNotHappen'
    ? new Problem('A920', undefined, RETRY_AFTER)
    : new Problem('A920', 'It is not known whether this was done: look before it is repeated', RETRY_AFTER);
}

export function unknownProblem(text: string): Problem {
  return new Problem('A920', text, RETRY_AFTER);
}
