/**
 * The order of life of the process. Each state has its work; LIFE says what comes after it, and what becomes of a signal that
 * arrives meanwhile. Two works never run side by side, except that a stop does not wait for the end of a reload: the
 * dispatcher that stops opens no more carriers for it.
 */

/** A state, or: kept until the next state, refused with a line in the log, without effect, the end of the process. */
type Reaction = LifeState | 'waits' | 'refused' | 'ignored' | 'ends';
export type LifeState = 'opening' | 'starting' | 'running' | 'reloading' | 'stopping' | 'stopped';
export type LifeEvent = 'reload' | 'stop' | 'stopAgain' | 'done' | 'failed';

export const LIFE: Readonly<Record<LifeState, Readonly<Record<LifeEvent, Reaction>>>> = {
  // Nothing is accepted or sent yet.
  opening: { reload: 'waits', stop: 'ends', stopAgain: 'ends', done: 'starting', failed: 'stopping' },
  // Carriers bind and send: a stop in between would leave messages unknown.
  starting: { reload: 'waits', stop: 'waits', stopAgain: 'ends', done: 'running', failed: 'stopping' },
  running: {
    reload: 'reloading',
    stop: 'stopping',
    stopAgain: 'ends',
    done: 'ignored',
    failed: 'ignored',
  },
  reloading: { reload: 'waits', stop: 'stopping', stopAgain: 'ends', done: 'running', failed: 'running' },
  stopping: { reload: 'refused', stop: 'ignored', stopAgain: 'ends', done: 'stopped', failed: 'stopped' },
  stopped: { reload: 'refused', stop: 'ignored', stopAgain: 'ends', done: 'ignored', failed: 'ignored' },
};

/** What several of the same kind wait for is done once; a stop comes before a reload. */
const MAY_WAIT = ['stop', 'reload'] as const;

export interface LifeWork {
  readonly opening: () => Promise<void>;
  readonly starting: () => Promise<void>;
  readonly reloading: () => Promise<void>;
  readonly stopping: () => Promise<void>;
  /** The work of a state has failed. */
  readonly failed: (state: LifeState, error: unknown) => void;
  /** A signal has no effect any more. */
  readonly refused: (event: LifeEvent, state: LifeState) => void;
  /** Ends the process at once. */
  readonly end: () => void;
}

export class Life {
  readonly #work: LifeWork;
  readonly #waiting = new Set<LifeEvent>();
  readonly #hasBegun = Promise.withResolvers<void>();
  #state: LifeState = 'opening';

  constructor(work: LifeWork) {
    this.#work = work;
  }

  get state(): LifeState {
    return this.#state;
  }

  /** Opens and starts. Resolves when it runs, or has failed and stopped. */
  begin(): Promise<void> {
    this.#enter('opening');
    return this.#hasBegun.promise;
  }

  take(event: LifeEvent): void {
    const reaction = LIFE[this.#state][event];
    if (reaction === 'waits') this.#waiting.add(event);
    else if (reaction === 'refused') this.#work.refused(event, this.#state);
    else if (reaction === 'ends') this.#work.end();
    else if (reaction !== 'ignored') this.#enter(reaction);
  }

  #enter(state: LifeState): void {
    this.#state = state;
    if (state === 'running' || state === 'stopped') this.#hasBegun.resolve();
    else void this.#run(state);
    const waiting = MAY_WAIT.filter(event => this.#waiting.delete(event));
    for (const event of waiting) this.take(event);
  }

  async #run(state: 'opening' | 'starting' | 'reloading' | 'stopping'): Promise<void> {
    let event: LifeEvent = 'done';
    try {
      await this.#work[state]();
    } catch (error) {
      event = 'failed';
      if (this.#state === state) this.#work.failed(state, error);
      else this.#work.refused('reload', this.#state);
    }
    // Otherwise it was a reload, and a stop has taken its place.
    if (this.#state === state) this.take(event);
  }
}
