/**
 * The last check of a step before it is submitted: whether its recipient has opted out meanwhile, and whether advertisements
 * may go out at this hour. A step is skipped if it is no advertisement and the list of its account covers only advertisements.
 */
import type { Account } from '../domain/account/account.ts';
import { isAdvertising, quietHoursCode, quietMs } from '../domain/delivery/advertisement.ts';
import type { Step } from '../domain/delivery/flow.ts';
import type { IsOptedOut } from '../domain/delivery/opt-out.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import type { StepInFlow } from '../domain/delivery/step-in-flow.ts';
import type { AccountId } from '../domain/ids.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { AccountStore } from '../store/store.ts';
import { createMorningSlots } from './morning-slots.ts';

/** The event that keeps the step from going out; no promise for most. */
export type StepCheck = (
  live: LiveStep,
  sent: StepInFlow,
  now: number,
) => Promise<StepEvent | undefined> | undefined;

export function createStepCheck(deps: {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly isOptedOut: IsOptedOut;
  readonly formatTime: FormatTime;
}): StepCheck {
  const { accounts, isOptedOut, formatTime } = deps;
  const slotOf = createMorningSlots();
  const asked = new Map<AccountId, Promise<Account | undefined>>();

  return (live, sent, now) => {
    const optedOut = isOptedOut(live.account, live.to, sent);
    const isAd = isAdvertising(sent);
    return optedOut === false && !isAd ? undefined : check(live, sent.step, now, optedOut, isAd);
  };

  async function check(
    live: LiveStep,
    step: Step,
    now: number,
    optedOut: ReturnType<IsOptedOut>,
    isAd: boolean,
  ): Promise<StepEvent | undefined> {
    if (await optedOut) return { name: 'optedOut' };
    return isAd ? hourCheck(live, step, now) : undefined;
  }

  /** Asked once for all steps of one turn. */
  function accountOf(id: AccountId): Promise<Account | undefined> {
    let found = asked.get(id);
    if (!found) {
      found = Promise.resolve().then(() => {
        asked.delete(id);
        return accounts.find(id);
      });
      asked.set(id, found);
    }
    return found;
  }

  async function hourCheck(live: LiveStep, step: Step, now: number): Promise<StepEvent | undefined> {
    const account = await accountOf(live.account);
    if (!account || account.settings.advertisements === 'asIs') return undefined;
    const waitMs = quietMs(account.settings, formatTime(now).slice(11, 19));
    if (waitMs === 0) return undefined;
    if (account.settings.advertisements === 'refuse') {
      return { name: 'refused', reportCode: quietHoursCode(step), isUnasked: true };
    }
    const opensAt = Math.floor(now / 1000) * 1000 + waitMs;
    return { name: 'postponed', until: slotOf(live.account, opensAt, account.settings) };
  }
}
