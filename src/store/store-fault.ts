/**
 * Why a call of the store failed, in the only terms that matter to the caller.
 *
 *   didNotHappen     nothing was changed, for certain: the call may be repeated
 *   mayHaveHappened  the answer was lost: whether it was done must be looked up before anything is answered or repeated
 *
 * Any other error of the store is a bug, of the program or of the data given to it: asking again will not help.
 */
export class StoreFault extends Error {
  override name = 'StoreFault';
  readonly outcome: 'didNotHappen' | 'mayHaveHappened';

  constructor(outcome: StoreFault['outcome'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** One row that was asked for by its key cannot be read, and was told (unreadable.ts). Whoever walks over several goes on. */
export class UnreadableRecord extends Error {
  override name = 'UnreadableRecord';
}
