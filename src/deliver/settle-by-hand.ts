/**
 * Settling by hand: the carrier has said what became of messages whose outcome is unknown, or whose receipts do not come, and an
 * operator ends them accordingly. Each outcome goes through settle, which decides by the state that the message has by then.
 *
 * A message that has gone to its next step, or to another carrier, since it was looked up is left alone: what is said is not about
 * that. A receipt that comes later counts as after any other end. What fails goes on with its fallback.
 */
import { familyOf } from '../domain/channels/channel-table.ts';
import { SETTLEABLE } from '../domain/delivery/lifecycle.ts';
import type { StepEvent } from '../domain/delivery/settlement.ts';
import { isCodeOf, type ReportCode } from '../domain/reports/report-codes.ts';
import type { FoundMessage } from '../store/store.ts';
import type { Settle } from './settle.ts';

/** What the carrier says became of them. */
export interface ToldOutcome {
  /** Undefined: delivered. */
  readonly failedWith: ReportCode | undefined;
  /** How the operator knows it; the timelines of the messages show it. */
  readonly reason: string;
}

export type SettleByHand = (
  messages: readonly FoundMessage[],
  outcome: ToldOutcome,
) => Promise<readonly FoundMessage[]>;

export function createSettleByHand({ settle }: { readonly settle: Settle }): SettleByHand {
  return async (messages, { failedWith, reason: why }) => {
    const event: StepEvent =
      failedWith === undefined
        ? { name: 'toldDelivered', why }
        : { name: 'toldFailed', reportCode: failedWith, why };
    const open = messages.filter(message => isSettleable(message) && mayEndWith(message, failedWith));
    const settled = await settle(
      open.map(({ msgKey, step, carrier }) => {
        // Whichever attempt it has.
        return {
          ...{ kind: 'step', msgKey, step, attempt: 0, event },
          ...(carrier !== undefined && { carrier }),
        } as const;
      }),
    );
    return open.filter((_, index) => settled[index] === 'ended');
  };
}

export function isSettleable({ state }: FoundMessage): boolean {
  return SETTLEABLE.includes(state);
}

/** Whether the code is one of the channel that the message is at; every channel knows the success. */
export function mayEndWith({ channels, step }: FoundMessage, failedWith: ReportCode | undefined): boolean {
  const channel = channels[step];
  return failedWith === undefined || channel === undefined || isCodeOf(familyOf(channel), failedWith);
}
