/**
 * Finds the carrier whose reference a receipt names, where a carrier also brings receipts of others: of carriers with the same
 * account at the provider, and of its own former names. If two of them have the same reference, the recipient decides.
 */
import { type NamedNumbers, withRecipientOf } from '../domain/delivery/receipt-numbers.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';

/** The answer that names a reference may be on its way at the other carrier: looked up again after so long. */
const LOOK_AGAIN_MS = 1000;

/** By carrier: the others whose receipts may come by it. */
export type ReceiptsOf = ReadonlyMap<string, readonly string[]>;

type Named = NamedNumbers & { readonly ref: string };
type KnownRefs = Pick<Store['queue'], 'knownRefs'>;

/** The carrier of each receipt whose reference one of them knows, the first that does. */
export async function ownersOf<Receipt extends Named>(
  queue: KnownRefs,
  carriers: readonly string[],
  receipts: readonly Receipt[],
): Promise<ReadonlyMap<Receipt, string>> {
  const owners = new Map<Receipt, string>();
  for (const carrier of carriers) {
    const missing = receipts.filter(receipt => !owners.has(receipt));
    if (missing.length === 0) break;
    const refs = missing.map(({ ref }) => ref);
    const known = await queue.knownRefs(carrier, refs);
    for (const receipt of missing) {
      const targets = (known.get(receipt.ref) ?? []).map(to => ({ to }));
      if (withRecipientOf(receipt, targets).length > 0) owners.set(receipt, carrier);
    }
  }
  return owners;
}

export class ReceiptOwners {
  readonly #queue: KnownRefs;
  readonly #clock: Clock;
  readonly #names: readonly string[];

  /** `others`: the names of those other carriers. */
  constructor(deps: {
    readonly store: { readonly queue: KnownRefs };
    readonly clock: Clock;
    readonly carrier: string;
    readonly others: readonly string[];
  }) {
    this.#queue = deps.store.queue;
    this.#clock = deps.clock;
    this.#names = [deps.carrier, ...deps.others];
  }

  /** The carrier of each receipt whose reference is known. */
  async of<Receipt extends Named>(receipts: readonly Receipt[]): Promise<ReadonlyMap<Receipt, string>> {
    if (this.#names.length === 1 || receipts.length === 0) return new Map();
    const owners = await ownersOf(this.#queue, this.#names, receipts);
    const missing = receipts.filter(receipt => !owners.has(receipt));
    if (missing.length === 0) return owners;
    await sleep(this.#clock, LOOK_AGAIN_MS);
    return new Map([...owners, ...(await ownersOf(this.#queue, this.#names, missing))]);
  }

  /** Recipients by reference, as far as any of them knows it. */
  async knownRefs(refs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const known = await Promise.all(this.#names.map(name => this.#queue.knownRefs(name, refs)));
    const all = new Map<string, readonly string[]>();
    for (const [ref, recipients] of known.flatMap(each => [...each])) {
      all.set(ref, [...(all.get(ref) ?? []), ...recipients]);
    }
    return all;
  }
}
