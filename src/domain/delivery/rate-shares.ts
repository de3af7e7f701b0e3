/**
 * How the rate of a carrier is divided between the nodes that send by it.
 *
 * What nodes can use is met first, the smallest wishes before the larger ones; what nobody can use is divided equally between
 * all that can send, so that each has something when its traffic begins. A node that has more than its part keeps it until
 * it asks again, and nobody is given what another still has: the shares together never exceed the rate.
 */
export interface RateClaim {
  /** What the node could use; 0 where it cannot send. */
  readonly wanted: number;
  /** What it has. */
  readonly share: number;
}

/** The share of a node that wants `wanted`, beside the others. */
export function rateShare(rate: number, wanted: number, others: readonly RateClaim[]): number {
  if (wanted <= 0) return 0;
  const wishes = [wanted, ...others.map(other => other.wanted)].filter(wish => wish > 0);
  const taken = others.reduce((sum, { share }) => sum + share, 0);
  return Math.max(0, Math.min(fairPart(rate, wanted, wishes), rate - taken));
}

function fairPart(rate: number, wanted: number, wishes: readonly number[]): number {
  const sorted = wishes.toSorted((a, b) => a - b);
  let left = rate;
  let level = 0;
  for (const [index, wish] of sorted.entries()) {
    // Each of those that are left can have this much.
    level = left / (sorted.length - index);
    if (wish >= level) return Math.min(wanted, level);
    left -= wish;
  }
  return wanted + left / sorted.length;
}
