/** What the sandbox prepares on its first start: a demo account and an operator's token, each told once. */
import { type AccountId, BASE32 } from '../domain/ids.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Store } from '../store/store.ts';
import { ADMIN_TOKEN_HASH, type OperatorAccess } from './access.ts';
import type { Accounts } from './accounts.ts';

export interface FirstStart {
  readonly demoId: string;
  /** Only when the account was created now. */
  readonly demoPassword: string | undefined;
  /** Only when it was generated now. */
  readonly adminToken: string | undefined;
  /** Signs in to the console once, within ten minutes. */
  readonly consoleCode: string;
}

const GENERATED_PASSWORD_LENGTH = 20;
const GENERATED_TOKEN_LENGTH = 32;

export async function prepareSandbox(deps: {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly operatorAccess: OperatorAccess;
  readonly random: Randomness;
  readonly demoAccount: { readonly id: string; readonly password: string } | undefined;
  readonly adminToken: string | undefined;
}): Promise<FirstStart> {
  const { store, accounts, operatorAccess, random, demoAccount } = deps;
  const id = (demoAccount?.id ?? 'demo') as AccountId;
  const exists = (await store.accounts.find(id)) !== undefined;
  const password = demoAccount?.password ?? random.characters(GENERATED_PASSWORD_LENGTH, BASE32);
  const isCreated = !exists && (await accounts.create(id, password));

  let adminToken: string | undefined;
  if (!deps.adminToken) {
    const generated = random.characters(GENERATED_TOKEN_LENGTH, BASE32);
    const kept = await store.accounts.remember(ADMIN_TOKEN_HASH, sha256(generated));
    if (kept === sha256(generated)) adminToken = generated;
  }
  return {
    demoId: id,
    demoPassword: isCreated ? password : undefined,
    adminToken,
    consoleCode: operatorAccess.issueCode(),
  };
}
