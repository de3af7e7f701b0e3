/** A time sent by the gateway, in the zone that was chosen. Its title is the time as the gateway sent it. */
import { formatTime } from '../times.ts';
import { useZone } from '../zone.tsx';

export function Time({ at, isPrecise }: { at: string; isPrecise?: boolean }) {
  const { zone } = useZone();
  return (
    <time dateTime={at} title={at}>
      {formatTime(at, zone, Date.now(), isPrecise)}
    </time>
  );
}
