/** The batch protocol of polling while the store may be in doubt: the same for reports and for inbound messages. */
import { Problem } from '../domain/request/problem.ts';
import { StoreFault } from '../store/store.ts';
import { unknownProblem } from '../store/store-problem.ts';
import { isInDoubt, type StoreTime } from '../store/store-time.ts';

const ATTEMPTS = 2;
const UNKNOWN =
  'It is not known whether the reports were deleted. If they were not, the next poll brings them again';

/** A batch is the same until it is acknowledged, so a poll in doubt is simply repeated. */
export async function pollUntilCertain<Batch>(time: StoreTime, poll: () => Promise<Batch>): Promise<Batch> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await time.within(poll());
    } catch (error) {
      if (!isInDoubt(error) || time.isOver || attempt === ATTEMPTS) throw error;
    }
  }
}

/** An acknowledgement in doubt is looked up: repeating one that happened would be answered with `no such batch`. */
export async function acknowledgeUntilCertain(
  time: StoreTime,
  store: { readonly acknowledge: () => Promise<boolean>; readonly holds: () => Promise<boolean> },
): Promise<Problem | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await time.within(store.acknowledge())) ? undefined : new Problem('A805');
    } catch (error) {
      if (!isInDoubt(error)) throw error;
    }
    const isHeld = time.isOver ? undefined : await time.untilKnown(store.holds);
    if (isHeld === false) return undefined;
    if (isHeld === undefined) return unknownProblem(UNKNOWN);
    if (time.isOver || attempt === ATTEMPTS) throw new StoreFault('didNotHappen', 'it was not acknowledged');
  }
}
