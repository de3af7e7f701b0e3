/** Sums of the traffic: how long they are kept, and how much of them one answer has. */

export const HOURS_KEPT_DAYS = 35;
export const DAYS_KEPT = 400;
export const MOST_ROWS = 5000;
