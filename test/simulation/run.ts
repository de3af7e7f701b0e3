/** One seed from its beginning to its end. */

import { createMetrics } from '../../src/observe/metrics.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { checkInvariants } from './invariants.ts';
import type { ProcessParts } from './node.ts';
import { comeToRest } from './rest.ts';
import { StoreInMemory } from './store-in-memory.ts';
import { World } from './world.ts';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** The same seed gives the same hash. */
  readonly hash: string;
  readonly messages: number;
}

export class Simulation {
  readonly #process: ProcessParts = {
    metrics: createMetrics(),
    log: createLogger('silent'),
    formatTime: zonedTimeFormatter('Asia/Seoul'),
    // Sealing draws randomness of its own, and costs a tenth of a run.
    sealer: { seal: text => text, open: sealed => sealed },
  };
  readonly #database = new StoreInMemory();
  #world: World | undefined;

  constructor() {
    process.on('unhandledRejection', this.#unhandled);
  }

  /** Each step goes as its number and the seed say, whatever other steps there are. */
  async run(
    seed: number,
    steps: readonly number[],
    { print, before = () => {} }: { print?: (line: string) => void; before?: (world: World) => void } = {},
  ): Promise<SeedResult> {
    const world = new World(seed, { process: this.#process, database: this.#database, print });
    this.#world = world;
    world.activity.begin();
    try {
      await world.begin();
      before(world);
      await world.live(steps);
      await comeToRest(world);
      await checkInvariants(world);
      await world.close();
    } finally {
      world.activity.end();
      this.#world = undefined;
      this.#database.clear();
    }
    const { ledger, trace } = world;
    return { seed, violations: ledger.violations, hash: trace.hash, messages: ledger.messages.size };
  }

  close(): void {
    process.off('unhandledRejection', this.#unhandled);
    this.#database.close();
  }

  readonly #unhandled = (error: unknown) => {
    this.#world?.ledger.violated('a rejection that nobody handles', String(error));
  };
}
