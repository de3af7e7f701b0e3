/** Entries of an account's registry, as the rules of the channels look them up. */
import { Problem } from '../request/problem.ts';
import type { ResultCode } from '../request/result-codes.ts';
import { type EntryOf, type RegistryEntry, type RegistryKind, registryKey } from './registry.ts';

/** The entries that were found for an account. */
export interface Registered {
  find<Kind extends RegistryKind>(kind: Kind, key: string): EntryOf<Kind> | undefined;
  every<Kind extends RegistryKind>(kind: Kind): readonly EntryOf<Kind>[];
}

export function registeredOf(entries: readonly RegistryEntry[]): Registered {
  const isOf =
    <Kind extends RegistryKind>(kind: Kind) =>
    (entry: RegistryEntry): entry is RegistryEntry & EntryOf<Kind> =>
      entry.kind === kind;
  return {
    find: (kind, key) => entries.filter(isOf(kind)).find(entry => registryKey(entry) === key),
    every: kind => entries.filter(isOf(kind)),
  };
}

/** `mustBe` completes the sentence `"from" must be …`. */
export function notRegistered(code: ResultCode, name: string, mustBe: string, was: string): Problem {
  return new Problem(code, `"${name}" must be ${mustBe} (was ${was.slice(0, 100)})`);
}
