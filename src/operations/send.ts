/** Accepting a send: the one path for every channel. A000 leaves only after message and job are on disk. */
import { type Account, mayUseChannel } from '../domain/account.ts';
import { type DeadlineSettings, deadlineMs } from '../domain/deadlines.ts';
import type { SingleSend } from '../domain/flow.ts';
import { BASE32, type MsgKey, msgKeyOf, type RequestId, timePrefix } from '../domain/ids.ts';
import { Problem } from '../domain/problem.ts';
import { type Route, UNROUTED } from '../domain/settlement.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Store } from '../store/store.ts';
import type { Events } from './events.ts';

/** A client's Idempotency-Key, bound to the path and to the exact bytes of the body. */
export interface IdempotencyKey {
  readonly key: string;
  readonly bodyHash: string;
}

export interface SendOperation {
  /** Resolves to the body of the answer, this one's or the one given before under the same key. */
  sendSingle(
    account: Account,
    send: SingleSend,
    render: (msgKey: MsgKey) => string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<string | Problem>;
}

const RANDOM_PART = 19;

export function createSend(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly limiter: RateLimiter;
  readonly events: Events;
  readonly route: Route;
  readonly deadlines: DeadlineSettings;
  /** True when the queue holds as much as it should. */
  readonly isQueueFull: () => boolean;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
}): SendOperation {
  const { store, clock, random, limiter, events, route, deadlines, isQueueFull, wake } = deps;

  return {
    async sendSingle(account, send, render, idempotency) {
      const problem = permissionProblem(account, send) ?? loadProblem(account, 1);
      if (problem) return problem;
      const [first] = send.flow;
      if (first === undefined) return new Problem('A300', 'the flow is empty');

      const now = clock.now();
      const requestId = (timePrefix(now) + random.characters(RANDOM_PART, BASE32)) as RequestId;
      const msgKey = msgKeyOf(requestId, 0);
      const response = render(msgKey);
      const result = await store.messages.accept({
        requestId,
        account: account.id,
        acceptedAt: now,
        ref: send.ref,
        flow: send.flow,
        messages: [
          { msgKey, to: send.to, words: undefined, carrier: route(account.id, first.channel, send.to) },
        ],
        deadlineAt: now + deadlineMs(first, deadlines),
        idempotency: idempotency && { ...idempotency, response },
      });
      switch (result.kind) {
        case 'conflict':
          return new Problem('A301');
        case 'replayed':
          return result.response;
        case 'stored':
          wake();
          events.accepted(account.id, first.channel, [msgKey], send.to);
          return response;
      }
    },
  };

  function permissionProblem(account: Account, send: SingleSend): Problem | undefined {
    for (const { channel } of send.flow) {
      if (!mayUseChannel(account.settings, channel)) {
        return new Problem('A325', `the account may not send on the channel "${channel}"`);
      }
      if (route(account.id, channel, send.to) === UNROUTED) {
        return new Problem('A325', `no carrier is configured for "${channel}" to this recipient`);
      }
    }
    return undefined;
  }

  function loadProblem(account: Account, recipients: number): Problem | undefined {
    const { sendRate } = account.settings;
    if (sendRate !== undefined) {
      const rate = { ratePerSecond: sendRate, burst: sendRate };
      const over = limiter.take(`send ${account.id}`, rate, recipients);
      if (over) return new Problem('A020', `Rate limit exceeded: ${sendRate} recipients a second`, over);
    }
    if (isQueueFull())
      return new Problem('A020', 'The queue is full: try again later', { retryAfterSeconds: 5 });
    return undefined;
  }
}
