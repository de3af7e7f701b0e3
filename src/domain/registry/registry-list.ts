/** A list of registry entries, as imports have it. */
import { Problem } from '../request/problem.ts';
import { parseRegistryEntry, type RegistryEntry, registryKey } from './registry.ts';

export interface ParsedEntries<E> {
  /** What can be stored. */
  readonly entries: readonly E[];
  /** What is wrong with the other items; the first item is 1. */
  readonly problems: readonly { readonly entry: number; readonly problem: Problem }[];
}

/** `accept` may refuse an entry. Of two with the same kind and key the second is refused: it would replace the first. */
export function parseRegistryEntries<E extends RegistryEntry>(
  items: readonly unknown[],
  accept: (entry: RegistryEntry) => E | Problem,
): ParsedEntries<E> {
  const entries: E[] = [];
  const problems: { entry: number; problem: Problem }[] = [];
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const number = index + 1;
    const parsed = parseRegistryEntry(item);
    const entry = parsed instanceof Problem ? parsed : accept(parsed);
    if (entry instanceof Problem) {
      problems.push({ entry: number, problem: entry });
      continue;
    }
    const name = registryName(entry);
    const earlier = seen.get(name);
    if (earlier === undefined) entries.push(entry);
    else
      problems.push({
        entry: number,
        problem: new Problem('A300', `${name} is the same as entry ${earlier}`),
      });
    seen.set(name, number);
  }
  return { entries, problems };
}

/** Unique among the entries of an account. */
export function registryName(entry: RegistryEntry): string {
  return `${entry.kind} ${registryKey(entry)}`;
}
