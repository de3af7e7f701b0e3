/** The account that somebody names, for callers who may know whether it exists: operators, not clients. */
import type { Account } from '../domain/account/account.ts';
import { type AccountId, parseAccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';

export async function knownAccount(
  accounts: { find(id: AccountId): Promise<Account | undefined> },
  given: string | undefined,
): Promise<Account | Problem> {
  const id = parseAccountId(given ?? '');
  const account = id && (await accounts.find(id));
  return account ?? new Problem('A300', `There is no account "${given}"`, { status: 404 });
}
