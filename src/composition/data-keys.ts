/**
 * The data keys of this process: what the setting gives, against what the store needs and the other nodes have. A gateway
 * that could not read what is stored, or would store what the others cannot read, does not start.
 */
import type { Config } from '../config/config.ts';
import { createVault, PLAIN, type Vault } from '../platform/vault.ts';
import type { Store } from '../store/store.ts';

/** A sentence for the operator. */
class DataKeyProblem extends Error {
  override name = 'DataKeyProblem';
  /** Expected: shown without a stack. */
  readonly code = 'DATA_KEY';
}

export function vaultOf(config: Config): Vault | undefined {
  const keys = config.secrets.dataKeys?.reveal();
  return keys && createVault(keys);
}

/** Of a store that was just opened, before anything of it is read. */
export async function assertDataKeys(store: Store): Promise<void> {
  const { own } = store.dataKeys;
  const known = await store.dataKeys.known();
  const missing = known.filter(id => !own.includes(id));
  if (missing.length > 0) {
    const keys = missing.length === 1 ? `the data key ${missing[0]}` : `the data keys ${missing.join(', ')}`;
    const given = own.filter(name => name !== PLAIN);
    const has = given.length > 0 ? `has ${given.join(', ')}` : 'is not set';
    throw new DataKeyProblem(
      `the store has values that are sealed with ${keys}, and BONGSU_DATA_KEY ${has}: add what is missing (docs/data-key.md)`,
    );
  }
}

/** Before anything is sealed. */
export async function claimDataKey(store: Store, now: number): Promise<void> {
  const [sealing = PLAIN] = store.dataKeys.own;
  if (sealing === PLAIN) return;
  await assertOthersHave(sealing, store);
  const known = await store.dataKeys.known();
  if (!known.includes(sealing)) await store.dataKeys.add(sealing, now);
}

/** Every living node must be able to read what this process seals. */
async function assertOthersHave(sealing: string, store: Store): Promise<void> {
  const without = (await store.nodes.list()).filter(({ profile }) => !profile.dataKeys?.includes(sealing));
  if (without.length === 0) return;
  throw new DataKeyProblem(
    `${without.map(({ node }) => node).join(', ')} could not read what is sealed with the data key ${sealing}: ` +
      'first add the key at the end of BONGSU_DATA_KEY on every node (docs/data-key.md)',
  );
}
