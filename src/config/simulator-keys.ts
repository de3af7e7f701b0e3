import { optional } from './file-key.ts';
import { durationRange } from './kinds.ts';

/** `kind: simulator`: the simulated network. */
export const SIMULATOR_KEYS = {
  latency: optional(
    durationRange,
    'Time to answer, and then to send a receipt. Without it: BONGSU_SIMULATOR_LATENCY.',
  ),
} as const;
