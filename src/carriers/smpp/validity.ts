/** Relative time of SMPP, `YYMMDDhhmmss000R`: how long the other side may try. */
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
