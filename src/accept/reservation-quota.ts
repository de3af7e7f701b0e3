/** The limits of all reservations of an account together, and the refusal of what exceeds them. */
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
      return `The account has reached its limit of ${most} reservations (reservationLimit): cancel one, or wait until one has ended`;
    case 'recipients':
      return `The account may have at most ${most} recipients in reservations (reservationRecipients): ${used} are pending and the request adds ${added}. Cancel a reservation, or wait until one has been sent`;
    case 'bytes':
      return `The account may have at most ${most} bytes in reservations (reservationBytes): ${used} are in use and the request adds ${added}. Cancel a reservation, or wait until one has ended`;
  }
}
