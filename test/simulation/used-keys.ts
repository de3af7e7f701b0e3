/**
 * One key, one set of messages: what was sent under each Idempotency-Key, and what was answered. A repetition gets the first
 * answer, another body is refused, and of all calls under a key one at most has messages in the store: all that it asked for.
 */
import type { AccountId, MsgKey } from '../../src/domain/ids.ts';
import type { Problem } from '../../src/domain/request/problem.ts';
import type { Ledger } from './ledger.ts';

/** A key that was used with another body. */
const CONFLICT = 'A301';
/** It is not known whether the request was stored. */
const UNKNOWN = 'A920';

/** One call under a key, with the messages that the node made for it. */
export interface KeyedCall {
  readonly name: string;
  readonly body: string;
  readonly asked: MsgKey[];
  /** The answer that had been given under the key when the call began. */
  readonly answeredBefore: GivenAnswer | undefined;
}

interface GivenAnswer {
  readonly at: number;
  readonly body: string;
  readonly text: string;
}

interface UsedKey {
  readonly calls: KeyedCall[];
  answer: GivenAnswer | undefined;
}

export class UsedKeys {
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #keys = new Map<string, UsedKey>();

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
  }

  begins(account: AccountId, key: string, body: string): KeyedCall {
    const name = `${account} ${key}`;
    const used = this.#keys.get(name) ?? { calls: [], answer: undefined };
    this.#keys.set(name, used);
    const call = { name, body, asked: [], answeredBefore: used.answer };
    used.calls.push(call);
    return call;
  }

  /** `text` names the messages of an answer that says that they were accepted. */
  accepted({ name, body }: KeyedCall, text: string): void {
    const used = this.#keys.get(name);
    if (!used) return;
    const first = used.answer ?? { at: this.#now(), body, text };
    used.answer = first;
    if (first.body !== body) this.#ledger.violated('a key is taken with a second body', name);
    else if (first.text !== text)
      this.#ledger.violated('a repetition gets another answer', `${name}: ${text}, before ${first.text}`);
  }

  refused({ name, body, answeredBefore }: KeyedCall, { code }: Problem): void {
    const others = this.#keys.get(name)?.calls.some(call => call.body !== body) ?? false;
    if (code === CONFLICT && !others) this.#ledger.violated('a body is taken for another', name);
    if (answeredBefore?.body === body && code !== UNKNOWN)
      this.#ledger.violated('a repetition is refused', `${name}: ${code}`);
  }

  /** The store is again as it was at this moment: later answers are forgotten. */
  restored(at: number): void {
    for (const used of this.#keys.values()) if (used.answer && used.answer.at >= at) used.answer = undefined;
  }

  /** At rest. Recipients of a reservation may have been taken out of it since. */
  async check(store: {
    readonly isKept: (msgKey: MsgKey) => Promise<boolean>;
    readonly mayBeTakenOut: (msgKey: MsgKey) => boolean;
  }): Promise<void> {
    for (const [name, { calls }] of this.#keys) {
      let callsKept = 0;
      for (const { asked } of calls) {
        const left = asked.filter(msgKey => !store.mayBeTakenOut(msgKey));
        const kept = await Promise.all(left.map(store.isKept));
        if (kept.includes(true)) callsKept++;
        if (kept.includes(true) && kept.includes(false))
          this.#ledger.violated('a request is stored in part', name);
      }
      if (callsKept > 1) this.#ledger.violated('two sets of messages under one key', name);
    }
  }
}
