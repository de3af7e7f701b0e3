/** Failure injection for the simulated network: off by default, changed while the gateway runs. */
import { Problem } from '../request/problem.ts';

export const CHAOS_SETTINGS = [
  {
    name: 'errorRate',
    max: 1,
    isWhole: false,
    description: 'Share of submits that are temporarily refused.',
  },
  {
    name: 'dropRate',
    max: 1,
    isWhole: false,
    description: 'Share of submits whose connection is dropped.',
  },
  {
    name: 'lateRate',
    max: 1,
    isWhole: false,
    description: 'Share of submits that are answered only after they were given up as unknown.',
  },
  {
    name: 'partErrorRate',
    max: 1,
    isWhole: false,
    description:
      'Share of texts in parts whose first part is reported as failed, while the others arrive. Needs "partLength".',
  },
  {
    name: 'extraLatencyMs',
    max: 60_000,
    isWhole: false,
    description: 'Added to every answer and receipt.',
  },
  {
    name: 'partLength',
    max: 2000,
    isWhole: true,
    description:
      'Texts of sms and international go out in parts of so many characters, each with a receipt of its own; 0: whole.',
  },
  {
    name: 'throttleAbove',
    max: 10_000,
    isWhole: true,
    description: 'Parts that are taken in a second; what exceeds them is throttled. 0: no limit.',
  },
] as const;

type ChaosName = (typeof CHAOS_SETTINGS)[number]['name'];

export type Chaos = Readonly<Record<ChaosName, number>>;

export const NO_CHAOS: Chaos = {
  errorRate: 0,
  dropRate: 0,
  lateRate: 0,
  partErrorRate: 0,
  extraLatencyMs: 0,
  partLength: 0,
  throttleAbove: 0,
};

/** Reads chaos settings; members left out are off. All problems are reported together. */
export function parseChaos(value: unknown): Chaos | Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Problem('A011', 'The body must be a JSON object');
  }
  const problems: string[] = [];
  const given = new Map<string, unknown>(Object.entries(value));
  for (const name of given.keys()) {
    if (!Object.hasOwn(NO_CHAOS, name)) problems.push(`"${name}" is not a chaos setting`);
  }
  const chaos: Record<ChaosName, number> = { ...NO_CHAOS };
  for (const { name, max, isWhole } of CHAOS_SETTINGS) {
    const number = given.get(name) ?? 0;
    const isValid = typeof number === 'number' && number >= 0 && number <= max;
    if (isValid && (!isWhole || Number.isInteger(number))) chaos[name] = number;
    else if (isWhole) problems.push(`"${name}" must be a whole number from 0 to ${max}`);
    else problems.push(`"${name}" must be a number from 0 to ${max}`);
  }
  return problems.length > 0 ? new Problem('A300', problems.join('; ')) : chaos;
}
