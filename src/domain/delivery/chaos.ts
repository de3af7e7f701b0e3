/** Failure injection for the simulated network: off by default, changed while the gateway runs. */
import { Problem } from '../request/problem.ts';

export interface Chaos {
  /** Share of submits refused for now, 0 to 1. */
  readonly errorRate: number;
  /** Share of submits whose link drops, leaving the outcome unknown, 0 to 1. */
  readonly dropRate: number;
  /** Added to every answer and receipt. */
  readonly extraLatencyMs: number;
}

export const NO_CHAOS: Chaos = { errorRate: 0, dropRate: 0, extraLatencyMs: 0 };

const LONGEST_LATENCY_MS = 60_000;

/** Reads chaos settings; members left out are off. All problems are reported together. */
export function parseChaos(value: unknown): Chaos | Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Problem('A011', 'The body must be a JSON object');
  }
  const problems: string[] = [];
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(NO_CHAOS, name)) problems.push(`"${name}" is not a chaos setting`);
  }
  const read = (name: keyof Chaos, max: number): number => {
    const given = (value as Readonly<Record<string, unknown>>)[name] ?? 0;
    if (typeof given === 'number' && given >= 0 && given <= max) return given;
    problems.push(`"${name}" must be a number from 0 to ${max}`);
    return 0;
  };
  const chaos = {
    errorRate: read('errorRate', 1),
    dropRate: read('dropRate', 1),
    extraLatencyMs: read('extraLatencyMs', LONGEST_LATENCY_MS),
  };
  return problems.length > 0 ? new Problem('A300', problems.join('; ')) : chaos;
}
