/**
 * The nodes that live, as far as this process knows. One process serves a SQLite file (lock.ts), so a node that is not
 * here is dead. Several nodes may still share one open store, as those of the simulation do. A process that works beside the
 * server has none of its own, and reads what that one told (served-node.ts).
 */
import type { LiveNode, NodeProfile } from '../port/node-store.ts';

export class Living {
  readonly #monotonic: () => number;
  readonly #nodes = new Map<string, Omit<LiveNode, 'node'> & { readonly aliveUntil: number }>();
  readonly #elsewhere: () => readonly LiveNode[];
  #deaths = 0;

  /** `monotonic` is the clock that leases are measured by; `elsewhere` are nodes of another process. */
  constructor(monotonic: () => number, elsewhere: () => readonly LiveNode[] = () => []) {
    this.#monotonic = monotonic;
    this.#elsewhere = elsewhere;
  }

  beat(node: string, ttlMs: number, profile: NodeProfile): void {
    const drainingSince = this.#nodes.get(node)?.drainingSince;
    this.#nodes.set(node, { aliveUntil: this.#monotonic() + ttlMs, profile, drainingSince });
  }

  drain(node: string, since: number | undefined): boolean {
    const known = this.list().some(each => each.node === node) && this.#nodes.get(node);
    if (!known) return false;
    this.#nodes.set(node, { ...known, drainingSince: since });
    return true;
  }

  leave(node: string): void {
    if (this.#nodes.delete(node)) this.#deaths++;
  }

  list(): LiveNode[] {
    for (const [node, { aliveUntil }] of this.#nodes) if (aliveUntil <= this.#monotonic()) this.leave(node);
    const own = [...this.#nodes].map(([node, { profile, drainingSince }]) => ({
      ...{ node, profile, drainingSince },
    }));
    return [...own, ...this.#elsewhere()];
  }

  names(): string[] {
    return this.list().map(({ node }) => node);
  }

  /** How many have died or left so far. */
  get deaths(): number {
    this.list();
    return this.#deaths;
  }
}
