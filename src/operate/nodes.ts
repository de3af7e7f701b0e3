/** The operator's side of the cluster: which nodes there are, in what they differ, draining one before it is stopped, and forgetting one that is gone. */
import { isAlive, type NamedNode, namedNodes } from '../deliver/node-names.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Drift, nodes as declared, NodeLine } from '../operations/nodes.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { NodeProfile, Store } from '../store/store.ts';
import type { Handlers } from './perform.ts';

export type Nodes = ReturnType<typeof createNodes>;

/** Our choice: a time service keeps clocks closer together. */
const CLOCK_SKEW_MS = 2_000;

export function createNodes(deps: {
  readonly store: Pick<Store, 'nodes'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
}) {
  const { store, clock, formatTime } = deps;

  return {
    async 'GET /nodes'() {
      const known = namedNodes(await store.nodes.known());
      return { nodes: known.map(lineOf), drift: driftBetween(known.filter(isAlive)) };
    },
    'POST /nodes/{node}/drain': ({ node }) => setDraining(node, clock.now()),
    'POST /nodes/{node}/resume': ({ node }) => setDraining(node, undefined),
    async 'POST /nodes/{node}/forget'({ node: name }) {
      const found = namedNodes(await store.nodes.known()).find(each => each.name === name);
      // It may be back since.
      if (found && !isAlive(found) && (await store.nodes.forget(found.node))) return { node: name };
      return found
        ? new Problem('A300', `The node "${name}" is alive: only a node that is gone can be forgotten`)
        : new Problem('A300', `There is no node named "${name}"`, { status: 404 });
    },
  } satisfies Handlers<OperationsOf<typeof declared>>;

  /** By the name of the node, or of a host that has one node. */
  async function setDraining(name: string, since: number | undefined) {
    const alive = namedNodes(await store.nodes.known()).filter(isAlive);
    const onHost = alive.filter(({ profile }) => profile.host === name);
    const found = alive.find(each => each.name === name) ?? (onHost.length === 1 ? onHost[0] : undefined);
    const isDone = found && (await store.nodes.drain(found.node, since));
    if (isDone) return { node: found.name };
    return onHost.length > 1
      ? new Problem('A300', `${onHost.length} nodes run on the host "${name}": name the node`)
      : new Problem('A300', `No node named "${name}" is alive`, { status: 404 });
  }

  function lineOf({ name: node, profile, drainingSince, deadForMs }: NamedNode): NodeLine {
    const { host = null, pid = null, version = null, startedAt, clockSkewMs = null, inFlight = 0 } = profile;
    const state =
      deadForMs !== undefined
        ? 'gone'
        : drainingSince === undefined
          ? 'running'
          : inFlight > 0
            ? 'draining'
            : 'drained';
    const since = deadForMs === undefined ? drainingSince : clock.now() - deadForMs;
    return {
      ...{ node, host, pid, version, state },
      startedAt: startedAt === undefined ? null : formatTime(startedAt),
      since: since === undefined ? null : formatTime(since),
      clockSkewMs,
      isClockWrong: Math.abs(clockSkewMs ?? 0) > CLOCK_SKEW_MS,
      inFlight: state === 'gone' ? 0 : inFlight,
      carriers: profile.carriers.map(({ name }) => name),
    };
  }
}

/** An older node does not tell everything: of what it does not tell nothing is known. */
export function driftBetween(nodes: readonly Pick<NamedNode, 'name' | 'profile'>[]): Drift[] {
  const settings = new Set(nodes.flatMap(({ profile }) => Object.keys(profile.settings ?? {})));
  const carriers = new Set(nodes.flatMap(({ profile }) => profile.carriers.map(({ name }) => name)));
  const compared: (Pick<Drift, 'kind' | 'name'> & { readonly of: (profile: NodeProfile) => unknown })[] = [
    { kind: 'version', name: '', of: ({ version }) => version },
    { kind: 'mode', name: '', of: ({ mode }) => mode },
    { kind: 'dataKeys', name: '', of: ({ dataKeys }) => dataKeys?.join() },
    { kind: 'routes', name: '', of: ({ routes }) => routes },
    ...[...settings].sort().map(name => ({
      kind: 'setting' as const,
      name,
      of: (profile: NodeProfile) => profile.settings && (profile.settings[name] ?? null),
    })),
    ...[...carriers].sort().map(name => ({
      kind: 'carrier' as const,
      name,
      of: (profile: NodeProfile) => profile.carriers.find(each => each.name === name)?.fingerprint ?? null,
    })),
  ];
  return compared.flatMap(({ kind, name, of }) => {
    const told = nodes.filter(({ profile }) => of(profile) !== undefined);
    const groups = [...Map.groupBy(told, ({ profile }) => of(profile)).values()]
      .map(group => group.map(({ name }) => name))
      .sort((a, b) => b.length - a.length);
    return groups.length > 1 ? [{ kind, name, groups }] : [];
  });
}
