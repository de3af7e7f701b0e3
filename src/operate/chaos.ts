/** Failures that the operator injects into the simulated networks of this process, until reset or restart. */
import { type Chaos, NO_CHAOS, parseChaos } from '../domain/delivery/chaos.ts';
import { Problem } from '../domain/request/problem.ts';

export interface ChaosControl {
  current(): Chaos;
  set(body: unknown): Promise<Chaos | Problem>;
  reset(): Promise<Chaos>;
}

/** `apply` hands the failures to the simulated networks. */
export function createChaosControl(apply: (chaos: Chaos) => void): ChaosControl {
  let current = NO_CHAOS;
  function put(chaos: Chaos): Chaos {
    current = chaos;
    apply(chaos);
    return chaos;
  }
  return {
    current: () => current,
    async set(body) {
      const parsed = parseChaos(body);
      return parsed instanceof Problem ? parsed : put(parsed);
    },
    reset: async () => put(NO_CHAOS),
  };
}
