/** Looks up what the rules of domain/delivery/network-objections.ts ask for. */

import type { Step } from '../domain/delivery/flow.ts';
import { type NetworkObjection, objectionsTo, questionsOf } from '../domain/delivery/network-objections.ts';
import type { AccountId } from '../domain/ids.ts';
import { registeredOf } from '../domain/registry/registered.ts';
import type { Clock } from '../platform/clock.ts';
import type { Soon } from '../platform/soon.ts';
import type { Store } from '../store/store.ts';
import { isValidFile } from './files.ts';

/** Why a network would refuse this message of the account, its words put in. Most messages need no look-up. */
export type FindObjections = (account: AccountId, step: Step) => Soon<readonly NetworkObjection[]>;

const NONE: readonly NetworkObjection[] = [];

export function createObjections(deps: {
  readonly store: Pick<Store, 'registry' | 'files'>;
  readonly clock: Clock;
  readonly publicUrl: string | undefined;
}): FindObjections {
  const { store, clock, publicUrl } = deps;
  return (account, step) => {
    const { templates, files } = questionsOf(step, publicUrl);
    return templates.length === 0 && files.length === 0 ? withoutAsking(step) : ask(account, step);
  };

  async function ask(account: AccountId, step: Step): Promise<readonly NetworkObjection[]> {
    const { templates, files } = questionsOf(step, publicUrl);
    const [entries, rows] = await Promise.all([
      templates.length === 0 ? [] : store.registry.find(account, templates),
      files.length === 0 ? [] : store.files.find(account, files),
    ]);
    const valid = rows.filter(row => isValidFile(row, clock.now())).map(({ fileKey }) => fileKey);
    const registered = registeredOf(entries);
    return objectionsTo(step, { registered, files: new Set<string>(valid), publicUrl });
  }

  /** A name that is no key of ours needs no look-up. */
  function withoutAsking(step: Step): readonly NetworkObjection[] {
    const found = objectionsTo(step, { registered: registeredOf([]), files: new Set<string>(), publicUrl });
    return found.length === 0 ? NONE : found;
  }
}
