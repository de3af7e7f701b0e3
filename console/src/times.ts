/**
 * Times in one zone. A time is kept and sent as an instant (ISO with its offset); only what a person reads or types is local
 * to the chosen zone, in tables, inputs and charts alike.
 */

export const ZONE_CHOICES = ['gateway', 'browser', 'utc'] as const;
export type ZoneChoice = (typeof ZONE_CHOICES)[number];

/** The name of the chosen zone. A gateway may know one that this browser does not; it is then UTC. */
export function zoneOf(choice: ZoneChoice, gatewayZone: string): string {
  const name = choice === 'gateway' ? gatewayZone : choice === 'browser' ? browserZone() : 'UTC';
  try {
    formatterOf(name);
    return name;
  } catch {
    return 'UTC';
  }
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A name short enough to stand beside a label: `New York` of `America/New_York`. */
export function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

/** `11-15 14:03:09`, with the year where it is not the one of `now`, with milliseconds where they matter. */
export function formatTime(at: string, zone: string, now: number, isPrecise = false): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  const local = localOf(instant, zone);
  const isThisYear = local.slice(0, 4) === localOf(now, zone).slice(0, 4);
  const day = isThisYear ? local.slice(5, 10) : local.slice(0, 10);
  // What the gateway does not know in milliseconds is not given any.
  const fraction = isPrecise && /T[\d:]{8}\.\d/.test(at) ? local.slice(19) : '';
  return `${day} ${local.slice(11, 19)}${fraction}`;
}

/** `14:05:09`, or `14:05:09.120` of a time that has milliseconds. */
export function formatClock(at: string, zone: string): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  return localOf(instant, zone).slice(11, /T[\d:]{8}\.\d/.test(at) ? 23 : 19);
}

/** The value of a `datetime-local` input, `2026-11-15T14:03`, for an instant; empty for none. */
export function toLocalInput(at: string, zone: string): string {
  const instant = Date.parse(at);
  return Number.isNaN(instant) ? '' : localOf(instant, zone).slice(0, 16);
}

/** The instant that a `datetime-local` input means; empty for none. Of an hour that comes twice, the first. */
export function fromLocalInput(local: string, zone: string): string {
  const asIfUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
  if (Number.isNaN(asIfUtc)) return '';
  const offsets = [asIfUtc - DAY_MS, asIfUtc + DAY_MS].map(near => offsetOf(near, zone));
  const fits = offsets.map(offset => asIfUtc - offset).filter(it => it + offsetOf(it, zone) === asIfUtc);
  // An hour that the clocks skip: as if they had not been changed yet.
  const instant = fits.length > 0 ? Math.min(...fits) : asIfUtc - (offsets[0] ?? 0);
  return new Date(instant).toISOString();
}

const DAY_MS = 86_400_000;

/** `2026-11-15T14:03:09.120`, without an offset. */
export function localOf(instant: number, zone: string): string {
  return new Date(instant + offsetOf(instant, zone)).toISOString().slice(0, 23);
}

function offsetOf(instant: number, zone: string): number {
  const part = formatterOf(zone)
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName');
  // `GMT+09:00`, or plain `GMT`; zones of the nineteenth century had seconds.
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(part?.value ?? '');
  if (!match) return 0;
  const [, sign, hours, minutes, seconds = 0] = match;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** Making a formatter takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formatters.set(zone, formatter);
  }
  return formatter;
}
