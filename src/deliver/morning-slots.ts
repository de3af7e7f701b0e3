/**
 * When a deferred advertisement goes out: from the opening of the hours on, one after the other at the account's own rate, so
 * that a night's advertisements do not become due in one moment. Without a rate of its own, the pace of the carrier spreads
 * them. Slots are this node's: with several, or after a restart, some coincide, which the carrier's pace evens out as well.
 */
import { type AccountSettings, hoursMs } from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';

type SlotOf = (
  account: AccountId,
  opensAt: number,
  settings: Pick<AccountSettings, 'sendRate' | 'adHours'>,
) => number;

export function createMorningSlots(): SlotOf {
  const mornings = new Map<AccountId, { opensAt: number; taken: number }>();
  return (account, opensAt, { sendRate, adHours }) => {
    if (sendRate === undefined) return opensAt;
    let morning = mornings.get(account);
    if (morning?.opensAt !== opensAt) {
      morning = { opensAt, taken: 0 };
      mornings.set(account, morning);
    }
    // More than fit into the hours begin again with the first second.
    return opensAt + (Math.floor((morning.taken++ * 1000) / sendRate) % hoursMs(adHours));
  };
}
