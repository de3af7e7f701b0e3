/**
 * Receipts of a message that went out in parts. The parts are told by a character each: `.` no receipt yet, `+`
 * delivered. The message is delivered when every part is; one failed part fails it.
 */
export type Parts = string;

const OPEN = '.';
const DELIVERED = '+';

/** What to remember of a message's parts; nothing where it went out whole. */
export function partsSent(count: number): Parts | undefined {
  return count > 1 ? OPEN.repeat(count) : undefined;
}

/** The parts after a receipt "delivered" for one of them; undefined if that was told before. */
export function withDelivered(parts: Parts, index: number): Parts | undefined {
  if (!isOpen(parts, index)) return undefined;
  return parts.slice(0, index) + DELIVERED + parts.slice(index + 1);
}

export function isOpen(parts: Parts, index: number): boolean {
  return parts.charAt(index) === OPEN;
}

export function areAllDelivered(parts: Parts): boolean {
  return !parts.includes(OPEN);
}

/** How many have no receipt yet. */
export function countOpen(parts: Parts): number {
  return [...parts].filter(part => part === OPEN).length;
}
