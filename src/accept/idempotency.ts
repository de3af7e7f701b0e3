/**
 * Repetitions under an Idempotency-Key. The key is looked up before anything else that can refuse: whatever has changed since
 * (the time, a form, a limit, the rules of a newer version), a repetition gets the first answer. A client that were refused then
 * would send again under another key, and the message would go out twice.
 *
 * A key that is not found may be stored a moment later by another call. So the store looks again in the transaction that stores
 * the request.
 */
import type { Account } from '../domain/account/account.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { AcceptResult, Store } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';
import { isInDoubt, StoreTime } from '../store/store-time.ts';

/** A client's Idempotency-Key, bound to the path and to the exact bytes of the body. */
export interface IdempotencyKey {
  readonly key: string;
  readonly bodyHash: string;
}

/** The answer that was given before under the same Idempotency-Key: nothing was sent now. */
export class Replayed {
  readonly body: string;

  constructor(body: string) {
    this.body = body;
  }
}

/** The body of an answer: of this call, or of an earlier one under the same key. */
export type Answered = string | Replayed | Problem;

export const UNKNOWN_WITH_KEY =
  'It is not known whether the request was stored. Repeating it with the same Idempotency-Key is safe';

/** Does the work, unless it was done before under this key. The work has what is left of the time that starts here. */
export type Once = (
  account: Account,
  idempotency: IdempotencyKey | undefined,
  work: (time: StoreTime) => Promise<Answered>,
) => Promise<Answered>;

export function createOnce(deps: {
  readonly store: { readonly messages: Pick<Store['messages'], 'answerUnder'> };
  readonly clock: Clock;
  readonly storeTimeoutMs: number;
}): Once {
  const { store, clock, storeTimeoutMs } = deps;
  return (account, idempotency, work) => {
    const time = new StoreTime(clock, storeTimeoutMs);
    return idempotency ? unlessAnswered(account, idempotency, time, work) : work(time);
  };

  async function unlessAnswered(
    account: Account,
    { key, bodyHash }: IdempotencyKey,
    time: StoreTime,
    work: (time: StoreTime) => Promise<Answered>,
  ): Promise<Answered> {
    const earlier = await time.within(store.messages.answerUnder(account.id, key)).catch(unasked);
    if (!earlier) return work(time);
    return earlier.bodyHash === bodyHash ? new Replayed(earlier.response) : usedWithAnotherBody();
  }
}

/** What a call is answered whose request was stored now, with this response, or before. */
export function answerOf(result: AcceptResult, response: string): Answered {
  switch (result.kind) {
    case 'conflict':
      return usedWithAnotherBody();
    case 'replayed':
      return new Replayed(result.response);
    case 'stored':
      return response;
  }
}

function usedWithAnotherBody(): Problem {
  return new Problem('A301');
}

/** A look-up changes nothing, so one without an answer leaves no doubt. */
function unasked(error: unknown): never {
  throw isInDoubt(error) ? new StoreFault('didNotHappen', 'the key was not looked up in time') : error;
}
