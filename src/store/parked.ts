/** When a parked receipt is looked at again: half as far away as it is old, within these bounds. */
export const SHORTEST_LOOK_MS = 2_000;
export const LONGEST_LOOK_MS = 3_600_000;

/**
 * How long a receipt is parked whose reference only messages have that had their receipt. It may be about a newer message, to
 * which the carrier gave the same reference, and whose answer is not stored yet. After that it counts as a repetition.
 */
export const REPETITION_MS = 60_000;
