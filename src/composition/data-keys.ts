/**
 * The data keys of this process: what the setting gives, against what the store needs and the other nodes have. A gateway
 * that could not read what is stored, or would store what the others cannot or must not read, does not start.
 */
import type { Config } from '../config/config.ts';
import { DataKeyProblem } from '../operate/data-keys.ts';
import { createVault, PLAIN, type Vault } from '../platform/vault.ts';
import type { Store } from '../store/store.ts';

export function vaultOf(config: Config): Vault | undefined {
  const keys = config.secrets.dataKeys?.reveal();
  return keys && createVault(keys);
}

/** Of a store that was just opened, before anything of it is read. */
export async function assertDataKeys(store: Store): Promise<void> {
  await store.dataKeys.refresh();
  const { own } = store.dataKeys;
  const known = await store.dataKeys.known();
  const missing = known.filter(id => !own.includes(id));
  if (missing.length > 0) {
    const keys = missing.length === 1 ? `the data key ${missing[0]}` : `the data keys ${missing.join(', ')}`;
    const given = own.filter(name => name !== PLAIN);
    const has = given.length > 0 ? `has ${given.join(', ')}` : 'is not set';
    throw new DataKeyProblem(
      `the store has values that are encrypted with ${keys}, and BONGSU_DATA_KEY ${has}: add what is missing (docs/data-key.md)`,
    );
  }
}

/** Before anything is written. */
export async function claimDataKey(store: Store, now: number): Promise<void> {
  const { dataKeys } = store;
  const [sealing = PLAIN] = dataKeys.own;
  if (sealing === PLAIN) {
    if (dataKeys.mode !== 'strict') return;
    throw new DataKeyProblem(
      'the store refuses values that are not encrypted: run "bongsu data-key relax" before you put "plain" first in BONGSU_DATA_KEY (docs/data-key.md)',
    );
  }
  const nodes = await store.nodes.list();
  // Every living node must be able to read what this process encrypts.
  const without = nodes.filter(({ profile }) => !profile.dataKeys?.includes(sealing));
  if (without.length > 0) {
    throw new DataKeyProblem(
      `${without.map(({ node }) => node).join(', ')} could not read what is encrypted with the data key ${sealing}: ` +
        'first add the key at the end of BONGSU_DATA_KEY on every node (docs/data-key.md)',
    );
  }
  const known = await dataKeys.known();
  if (known.includes(sealing)) return;
  // Nothing is encrypted in the earlier form, and nobody is there who knows no other.
  if (known.length === 0 && nodes.every(({ profile }) => profile.sealing !== undefined))
    await dataKeys.setMode('gcm', now);
  await dataKeys.add(sealing, now);
}
