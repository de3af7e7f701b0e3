import { latency, optional } from './file-key.ts';

/** `kind: simulator`: the simulated network. */
export const SIMULATOR_KEYS = {
  latency: optional(
    latency('Time for an answer, and again for a receipt. Without it: BONGSU_SIMULATOR_LATENCY.'),
  ),
} as const;
