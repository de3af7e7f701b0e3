/** Accepting a send: the one path for every channel. A000 is answered only after message and job are on disk. */
import type { Account } from '../domain/account/account.ts';
import { channelOf } from '../domain/channels/channel-table.ts';
import { isAdvertisement } from '../domain/delivery/advertisement.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { Flow, SingleSend } from '../domain/delivery/flow.ts';
import { type ChooseRoute, type RouteChoice, UNROUTED } from '../domain/delivery/routing.ts';
import type { LiveStep } from '../domain/delivery/settlement.ts';
import { BASE32, type MsgKey, msgKeyOf, type RequestId, timePrefix } from '../domain/ids.ts';
import { compileFlow, FORM, type OmniRequest, tooManyRecipients } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES } from '../domain/request/result-codes.ts';
import type { Events } from '../observe/events.ts';
import { startSpan } from '../observe/spans.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Soon } from '../platform/soon.ts';
import {
  type AcceptResult,
  firstStepOf,
  type NewClaim,
  type NewMessage,
  type NewRequest,
  type RecentSend,
  type Store,
} from '../store/store.ts';
import type { StoreTime } from '../store/store-time.ts';
import { Acceptance } from './acceptance.ts';
import { createDuplicateGuard, fingerprintOf } from './duplicates.ts';
import type { EndOptedOut } from './end-opted-out.ts';
import type { Forms } from './forms.ts';
import type { SendGuards } from './guards.ts';
import { type Answered, answerOf, type IdempotencyKey, type Once } from './idempotency.ts';
import { recipientTurns } from './recipient-turns.ts';

/** One recipient's own result in a combined send. */
export interface DestinationResult {
  readonly to: string;
  readonly msgKey: MsgKey | null;
  readonly code: string;
  readonly result: string;
  /** Its own reference, if it has one. */
  readonly ref?: string;
}

export interface SendOperation {
  /** Resolves to the body of the answer, this one's or the one given before under the same key. */
  /** `render` makes the answer before the message is stored; what it waits for is on disk by then. */
  sendSingle(
    account: Account,
    send: SingleSend,
    render: (msgKey: MsgKey) => string | Promise<string>,
    idempotency: IdempotencyKey | undefined,
  ): Promise<Answered>;
  sendOmni(
    account: Account,
    omni: OmniRequest,
    render: (destinations: readonly DestinationResult[]) => string | Promise<string>,
    idempotency: IdempotencyKey | undefined,
  ): Promise<Answered>;
  /** Refuses a request that could not be read, unless it was answered before under the same key. */
  refuse(account: Account, problem: Problem, idempotency: IdempotencyKey | undefined): Promise<Answered>;
  /** Why sends would not be accepted; load aside. */
  readonly guards: Omit<SendGuards, 'loadProblem'>;
  /** Stops looking up requests of which it is not known whether they are stored. */
  stop(): void;
}

/** What the dispatcher does for messages that are accepted. */
export interface Dispatch {
  /** Room at the carrier for these messages, before they are stored; undefined where they are to queue. */
  promiseRoom(messages: readonly NewMessage[]): PromisedRoom | undefined;
  /** There are messages in the queue. */
  wake(): void;
}

/** Messages are stored under its claim, and handed over once they are. */
interface PromisedRoom {
  readonly claim: NewClaim;
  stored(steps: readonly LiveStep[]): void;
  notStored(isCertain: boolean): void;
}

const RANDOM_PART = 19;

export interface SendDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly forms: Pick<Forms, 'entries'>;
  readonly guards: SendGuards;
  readonly route: ChooseRoute;
  readonly deadlines: DeadlineSettings;
  /** Adds to a flow what the registry knows of it. */
  readonly completeFlow: (account: Account, flow: Flow) => Soon<Flow>;
  readonly endOptedOut: EndOptedOut;
  /** Takes what is accepted on its way. */
  readonly dispatch: Dispatch;
  readonly once: Once;
  readonly storeTimeoutMs: number;
}

export function createSend(deps: SendDeps): SendOperation {
  const { store, clock, random, events, forms, guards, route, deadlines, dispatch } = deps;
  const { once, storeTimeoutMs } = deps;
  const duplicates = createDuplicateGuard({ store, clock });
  const acceptance = new Acceptance({ store, clock, events, storeTimeoutMs });

  return {
    sendSingle: (...[account, send, render, idempotency]) =>
      once(account, idempotency, time => sendSingle(account, send, render, idempotency, time)),
    sendOmni: (...[account, omni, render, idempotency]) =>
      once(account, idempotency, time => sendOmni(account, omni, render, idempotency, time)),
    refuse: (account, problem, idempotency) => once(account, idempotency, async () => problem),
    guards,
    stop: () => acceptance.stop(),
  };

  async function sendSingle(
    ...[account, send, render, idempotency, time]: [...Parameters<SendOperation['sendSingle']>, StoreTime]
  ): Promise<Answered> {
    const { flow, to, ref, groupKey, traceparent } = send;
    const refusal = guards.singleProblem(account, send);
    const overload = (refusal instanceof Promise ? await refusal : refusal) ?? guards.loadProblem(account, 1);
    const problem = overload instanceof Promise ? await overload : overload;
    if (problem) return problem;
    const requestId = newRequestId();
    const msgKey = msgKeyOf(requestId, 0);
    const messages = [{ msgKey, to, words: undefined, route: routeOf(account, flow, to) }];
    const accepting = () =>
      accept(
        account,
        { requestId, ref, groupKey, traceparent, paymentCode: undefined, flow, messages },
        render(msgKey),
        idempotency,
        time,
      );
    const { duplicateWindow } = account.settings;
    if (duplicateWindow === undefined) return await accepting();
    const tag = idempotency?.key ?? requestId;
    const own = { msgKey, fingerprint: fingerprintOf(to, flow) };
    const noted = await duplicates.note(account, duplicateWindow, tag, [own], time);
    return noted.repeated.size > 0 ? new Problem('A332') : noted.settle(accepting);
  }

  async function sendOmni(
    ...[account, omni, render, idempotency, time]: [...Parameters<SendOperation['sendOmni']>, StoreTime]
  ): Promise<Answered> {
    const { source, ref, groupKey, traceparent, paymentCode } = omni;
    const excess = tooManyRecipients(omni.destinations.length, account.settings.recipientLimit);
    if (excess) return excess;
    const entries = 'entries' in source ? source.entries : await forms.entries(account, source.formId);
    if (entries instanceof Problem) return entries;
    const compiled = compileFlow(entries, 'formId' in source ? FORM : undefined);
    if (compiled instanceof Problem) return compiled;
    const { flow, isTemplate } = compiled;
    const problem = await guards.flowProblem(account, compiled);
    if (problem) return problem;

    const requestId = newRequestId();
    const results: DestinationResult[] = [];
    const messages: NewMessage[] = [];
    const { duplicateWindow } = account.settings;
    const possible: RecentSend[] = [];
    const turns = recipientTurns();
    for (const [index, destination] of omni.destinations.entries()) {
      const othersTurn = turns();
      if (othersTurn) await othersTurn;
      const own = destination.ref === undefined ? undefined : { ref: destination.ref };
      const rendered = await renderedFor(destination);
      if (rendered instanceof Problem || 'problem' in destination) {
        const { code, result } = rendered instanceof Problem ? rendered : new Problem('A300');
        events.recipientRefused(code);
        results.push({ to: destination.given, msgKey: null, code, result, ...own });
        continue;
      }
      const { to, words, given } = destination;
      const msgKey = msgKeyOf(requestId, index);
      const route = routeOf(account, flow, to);
      messages.push({ msgKey, to, ref: destination.ref, words: isTemplate ? words : undefined, route });
      if (duplicateWindow !== undefined) possible.push({ msgKey, fingerprint: fingerprintOf(to, rendered) });
      results.push({ to: given, msgKey, code: 'A000', result: RESULT_CODES.A000.text, ...own });
    }
    if (duplicateWindow === undefined) return acceptThem(messages, results);
    const tag = idempotency?.key ?? requestId;
    const noted = await duplicates.note(account, duplicateWindow, tag, possible, time);
    const { code, result } = new Problem('A332');
    const isRepeated = (msgKey: MsgKey | null) => msgKey !== null && noted.repeated.has(msgKey);
    for (const _ of noted.repeated) events.recipientRefused(code);
    return noted.settle(() =>
      acceptThem(
        messages.filter(({ msgKey }) => !isRepeated(msgKey)),
        results.map(each => (isRepeated(each.msgKey) ? { ...each, msgKey: null, code, result } : each)),
      ),
    );

    async function acceptThem(
      messages: readonly NewMessage[],
      results: readonly DestinationResult[],
    ): Promise<Answered> {
      if (messages.length === 0) return render(results);
      const overload = await guards.loadProblem(account, messages.length);
      const request = { requestId, ref, groupKey, traceparent, paymentCode, flow, messages };
      return overload ?? accept(account, request, render(results), idempotency, time);
    }

    async function renderedFor(destination: OmniRequest['destinations'][number]): Promise<Flow | Problem> {
      if ('problem' in destination) return destination.problem;
      if (compiled instanceof Problem) return compiled;
      const rendered = compiled.flowFor(destination.words);
      if (rendered instanceof Problem) return rendered;
      return (await guards.recipientProblem(account, compiled, rendered, destination.to)) ?? rendered;
    }
  }

  /** Stores the request and its messages; `answer` is what the client gets, now and on a repetition. */
  async function accept(
    account: Account,
    request: {
      readonly requestId: RequestId;
      readonly ref: string | undefined;
      readonly groupKey: string | undefined;
      readonly traceparent: string | undefined;
      readonly paymentCode: string | undefined;
      readonly flow: Flow;
      readonly messages: readonly NewMessage[];
    },
    answer: string | Promise<string>,
    idempotency: IdempotencyKey | undefined,
    time: StoreTime,
  ): Promise<Answered> {
    const response = answer instanceof Promise ? await answer : answer;
    const [first] = request.flow;
    if (first === undefined) return new Problem('A300', 'the flow is empty');
    const completed = deps.completeFlow(account, request.flow);
    const flow = completed instanceof Promise ? await completed : completed;
    const now = clock.now();
    const deadlineAt = now + channelOf(first).deadlineMs(first, deadlines);
    const isBulk = request.messages.length > 1 || isAdvertisement(first);
    const span = startSpan('accept', request.traceparent, {
      'bongsu.msg_key': request.messages[0]?.msgKey,
      'bongsu.messages': request.messages.length,
      'bongsu.channel': first.channel,
    });
    const room = dispatch.promiseRoom(request.messages);
    const stored: NewRequest = {
      requestId: request.requestId,
      account: account.id,
      acceptedAt: now,
      ref: request.ref,
      groupKey: request.groupKey,
      traceparent: span.traceparent,
      paymentCode: request.paymentCode,
      flow,
      messages: request.messages,
      deadlineAt,
      isBulk,
      reportsLateDelivery: account.settings.lateReports,
      idempotency: idempotency && { ...idempotency, response },
      claim: room?.claim,
    };
    let result: AcceptResult | Problem | undefined;
    try {
      result = await acceptance.accept(stored, time);
    } finally {
      dispatchStored(stored, result, room);
      span.end(result instanceof Problem ? result.code : result ? undefined : 'failed');
    }
    if (result instanceof Problem) return result;
    if (result.kind === 'stored') {
      deps.endOptedOut(account.id, flow, request.messages);
      events.accepted(account.id, first.channel, request.messages);
    }
    return answerOf(result, response);
  }

  /** Where nothing waits for the carrier, the messages go to it from here; otherwise they queue. */
  function dispatchStored(
    request: NewRequest,
    result: AcceptResult | Problem | undefined,
    room: PromisedRoom | undefined,
  ): void {
    const isCertain = result !== undefined && 'kind' in result;
    const isStored = isCertain && result.kind === 'stored';
    if (!isStored) room?.notStored(isCertain);
    else if (room) room.stored(request.messages.map(message => firstStepOf(request, message)));
    else dispatch.wake();
  }

  function newRequestId(): RequestId {
    return (timePrefix(clock.now()) + random.characters(RANDOM_PART, BASE32)) as RequestId;
  }

  function routeOf(account: Account, flow: Flow, to: string): RouteChoice {
    const [first] = flow;
    if (!first) return { carrier: UNROUTED, why: 'the flow is empty' };
    return route({ account: account.id, channel: first.channel, to });
  }
}
