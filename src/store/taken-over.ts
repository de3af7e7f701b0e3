/** Counts what a takeover did, by dead node, carrier and outcome. */
import type { TakenOver } from './port/node-store.ts';

export class TakenOverCounts {
  readonly #counts = new Map<string, TakenOver>();

  add(step: Omit<TakenOver, 'steps'>): void {
    const key = JSON.stringify([step.node, step.carrier, step.outcome]);
    this.#counts.set(key, { ...step, steps: (this.#counts.get(key)?.steps ?? 0) + 1 });
  }

  list(): readonly TakenOver[] {
    return [...this.#counts.values()];
  }
}
