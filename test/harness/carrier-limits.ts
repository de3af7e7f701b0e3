/** How carriers limit what they take, as functions of the time in milliseconds: true where a part is taken. */

export type Limit = (now: number) => boolean;
type RateAt = (now: number) => number;

/** A token bucket that holds a second's worth. */
function tokenBucket(rateAt: RateAt): Limit {
  let tokens = rateAt(0);
  let filledAt = 0;
  return now => {
    const rate = rateAt(now);
    tokens = Math.min(rate, tokens + ((now - filledAt) / 1000) * rate);
    filledAt = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}

/** Never more than the rate in any second. */
function slidingWindow(rateAt: RateAt): Limit {
  const taken: number[] = [];
  return now => {
    while (taken[0] !== undefined && taken[0] <= now - 1000) taken.shift();
    if (taken.length >= rateAt(now)) return false;
    taken.push(now);
    return true;
  };
}

/** So many in each second of the clock. */
function calendarSecond(rateAt: RateAt): Limit {
  let second = -1;
  let taken = 0;
  return now => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      taken = 0;
    }
    if (taken >= rateAt(now)) return false;
    taken++;
    return true;
  };
}

export const LIMITS = { tokenBucket, slidingWindow, calendarSecond };
