/**
 * The nodes by the names that operators know. A node has an id that is new with each start, because steps belong to one
 * process; its name stays. So a dead node whose name is in use again is the same node, started again, and is not shown.
 */
import type { KnownNode } from '../store/store.ts';

export interface NamedNode extends KnownNode {
  readonly name: string;
}

export function isAlive({ deadForMs }: KnownNode): boolean {
  return deadForMs === undefined;
}

export function namedNodes(known: readonly KnownNode[]): NamedNode[] {
  const living = known.filter(isAlive);
  const dead = known
    .filter(each => !isAlive(each))
    .sort((one, other) => (one.deadForMs ?? 0) - (other.deadForMs ?? 0));
  const taken = Map.groupBy(living, nameOf);
  const shown = living.map(each => {
    // Two that were given the same name are told apart by their ids.
    const isShared = (taken.get(nameOf(each))?.length ?? 0) > 1;
    return { ...each, name: isShared ? each.node : nameOf(each) };
  });
  const gone = [...Map.groupBy(dead, nameOf)].flatMap(([name, [last]]) =>
    last && !taken.has(name) ? [{ ...last, name }] : [],
  );
  return [...shown, ...gone].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameOf({ node, profile }: KnownNode): string {
  return profile.name ?? node;
}
