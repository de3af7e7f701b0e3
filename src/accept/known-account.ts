/** The account that somebody names, for callers who may know whether it exists: operators, not clients. */
import type { Account } from '../domain/account/account.ts';
import { parseAccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { AccountStore } from '../store/store.ts';

export async function knownAccount(
  accounts: Pick<AccountStore, 'find'>,
  given: string | undefined,
): Promise<Account | Problem> {
  const id = parseAccountId(given ?? '');
  const account = id && (await accounts.find(id));
  return account ?? new Problem('A300', `There is no account "${given}"`, { status: 404 });
}
