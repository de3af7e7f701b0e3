/** Timestamps of the contract, `yyyy-MM-dd'T'HH:mm:ssXXX` in the configured zone. */

export type FormatTime = (ms: number) => string;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REMEMBERED_HOURS = 64;

/** `precision`: what happens to one message within a second is told apart by milliseconds; the contract has none. */
export function zonedTimeFormatter(
  timeZone: string,
  precision: 'seconds' | 'milliseconds' = 'seconds',
): FormatTime {
  const length = precision === 'seconds' ? 19 : 23;
  const offsetMinutes = offsetsIn(timeZone);
  return ms => {
    const minutes = offsetMinutes(ms);
    const local = new Date(ms + minutes * 60_000).toISOString().slice(0, length);
    const size = Math.abs(minutes);
    const hours = String(Math.floor(size / 60)).padStart(2, '0');
    return `${local}${minutes < 0 ? '-' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
  };
}

/**
 * Reads a time that may go without an offset, and is meant in the zone then. Of an hour that clocks put back repeat, the first;
 * one that they leave out is read as if they had not. Undefined where there is no such day or time.
 */
export function zonedTimeParser(timeZone: string): (text: string) => number | undefined {
  const offsetMinutes = offsetsIn(timeZone);
  return text => {
    const iso = text.replace(' ', 'T');
    const local = /(Z|[+-]\d\d:\d\d)$/.test(iso) ? undefined : Date.parse(`${iso}Z`);
    const ms = local === undefined ? Date.parse(iso) : momentOf(local);
    return Number.isNaN(ms) || !isSameDay(iso) ? undefined : ms;
  };

  function momentOf(local: number): number {
    if (Number.isNaN(local)) return local;
    const guess = local - offsetMinutes(local) * 60_000;
    return local - offsetMinutes(guess) * 60_000;
  }
}

/** Date.parse takes February 30 for March 2. */
function isSameDay(iso: string): boolean {
  const day = iso.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** The start of the day that a moment lies in. */
export function dayStarts(timeZone: string): (ms: number) => number {
  const offsetMinutes = offsetsIn(timeZone);
  return ms => {
    const offsetMs = offsetMinutes(ms) * 60_000;
    const midnight = Math.floor((ms + offsetMs) / DAY_MS) * DAY_MS;
    // The clocks may have been put on or back since.
    return midnight - offsetMinutes(midnight - offsetMs) * 60_000;
  };
}

/** Zones are at most fourteen hours from UTC: one of the three moments is on that date. */
const HALF_DAY_MS = 12 * HOUR_MS;
/** Offsets of zones are whole quarters of an hour. */
const QUARTER_MS = HOUR_MS / 4;
/** Too near to the beginning of time to reckon with. */
const FIRST_MOMENT = 10 * DAY_MS;

/** The start of a day named as `yyyy-MM-dd`; undefined if there is none. */
export function dayNamed(
  day: string,
  formatTime: FormatTime,
  dayOf: (ms: number) => number,
): number | undefined {
  const noon = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T12:00Z`) : Number.NaN;
  const moments = [noon, noon - HALF_DAY_MS, noon + HALF_DAY_MS].filter(at => at > FIRST_MOMENT);
  const found = moments.find(at => formatTime(at).slice(0, 10) === day);
  return found === undefined ? undefined : dayOf(found);
}

/**
 * Where a day that was begun in any zone may have its start, and still be this day: sums of days keep the starts of the zone that
 * was set when they were counted.
 */
export function startsInAnyZone(day: number, dayOf: (ms: number) => number): number[] {
  const starts: number[] = [];
  for (let at = day - HALF_DAY_MS; dayInAnyZone(at, dayOf) <= day; at += QUARTER_MS) {
    if (dayInAnyZone(at, dayOf) === day) starts.push(at);
  }
  return starts;
}

/** The day here that has most of the day which began then in any zone. */
export function dayInAnyZone(start: number, dayOf: (ms: number) => number): number {
  return dayOf(start + HALF_DAY_MS);
}

/** Minutes by which a zone is ahead of UTC at a moment. */
function offsetsIn(timeZone: string): (ms: number) => number {
  const offsets = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  // Asking Intl costs several microseconds; an offset changes on the quarter hour at most, in practice on the hour.
  const offsetMinutesOfHour = new Map<number, number>();

  return ms => {
    const hour = Math.floor(ms / HOUR_MS);
    let minutes = offsetMinutesOfHour.get(hour);
    if (minutes === undefined) {
      minutes = parseOffset(
        offsets.formatToParts(ms).find(part => part.type === 'timeZoneName')?.value ?? '',
      );
      if (offsetMinutesOfHour.size >= REMEMBERED_HOURS) offsetMinutesOfHour.clear();
      offsetMinutesOfHour.set(hour, minutes);
    }
    return minutes;
  };
}

/** `GMT+09:00`, or plain `GMT` for UTC. */
function parseOffset(name: string): number {
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
