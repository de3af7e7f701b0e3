/**
 * The guards of a send: every reason to refuse one that was read without a problem. Single sends, combined sends,
 * reservations, forms and the operator's try-out all ask this list, in this order; the first problem is the answer.
 *
 *   of the flow       once a request: may the account send this at all?
 *   of a recipient    once a recipient, with the words put in: can this one get it?
 *   of the load       once a request, after all others, because it takes from the account's rate
 *
 * What every recipient would be refused for is a problem of the flow. What depends on words is found for each recipient.
 */
import { type Account, mayUseChannel } from '../domain/account/account.ts';
import { markProblem } from '../domain/delivery/advertisement.ts';
import type { Flow, SingleSend } from '../domain/delivery/flow.ts';
import { type ChooseRoute, UNROUTED } from '../domain/delivery/routing.ts';
import { type FieldNames, singleNames } from '../domain/request/field-names.ts';
import type { Reading } from '../domain/request/fields.ts';
import type { CompiledFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Limiter, Over } from '../platform/limiter.ts';
import type { Soon } from '../platform/soon.ts';

/** A flow as it is checked. */
export interface CheckedFlow {
  readonly flow: Flow;
  readonly names: FieldNames;
  /** `template`: for all recipients at once, before their words are put in. */
  readonly reading: Reading;
  /** The recipient; undefined where it is checked for all of them. */
  readonly to?: string;
}

/**
 * Most messages have nothing to look up: then there is no promise to wait for either, which is worth a twentieth of all
 * accepts a second.
 */
export type FlowCheck = (account: Account, checked: CheckedFlow) => Soon<Problem | undefined>;

type FlowGuard = (account: Account, checked: CheckedFlow) => Problem | undefined;

/** A promise only where another node has to be asked for a part of the account's rate. */
type LoadGuard = (account: Account, recipients: number) => Soon<Problem | undefined>;

export interface SendGuards {
  /** Problem of a single send: its flow's or its recipient's. */
  singleProblem(account: Account, send: SingleSend): Soon<Problem | undefined>;
  /** Problem that a flow has for every recipient. */
  flowProblem(account: Account, compiled: CompiledFlow): Soon<Problem | undefined>;
  /** Problem of one recipient, where the flow itself has none; `rendered` is the flow with the recipient's words. */
  recipientProblem(
    account: Account,
    compiled: CompiledFlow,
    rendered: Flow,
    to: string,
  ): Soon<Problem | undefined>;
  readonly loadProblem: LoadGuard;
}

export interface GuardDeps {
  readonly route: ChooseRoute;
  readonly limiter: Limiter;
  /** Guards that look up what is registered or uploaded. */
  readonly checks: readonly FlowCheck[];
  /** True when the queue holds as much as it should. */
  readonly isQueueFull: () => boolean;
  /** What was accepted before: that this node has no route for it now is no reason to refuse it. */
  readonly mayBeUnrouted?: boolean;
}

/**
 * Names and texts of a flow together. Our choice: many times the largest flow that people write, and as much as a form may
 * hold. It is read again for each recipient, each attempt and each step.
 */
export const MAX_FLOW_BYTES = 64 * 1024;

export function createSendGuards(deps: GuardDeps): SendGuards {
  const ofFlow: readonly FlowGuard[] = [channelIsAllowed, flowIsNotTooLarge];
  const { route, limiter, checks, isQueueFull, mayBeUnrouted = false } = deps;

  return {
    singleProblem(account, { flow, to, style }) {
      const checked: CheckedFlow = { flow, to, names: singleNames(flow, style), reading: 'final' };
      const problem =
        firstOf(ofFlow, guard => guard(account, checked)) ??
        carrierIsConfigured(account, flow, to) ??
        advertisementIsMarked(account, checked);
      return problem ?? lookUps(account, checked);
    },
    flowProblem(account, { flow, names, isTemplate }) {
      const checked: CheckedFlow = { flow, names, reading: isTemplate ? 'template' : 'final' };
      const problem =
        firstOf(ofFlow, guard => guard(account, checked)) ?? advertisementIsMarked(account, checked);
      return problem ?? lookUps(account, checked);
    },
    recipientProblem(account, { names, isTemplate }, rendered, to) {
      const problem = carrierIsConfigured(account, rendered, to);
      if (problem || !isTemplate) return problem;
      const checked: CheckedFlow = { flow: rendered, to, names, reading: 'final' };
      return advertisementIsMarked(account, checked) ?? lookUps(account, checked);
    },
    loadProblem: (account, recipients) => rateIsKept(account, recipients) ?? queueHasRoom(),
  };

  /**
   * Look-ups run side by side, and each that has begun is waited for: one that fails with nobody listening would end the
   * process.
   */
  function lookUps(account: Account, checked: CheckedFlow): Soon<Problem | undefined> {
    const begun: Promise<Problem | undefined>[] = [];
    for (const check of checks) {
      const found = check(account, checked);
      if (found instanceof Promise) begun.push(found);
      else if (found && begun.length === 0) return found;
      else if (found) begun.push(Promise.resolve(found));
    }
    if (begun.length === 0) return undefined;
    return Promise.all(begun).then(problems => problems.find(problem => problem !== undefined));
  }

  function channelIsAllowed(account: Account, { flow }: CheckedFlow): Problem | undefined {
    const barred = flow.find(({ channel }) => !mayUseChannel(account.settings, channel));
    return barred && new Problem('A325', `the account may not send on the channel "${barred.channel}"`);
  }

  function flowIsNotTooLarge(_account: Account, { flow }: CheckedFlow): Problem | undefined {
    return isLargerThan(MAX_FLOW_BYTES, flow)
      ? new Problem('A300', `The messages are larger than ${MAX_FLOW_BYTES} bytes in total`)
      : undefined;
  }

  function carrierIsConfigured(account: Account, flow: Flow, to: string): Problem | undefined {
    if (mayBeUnrouted) return undefined;
    const unrouted = flow.find(
      ({ channel }) => route({ account: account.id, channel, to }).carrier === UNROUTED,
    );
    return (
      unrouted && new Problem('A325', `no carrier is configured for "${unrouted.channel}" to this recipient`)
    );
  }

  function advertisementIsMarked({ settings }: Account, checked: CheckedFlow): Problem | undefined {
    return markProblem(settings, checked);
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
