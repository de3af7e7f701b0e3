/** By what figures are grouped. */

export const FAILURE_DIMENSIONS = ['code', 'channel', 'carrier', 'account'] as const;
export type FailureDimension = (typeof FAILURE_DIMENSIONS)[number];

export const TRAFFIC_DIMENSIONS = ['account', 'sender', 'channel', 'carrier', 'code'] as const;
export type TrafficDimension = (typeof TRAFFIC_DIMENSIONS)[number];
