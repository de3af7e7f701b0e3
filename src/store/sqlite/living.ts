/**
 * The nodes that live, as far as this process knows. One process serves a SQLite file (lock.ts), so a node that is not
 * here is dead. Several nodes may still share one open store, as those of the simulation do.
 */
import type { LiveNode, NodeProfile } from '../port/node-store.ts';

export class Living {
  readonly #monotonic: () => number;
  readonly #nodes = new Map<string, { readonly aliveUntil: number; readonly profile: NodeProfile }>();
  #deaths = 0;

  /** `monotonic` is the clock that leases are measured by. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  beat(node: string, ttlMs: number, profile: NodeProfile): void {
    this.#nodes.set(node, { aliveUntil: this.#monotonic() + ttlMs, profile });
  }

  leave(node: string): void {
    if (this.#nodes.delete(node)) this.#deaths++;
  }

  list(): LiveNode[] {
    for (const [node, { aliveUntil }] of this.#nodes) if (aliveUntil <= this.#monotonic()) this.leave(node);
    return [...this.#nodes].map(([node, { profile }]) => ({ node, profile }));
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
