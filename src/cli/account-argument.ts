import { InvalidArgumentError } from 'commander';
import { type AccountId, parseAccountId } from '../domain/ids.ts';

/** The id of an account as an argument. Only its form is checked here, not whether the account exists. */
export function parseAccountArgument(value: string): AccountId {
  const id = parseAccountId(value);
  if (!id)
    throw new InvalidArgumentError('Expected 1 to 64 letters, digits, dots, dashes, underscores or @.');
  return id;
}
