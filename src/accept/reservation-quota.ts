/** What the reservations of an account may have together, and the refusal of what finds no room. */
import type { Account } from '../domain/account/account.ts';
import { Problem } from '../domain/request/problem.ts';
import type { ReservationQuota, UsedUp } from '../store/store.ts';

export function quotaOf({ settings }: Account): ReservationQuota {
  const { reservationLimit, reservationRecipients, reservationBytes } = settings;
  return { reservations: reservationLimit, recipients: reservationRecipients, bytes: reservationBytes };
}

export function quotaProblem({ what, used, added }: UsedUp, account: Account): Problem {
  const most = quotaOf(account)[what];
  return new Problem('A300', textOf(what, { most, used, added }));
}

function textOf(
  what: UsedUp['what'],
  { most, used, added }: { readonly most: number; readonly used: number; readonly added: number },
): string {
  switch (what) {
    case 'reservations':
      return `The account may have ${most} reservations (reservationLimit), and has them: cancel one, or wait until one has ended`;
    case 'recipients':
      return `The account may have ${most} recipients in reservations (reservationRecipients), ${used} wait and ${added} were given: cancel a reservation, or wait until one has been sent`;
    case 'bytes':
      return `The account may have ${most} bytes in reservations (reservationBytes), has ${used} and gave ${added}: cancel a reservation, or wait until one has ended`;
  }
}
