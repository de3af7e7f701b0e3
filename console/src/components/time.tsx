/** A time sent by the gateway, shown in the gateway's time zone so that it matches logs and reports. */

export function Time({ at, isPrecise }: { at: string; isPrecise?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {formatTime(at, isPrecise)}
    </time>
  );
}

/** `2026-11-15T14:03:09.120+09:00` → `11-15 14:03:09`, with milliseconds where they matter. */
function formatTime(at: string, isPrecise = false): string {
  const match = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,3})?/.exec(at);
  if (!match) return at;
  const [, day, time, fraction = ''] = match;
  return `${day} ${time}${isPrecise ? fraction : ''}`;
}
