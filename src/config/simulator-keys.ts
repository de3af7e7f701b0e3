import { optional } from './file-key.ts';
import { durationRange } from './kinds.ts';

/** `kind: simulator`: the simulated network. */
export const SIMULATOR_KEYS = {
  latency: optional(
    durationRange,
    'Time for an answer, and again for a receipt. Without it: BONGSU_SIMULATOR_LATENCY.',
  ),
} as const;
