import { InvalidArgumentError } from 'commander';
import { type AccountId, parseAccountId } from '../domain/ids.ts';

/** The id of an account on the command line. Whether there is one is asked later. */
export function parseAccountArgument(value: string): AccountId {
  const id = parseAccountId(value);
  if (!id)
    throw new InvalidArgumentError('Expected 1 to 64 letters, digits, dots, dashes, underscores or @.');
  return id;
}
