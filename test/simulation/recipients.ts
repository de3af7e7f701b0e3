/** The recipients of a simulation, and what is known of those who opted out: an entry counts from its answer until consent is asked for, which may be done at any time after that. */
import type { AccountId } from '../../src/domain/ids.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Some are sent to again and again. */
const REGULARS = 4;

export class Recipients {
  readonly #optedOut = new Map<string, { since: number | undefined; mayHaveConsented: boolean }>();
  #strangers = 0;

  /** One who is sent to for the first time. */
  stranger(): string {
    this.#strangers++;
    return `010${String(10_000_000 + this.#strangers)}`;
  }

  regular(random: SeededRandom): string {
    return `010888800${10 + random.below(REGULARS)}`;
  }

  /** Somebody asks for it; from now on messages may be ended for it. */
  asksOut(account: AccountId, number: string): void {
    const name = `${account} ${number}`;
    if (!this.#optedOut.has(name)) this.#optedOut.set(name, { since: undefined, mayHaveConsented: false });
  }

  isOut(account: AccountId, number: string, since: number): void {
    const entry = this.#optedOut.get(`${account} ${number}`);
    if (entry && !entry.mayHaveConsented) entry.since ??= since;
  }

  /** From now on nobody knows. */
  consents(account: AccountId, number: string): void {
    this.#optedOut.set(`${account} ${number}`, { since: undefined, mayHaveConsented: true });
  }

  /** Whether the recipient certainly was on the list at this moment, and is. */
  hasOptedOut(account: AccountId, number: string, at: number): boolean {
    const since = this.#optedOut.get(`${account} ${number}`)?.since;
    return since !== undefined && since < at;
  }

  /** The store is again as it was at this moment. */
  restored(at: number): void {
    for (const entry of this.#optedOut.values()) if ((entry.since ?? -1) >= at) entry.since = undefined;
  }

  mayHaveOptedOut(account: AccountId, number: string): boolean {
    return this.#optedOut.has(`${account} ${number}`);
  }
}
