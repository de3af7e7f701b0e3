/**
 * The guards of a send: every reason to refuse one that was read without a problem. Single sends, combined sends and the
 * operator's try-out all ask this list, in this order; the first problem is the answer.
 *
 *   of the flow       once a request: may the account send this at all?
 *   of a recipient    once a recipient, with the words put in: can this one get it?
 *   of the load       once a request, after all others, because it takes from the account's rate
 */
import { type Account, mayUseChannel } from '../domain/account/account.ts';
import { markProblem } from '../domain/delivery/advertisement.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { type ChooseRoute, UNROUTED } from '../domain/delivery/routing.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Limiter, Over } from '../platform/limiter.ts';
import type { Soon } from '../platform/soon.ts';

type FlowGuard = (account: Account, flow: Flow) => Problem | undefined;

/**
 * Most messages have nothing to look up: then there is no promise to wait for either, which is worth a twentieth of all
 * accepts a second.
 */
export type RecipientGuard = (account: Account, flow: Flow, to: string) => Soon<Problem | undefined>;

/** A promise only where another node has to be asked for a part of the account's rate. */
type LoadGuard = (account: Account, recipients: number) => Soon<Problem | undefined>;

export interface SendGuards {
  readonly flowProblem: FlowGuard;
  readonly recipientProblem: RecipientGuard;
  readonly loadProblem: LoadGuard;
}

export interface GuardDeps {
  readonly route: ChooseRoute;
  readonly limiter: Limiter;
  /** Guards that look up what is registered or uploaded. */
  readonly checks: readonly RecipientGuard[];
  /** True when the queue holds as much as it should. */
  readonly isQueueFull: () => boolean;
}

/**
 * Names and texts of a flow together. Our choice: many times the largest flow that people write, and as much as a form may
 * hold. It is read again for each recipient, each attempt and each step.
 */
export const MAX_FLOW_BYTES = 64 * 1024;

export function createSendGuards({ route, limiter, checks, isQueueFull }: GuardDeps): SendGuards {
  const ofFlow: readonly FlowGuard[] = [channelIsAllowed, flowIsNotTooLarge];
  const ofRecipient: readonly RecipientGuard[] = [carrierIsConfigured, advertisementIsMarked, ...checks];

  return {
    flowProblem: (account, flow) => firstOf(ofFlow, guard => guard(account, flow)),
    recipientProblem,
    loadProblem: (account, recipients) => rateIsKept(account, recipients) ?? queueHasRoom(),
  };

  /**
   * Look-ups run side by side, and each that has begun is waited for: one that fails with nobody listening would end the
   * process.
   */
  function recipientProblem(...subject: Parameters<RecipientGuard>): ReturnType<RecipientGuard> {
    const lookUps: Promise<Problem | undefined>[] = [];
    for (const guard of ofRecipient) {
      const found = guard(...subject);
      if (found instanceof Promise) lookUps.push(found);
      else if (found && lookUps.length === 0) return found;
      else if (found) lookUps.push(Promise.resolve(found));
    }
    if (lookUps.length === 0) return undefined;
    return Promise.all(lookUps).then(problems => problems.find(problem => problem !== undefined));
  }

  function channelIsAllowed(account: Account, flow: Flow): Problem | undefined {
    const barred = flow.find(({ channel }) => !mayUseChannel(account.settings, channel));
    return barred && new Problem('A325', `the account may not send on the channel "${barred.channel}"`);
  }

  function flowIsNotTooLarge(_account: Account, flow: Flow): Problem | undefined {
    return isLargerThan(MAX_FLOW_BYTES, flow)
      ? new Problem('A300', `The messages are larger than ${MAX_FLOW_BYTES} bytes together`)
      : undefined;
  }

  function carrierIsConfigured(account: Account, flow: Flow, to: string): Problem | undefined {
    const unrouted = flow.find(
      ({ channel }) => route({ account: account.id, channel, to }).carrier === UNROUTED,
    );
    return (
      unrouted && new Problem('A325', `no carrier is configured for "${unrouted.channel}" to this recipient`)
    );
  }

  function advertisementIsMarked({ settings }: Account, flow: Flow): Problem | undefined {
    return markProblem(settings, flow);
  }

  function rateIsKept({ id, settings: { sendRate } }: Account, recipients: number): ReturnType<LoadGuard> {
    if (sendRate === undefined) return undefined;
    const problemOf = (over: Over | undefined) =>
      over && new Problem('A020', `Rate limit exceeded: ${sendRate} recipients a second`, over);
    const over = limiter.take(`send ${id}`, { ratePerSecond: sendRate, burst: sendRate }, recipients);
    return over instanceof Promise
      ? over.then(waited => problemOf(waited) ?? queueHasRoom())
      : problemOf(over);
  }

  function queueHasRoom(): Problem | undefined {
    return isQueueFull()
      ? new Problem('A020', 'The queue is full: try again later', { retryAfterSeconds: 5 })
      : undefined;
  }
}

function firstOf<Guard>(
  guards: readonly Guard[],
  ask: (guard: Guard) => Problem | undefined,
): Problem | undefined {
  for (const guard of guards) {
    const problem = ask(guard);
    if (problem) return problem;
  }
  return undefined;
}

const MOST_BYTES_OF_A_CHARACTER = 3;

/** Names and texts, in UTF-8. Bytes are counted only where the number of characters leaves a doubt: that takes longer. */
function isLargerThan(bytes: number, flow: Flow): boolean {
  if (sizeOf(flow, text => text.length) * MOST_BYTES_OF_A_CHARACTER <= bytes) return false;
  return sizeOf(flow, text => Buffer.byteLength(text)) > bytes;
}

/**
 * Of the names and texts of a value; depth is bounded where it was read. By `Object.keys`: with `for … in` V8 compiled this forty
 * times a second, and threw it away each time.
 */
function sizeOf(value: unknown, sizeOfText: (text: string) => number): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const name of Object.keys(value)) {
    size += name.length + sizeOf(value[name as keyof typeof value], sizeOfText);
  }
  return size;
}
