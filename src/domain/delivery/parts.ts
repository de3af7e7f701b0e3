/**
 * Receipts of a message that was sent in parts, a character for each part: `.` no receipt yet, `+` delivered. The message is delivered when every part is; one failed part fails it.
 */
export type Parts = string;

const OPEN = '.';
const DELIVERED = '+';

/** The parts of a message that was just sent; undefined where it was sent whole. */
export function partsSent(count: number): Parts | undefined {
  return count > 1 ? OPEN.repeat(count) : undefined;
}

/** The parts after a receipt "delivered" for one of them; undefined if it had one before. */
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
