/** Calls of clients to nodes. An exception is an answer, as it is over HTTP; what a client knows is all that counts as told. */
import { Problem } from '../../src/domain/request/problem.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import type { Ledger } from './ledger.ts';
import type { RunningNode } from './running-node.ts';

interface Call {
  readonly what: string;
  readonly node: RunningNode;
  readonly since: number;
}

/** The operations answer so when they could not find out whether something was done. */
const UNKNOWN = 'A920';

export class Calls {
  /** Those that have not been answered. */
  readonly underWay = new Set<Call>();
  readonly #clock: ManualClock;
  readonly #ledger: Ledger;

  constructor({ clock, ledger }: { readonly clock: ManualClock; readonly ledger: Ledger }) {
    this.#clock = clock;
    this.#ledger = ledger;
  }

  async make<T>(what: string, node: RunningNode, call: () => Promise<T>): Promise<T | Error> {
    const operation = { what, node, since: this.#clock.monotonic() };
    this.underWay.add(operation);
    try {
      return await node.call(call);
    } catch (error) {
      if (!(error instanceof StoreFault)) this.#ledger.violated('a client meets a bug', `${what}: ${error}`);
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.underWay.delete(operation);
    }
  }
}

/** What an answer says of what was asked for: `done`, certainly not done, or nobody knows. */
export function outcomeOf(answer: unknown): 'done' | 'refused' | 'doubt' {
  if (answer instanceof Problem) return answer.code === UNKNOWN ? 'doubt' : 'refused';
  if (answer instanceof StoreFault) return answer.outcome === 'didNotHappen' ? 'refused' : 'doubt';
  return answer instanceof Error ? 'doubt' : 'done';
}
