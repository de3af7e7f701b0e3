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

/** The days of a zone. A day is named by its date, and the date by the moment at which it begins in UTC, in every zone. */
export interface Calendar {
  /** The date of a moment. */
  dateOf(ms: number): number;
  /** The moment at which a date begins. */
  startOf(date: number): number;
  /** The start of the hour of a moment. Hours are counted from the start of their day. */
  hourOf(ms: number): number;
}

export function calendarOf(timeZone: string): Calendar {
  const offsetMinutes = offsetsIn(timeZone);
  const dateOf = (ms: number) => utcDay(ms + offsetMinutes(ms) * 60_000);
  const startOf = (date: number) => {
    const guess = date - offsetMinutes(date) * 60_000;
    // The clocks may be changed between the two.
    return date - offsetMinutes(guess) * 60_000;
  };
  const hourOf = (ms: number) => {
    const day = startOf(dateOf(ms));
    return day + Math.floor((ms - day) / HOUR_MS) * HOUR_MS;
  };
  return { dateOf, startOf, hourOf };
}

/** The start of the UTC day of a moment. */
export function utcDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** The name of a date, `yyyy-MM-dd`. */
export function nameOfDate(date: number): string {
  return new Date(date).toISOString().slice(0, 10);
}

/** Too near to the beginning of time to reckon with. */
const FIRST_DATE = 10 * DAY_MS;

/** The date with this name; undefined if there is none. */
export function dateNamed(name: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(name) || !isSameDay(name)) return undefined;
  const date = Date.parse(`${name}T00:00:00Z`);
  return date < FIRST_DATE ? undefined : date;
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
