/**
 * Storing a request, and knowing whether it is stored.
 *
 * When the answer of a commit is lost, the store is asked whether the request is there, until the request's time is over.
 * The answer to the client is then true, or says that it is not known. A request that is found in the store after such an
 * answer is withdrawn, unless it was begun. One with an Idempotency-Key stays: its sender was advised to repeat it, and
 * the repetition may already have been answered with success.
 *
 * Withdrawals do not outlive the process. If it ends before, the message stays accepted.
 */
import type { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { type AcceptResult, type NewRequest, type Store, StoreFault } from '../store/store.ts';
import { unknownProblem } from '../store/store-problem.ts';
import { isInDoubt, StoreTime } from '../store/store-time.ts';
import { UNKNOWN_WITH_KEY } from './idempotency.ts';

const UNKNOWN_WITHOUT_KEY =
  'It is not known whether the request was stored. Repeating it is safe only with an Idempotency-Key, and this one had none';

/** One repetition gets over a connection that was cut; a store that fails again is in trouble. */
const ATTEMPTS = 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export class Acceptance {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #timeoutMs: number;
  /** Requests that were refused although they may be stored, each with its call to the store, which may still be under way. */
  readonly #doubtful = new Map<NewRequest, Promise<unknown>>();
  #pauseMs = FIRST_PAUSE_MS;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly events: Events;
    readonly storeTimeoutMs: number;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#timeoutMs = deps.storeTimeoutMs;
  }

  /** Starts the time that a request may take. */
  begin(): StoreTime {
    return new StoreTime(this.#clock, this.#timeoutMs);
  }

  async accept(request: NewRequest, time: StoreTime): Promise<AcceptResult | Problem> {
    const { messages } = this.#store;
    if (time.isOver) throw new StoreFault('didNotHappen', 'the time was over');
    for (let attempt = 1; ; attempt++) {
      const call = messages.accept(request);
      try {
        return await time.within(call);
      } catch (error) {
        if (!isInDoubt(error)) throw error;
      }
      const isStored = time.isOver
        ? undefined
        : await time.untilKnown(() => messages.isStored(request.requestId));
      if (isStored === undefined) {
        this.#resolveLater(request, call);
        return unknownProblem(request.idempotency ? UNKNOWN_WITH_KEY : UNKNOWN_WITHOUT_KEY);
      }
      this.#events.doubtResolved(request.requestId, isStored ? 'stored' : 'notStored');
      if (isStored) return { kind: 'stored' };
      if (time.isOver || attempt === ATTEMPTS) throw new StoreFault('didNotHappen', 'it was not stored');
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #resolveLater(request: NewRequest, call: Promise<unknown>): void {
    this.#doubtful.set(request, call);
    if (!this.#cancel) this.#lookAfterPause();
  }

  #lookAfterPause(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(this.#pauseMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const before = this.#doubtful.size;
    await Promise.all([...this.#doubtful].map(([request, call]) => this.#resolve(request, call)));
    this.#cancel = undefined;
    this.#pauseMs =
      this.#doubtful.size < before ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    if (this.#doubtful.size > 0) this.#lookAfterPause();
  }

  async #resolve(request: NewRequest, call: Promise<unknown>): Promise<void> {
    try {
      const outcome = await this.begin().within(this.#outcomeOf(request, call));
      this.#doubtful.delete(request);
      this.#events.doubtResolved(request.requestId, outcome);
    } catch (error) {
      // A fault of the store is tried again; a bug would only happen again.
      if (error instanceof StoreFault) return;
      this.#doubtful.delete(request);
      this.#events.failed('withdrawing', error, { requestId: request.requestId });
    }
  }

  async #outcomeOf(
    { requestId, idempotency }: NewRequest,
    call: Promise<unknown>,
  ): Promise<'notStored' | 'kept' | 'withdrawn'> {
    // What waits for its turn is not there yet, and may come to be.
    await Promise.allSettled([call]);
    if (!(await this.#store.messages.isStored(requestId))) return 'notStored';
    if (idempotency) return 'kept';
    return (await this.#store.messages.withdraw(requestId)) ? 'withdrawn' : 'kept';
  }
}
