/** The registry of each account: kept by operators, and checked by its sends. */
import type { Account } from '../domain/account/account.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import type { AccountId } from '../domain/ids.ts';
import { registeredOf } from '../domain/registry/registered.ts';
import {
  type RegistryEntry,
  type RegistryKind,
  type RegistryRef,
  registryKey,
} from '../domain/registry/registry.ts';
import {
  completedStep,
  entriesForCompletion,
  registryProblem,
  wantedEntries,
} from '../domain/registry/registry-rules.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Appearance } from '../operations/registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { Soon } from '../platform/soon.ts';
import type { Store } from '../store/store.ts';
import type { CheckedFlow, FlowCheck } from './guards.ts';
import { knownAccount } from './known-account.ts';

export interface Registry {
  /** Stores all of them or none; one under the same kind and key is replaced. `by` is whoever changes them. */
  put(account: string, entries: readonly RegistryEntry[], by: string): Promise<Problem | undefined>;
  remove(account: string, kind: RegistryKind, key: string): Promise<Problem | undefined>;
  list(account: string, kind?: RegistryKind): Promise<readonly RegistryEntry[] | Problem>;
  /** How a sender profile or brand looks to recipients, as far as that is registered. */
  appearance(account: string, key: string): Promise<Appearance | Problem>;
  /**
   * Why the account may not send this flow. Asks the store once, and not at all for an account without enforcement that
   * sends from a number.
   */
  readonly checkFlow: FlowCheck;
  /** The flow with what the registry knows about its steps, such as the kinds of RCS templates, which reports show. */
  completeFlow(account: Account, flow: Flow): Soon<Flow>;
}

export function createRegistry(deps: { readonly store: Store; readonly clock: Clock }): Registry {
  const { store, clock } = deps;
  return {
    async put(id, entries, by) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const problem = await numberProblem(account.id, entries);
      if (problem) return problem;
      await store.registry.put(account.id, entries, { at: clock.now(), by });
      return undefined;
    },
    async remove(id, kind, key) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const isRemoved = await store.registry.remove(account.id, kind, key);
      return isRemoved ? undefined : unknown(`There is no ${kind} "${key}" of the account "${id}"`);
    },
    async list(id, kind) {
      const account = await knownAccount(store.accounts, id);
      return account instanceof Problem ? account : store.registry.list(account.id, kind);
    },
    async appearance(id, key) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const wanted = (['senderProfile', 'rcsBrand', 'logo'] as const).map(kind => ({ kind, key }));
      const entries = await store.registry.find(account.id, wanted);
      const named = entries.map(entry => ('name' in entry ? entry.name : undefined)).find(Boolean);
      const image = entries.map(entry => (entry.kind === 'logo' ? entry.image : undefined)).find(Boolean);
      return { key, name: named ?? null, logo: image ?? null };
    },
    checkFlow(account, checked) {
      const wanted = checked.flow.flatMap(step => wantedEntries(step, account.settings.enforceRegistry));
      return wanted.length === 0 ? undefined : checkWanted(account, checked, wanted);
    },
    completeFlow(account, flow) {
      const wanted = flow.flatMap(entriesForCompletion);
      return wanted.length === 0 ? flow : completeWith(account.id, flow, wanted);
    },
  };

  /** A number that people write to, or a keyword of it, has one owner. The store keeps two who ask at once apart. */
  async function numberProblem(
    account: AccountId,
    entries: readonly RegistryEntry[],
  ): Promise<Problem | undefined> {
    const wanted = entries.filter(entry => entry.kind === 'inboundNumber');
    if (wanted.length === 0) return undefined;
    const owners = await store.inbound.owners(wanted.map(({ number }) => number));
    const keys = new Set(wanted.map(registryKey));
    const taken = owners.find(owner => owner.account !== account && keys.has(registryKey(owner.entry)));
    return (
      taken &&
      new Problem(
        'A300',
        `The inbound number "${registryKey(taken.entry)}" belongs to the account "${taken.account}"`,
      )
    );
  }

  async function checkWanted(
    { id, settings }: Account,
    { flow, to, names, reading }: CheckedFlow,
    wanted: readonly RegistryRef[],
  ): Promise<Problem | undefined> {
    const registered = registeredOf(await store.registry.find(id, wanted));
    for (const [index, step] of flow.entries()) {
      const problem = registryProblem(step, to, registered, settings.enforceRegistry, reading);
      if (problem) return problem.renamed(field => names(index, field));
    }
    return undefined;
  }

  async function completeWith(account: AccountId, flow: Flow, wanted: readonly RegistryRef[]): Promise<Flow> {
    const registered = registeredOf(await store.registry.find(account, wanted));
    return flow.map(step => completedStep(step, registered));
  }
}

function unknown(sentence: string): Problem {
  return new Problem('A300', sentence, { status: 404 });
}
