/** When a parked receipt is looked at again: half as far away as it is old, within these bounds. */
export const SHORTEST_LOOK_MS = 2_000;
export const LONGEST_LOOK_MS = 3_600_000;
