/** Relative time of SMPP, `YYMMDDhhmmss000R`: how long the other side may try. */
/** The carrier's own limit, or the message's where that ends earlier; empty where neither has one. */
export function validityOf(carrierMs: number | undefined, messageMs: number | undefined): string {
  const ms = Math.min(carrierMs ?? Number.POSITIVE_INFINITY, messageMs ?? Number.POSITIVE_INFINITY);
  // Zero would be a default of the other side.
  return Number.isFinite(ms) ? relativeTime(Math.max(ms, 1000)) : '';
}

export function relativeTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const days = Math.floor(seconds / 86_400);
  const fields = [
    // Months have no fixed length, so days stay days as far as they go.
    0,
    Math.floor(days / 31),
    days % 31,
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  return `${fields.map(field => String(field).padStart(2, '0')).join('')}000R`;
}
