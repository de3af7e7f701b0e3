/** By what figures are grouped. */

export const FAILURE_DIMENSIONS = ['code', 'channel', 'carrier', 'account'] as const;
export type FailureDimension = (typeof FAILURE_DIMENSIONS)[number];
