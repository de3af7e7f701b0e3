/**
 * Reservations: sends that wait for their time. What is reserved is checked like a send and gets its keys at once; when its time
 * has come it is checked again (reservation-release.ts).
 */
import type { Account } from '../domain/account/account.ts';
import { isAdvertisement } from '../domain/delivery/advertisement.ts';
import type { Flow, SingleSend } from '../domain/delivery/flow.ts';
import { BASE32, type MsgKey, type ResvKey, timePrefix } from '../domain/ids.ts';
import {
  type Destination,
  type OmniRequest,
  type RefusedDestination,
  tooManyRecipients,
} from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES } from '../domain/request/result-codes.ts';
import type { Later } from '../domain/reservation/parse-reservation.ts';
import { MAX_RESERVED, type RecipientList, type ReservedSource } from '../domain/reservation/reservation.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { NewReservation, ReserveResult, Store } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';
import { unknownProblem } from '../store/store-problem.ts';
import { isInDoubt, type StoreTime } from '../store/store-time.ts';
import type { Forms } from './forms.ts';
import type { SendGuards } from './guards.ts';
import { type Answered, answerOf, type IdempotencyKey, type Once, UNKNOWN_WITH_KEY } from './idempotency.ts';
import { RecipientLists } from './recipient-lists.ts';
import { recipientTurns } from './recipient-turns.ts';
import { type ReservationBook, unknownReservation, wrongState } from './reservation-book.ts';
import { quotaOf, quotaProblem } from './reservation-quota.ts';
import { type ReservedFlow, reservedFlow } from './reserved-flow.ts';
import type { DestinationResult } from './send.ts';

const KEY_RANDOM_PART = 16;

const IN_DOUBT =
  'It is not known whether the reservation was stored: look for it in the list before you repeat the request';

export interface Reservations extends ReservationBook {
  /** Resolve to the body of the answer, as sends do. `resvKey` is undefined where no recipient could be reserved. */
  reserveSingle(
    account: Account,
    send: SingleSend,
    later: Later,
    render: (msgKey: MsgKey, resvKey: ResvKey) => string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<Answered>;
  reserveOmni(
    account: Account,
    omni: OmniRequest,
    later: Later,
    render: (destinations: readonly DestinationResult[], resvKey: ResvKey | undefined) => string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<Answered>;
  addRecipients(
    account: Account,
    resvKey: ResvKey,
    recipients: readonly (Destination | RefusedDestination)[],
    render: (destinations: readonly DestinationResult[]) => string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<Answered>;
}

export function createReservations(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Pick<Events, 'recipientRefused'>;
  readonly forms: Forms;
  readonly guards: SendGuards;
  readonly book: ReservationBook;
  readonly once: Once;
  /** Why nothing more can be reserved. */
  readonly roomProblem: () => Problem | undefined;
}): Reservations {
  const { store, clock, random, events, forms, guards, book, once } = deps;

  return {
    ...book,

    reserveSingle: (...[account, send, later, render, idempotency]) =>
      once(account, idempotency, time => reserveSingle(account, send, later, render, idempotency, time)),
    reserveOmni: (...[account, omni, later, render, idempotency]) =>
      once(account, idempotency, time => reserveOmni(account, omni, later, render, idempotency, time)),
    addRecipients: (...[account, resvKey, recipients, render, idempotency]) =>
      once(account, idempotency, time =>
        addRecipients(account, resvKey, recipients, render, idempotency, time),
      ),
  };

  async function reserveSingle(
    ...[account, send, later, render, idempotency, time]: [
      ...Parameters<Reservations['reserveSingle']>,
      StoreTime,
    ]
  ): Promise<Answered> {
    const source = { flow: send.flow, ...(send.style !== undefined && { style: send.style }) };
    const checked = await check(account, source, later, 1);
    if (checked instanceof Problem) return checked;
    const problem = await checked.flow.recipientProblem(send.to, undefined);
    if (problem) return problem;
    const lists = new RecipientLists(checked.sendAt, random);
    const msgKey = lists.add({ to: send.to });
    const reservation = newReservation(account, later, checked, {
      source,
      ref: send.ref,
      groupKey: send.groupKey,
      traceparent: send.traceparent,
      paymentCode: undefined,
    });
    const body = render(msgKey, reservation.resvKey);
    return keep(account, reservation, lists.lists, body, idempotency, time);
  }

  async function reserveOmni(
    ...[account, omni, later, render, idempotency, time]: [
      ...Parameters<Reservations['reserveOmni']>,
      StoreTime,
    ]
  ): Promise<Answered> {
    const { source: given, ref, groupKey, traceparent, paymentCode, destinations } = omni;
    const excess = tooManyRecipients(destinations.length, account.settings.recipientLimit);
    if (excess) return excess;
    const entries = 'entries' in given ? given.entries : await forms.entries(account, given.formId);
    if (entries instanceof Problem) return entries;
    const source = { entries, ...('formId' in given && { formId: given.formId }) };
    const checked = await check(account, source, later, destinations.length);
    if (checked instanceof Problem) return checked;
    const lists = new RecipientLists(checked.sendAt, random);
    const results = await place(destinations, checked.flow, lists);
    // As in a send: nothing to send, nothing reserved.
    if (lists.count === 0 && destinations.length > 0) return render(results, undefined);
    const reservation = newReservation(account, later, checked, {
      ...{ source, ref, groupKey, traceparent, paymentCode },
    });
    const body = render(results, reservation.resvKey);
    return keep(account, reservation, lists.lists, body, idempotency, time);
  }

  async function addRecipients(
    ...[account, resvKey, recipients, render, idempotency, time]: [
      ...Parameters<Reservations['addRecipients']>,
      StoreTime,
    ]
  ): Promise<Answered> {
    const found = await store.reservations.find({ resvKey, account: account.id });
    if (!found) return unknownReservation();
    if (!found.source) return wrongState('what it sends was removed, or cannot be read');
    const noRoom = deps.roomProblem();
    if (noRoom) return noRoom;
    const flow = await reservedFlow(account, found.source, {
      forms,
      guards,
      // One whose time is over goes out at an hour that nobody knows yet.
      ...(found.sendAt > clock.now() && { hourProblem: hourProblemAt(account, found.sendAt) }),
    });
    if (flow instanceof Problem) return flow;
    const overload = await guards.loadProblem(account, recipients.length);
    if (overload) return overload;
    const behind = await store.reservations.lastList(resvKey);
    const lists = new RecipientLists(found.keysAt, random, behind);
    const results = await place(recipients, flow, lists);
    const response = render(results);
    if (lists.count === 0) return response;
    if (time.isOver) throw outOfTime();
    const call = store.reservations.addRecipients(
      { resvKey, account: account.id },
      {
        lists: lists.lists,
        most: MAX_RESERVED,
        quota: quotaOf(account),
        now: clock.now(),
        idempotency: idempotency && { ...idempotency, response },
      },
    );
    const result = await time.within(call).catch((error: unknown) => {
      if (idempotency && isInDoubt(error)) return unknownProblem(UNKNOWN_WITH_KEY);
      throw error;
    });
    if (result instanceof Problem) return result;
    switch (result.kind) {
      case 'full':
        return new Problem(
          'A318',
          `A reservation has at most ${MAX_RESERVED} recipients (has ${found.expected})`,
        );
      case 'usedUp':
        return quotaProblem(result, account);
      case 'notFound':
        return unknownReservation();
      case 'wrongState':
        return wrongState('recipients can be added only to one that is PENDING, STOPPED or HELD');
      default:
        return answerOf(result, response);
    }
  }

  /** The flow, its time, and the account's rate. */
  async function check(
    account: Account,
    source: ReservedSource,
    { sendTime }: Later,
    recipients: number,
  ): Promise<{ readonly flow: ReservedFlow; readonly sendAt: number } | Problem> {
    const noRoom = deps.roomProblem();
    if (noRoom) return noRoom;
    const sendAt = book.momentOf(sendTime);
    if (sendAt instanceof Problem) return sendAt;
    const hourProblem = hourProblemAt(account, sendAt);
    const flow = await reservedFlow(account, source, { forms, guards, hourProblem });
    if (flow instanceof Problem) return flow;
    return (await guards.loadProblem(account, recipients)) ?? { flow, sendAt };
  }

  function hourProblemAt(account: Account, sendAt: number): (flow: Flow) => Problem | undefined {
    return flow => book.hourProblem(account, flow, sendAt);
  }

  /** Puts those that pass into lists; the result of each, in order. */
  async function place(
    destinations: readonly (Destination | RefusedDestination)[],
    flow: ReservedFlow,
    lists: RecipientLists,
  ): Promise<DestinationResult[]> {
    const results: DestinationResult[] = [];
    const turns = recipientTurns();
    for (const destination of destinations) {
      const othersTurn = turns();
      if (othersTurn) await othersTurn;
      const problem =
        'problem' in destination
          ? destination.problem
          : await flow.recipientProblem(destination.to, destination.words);
      const own = destination.ref === undefined ? undefined : { ref: destination.ref };
      if (problem || 'problem' in destination) {
        const { code, result } = problem ?? new Problem('A300');
        events.recipientRefused(code);
        results.push({ to: destination.given, msgKey: null, code, result, ...own });
        continue;
      }
      const { to, words, given } = destination;
      const msgKey = lists.add({ to, ...(flow.isTemplate && { words }), ...own });
      results.push({ to: given, msgKey, code: 'A000', result: RESULT_CODES.A000.text, ...own });
    }
    return results;
  }

  function newReservation(
    account: Account,
    { name }: Later,
    { flow, sendAt }: { readonly flow: ReservedFlow; readonly sendAt: number },
    send: Pick<NewReservation, 'source' | 'ref' | 'groupKey' | 'traceparent' | 'paymentCode'>,
  ): Omit<NewReservation, 'lists' | 'idempotency'> {
    const now = clock.now();
    const [first] = flow.flow;
    return {
      resvKey: (timePrefix(now) + random.characters(KEY_RANDOM_PART, BASE32)) as ResvKey,
      account: account.id,
      sendAt,
      keysAt: sendAt,
      name,
      ...send,
      channels: flow.flow.map(({ channel }) => channel),
      isAdvertisement: first !== undefined && isAdvertisement(first),
      createdAt: now,
      quota: quotaOf(account),
    };
  }

  async function keep(
    account: Account,
    reservation: Omit<NewReservation, 'lists' | 'idempotency'>,
    lists: readonly RecipientList[],
    response: string,
    idempotency: IdempotencyKey | undefined,
    time: StoreTime,
  ): Promise<Answered> {
    const whole = { ...reservation, lists, idempotency: idempotency && { ...idempotency, response } };
    const result = await stored(whole, time);
    if (result instanceof Problem) return result;
    return result.kind === 'usedUp' ? quotaProblem(result, account) : answerOf(result, response);
  }

  /** Where the reply of the commit is lost, it is looked for until the time of the request is over. */
  async function stored(reservation: NewReservation, time: StoreTime): Promise<ReserveResult | Problem> {
    const { account, resvKey } = reservation;
    if (time.isOver) throw outOfTime();
    try {
      return await time.within(store.reservations.reserve(reservation));
    } catch (error) {
      if (!isInDoubt(error)) throw error;
    }
    const isStored = time.isOver
      ? undefined
      : await time.untilKnown(() => store.reservations.isStored({ resvKey, account }));
    if (isStored === undefined) return unknownProblem(reservation.idempotency ? UNKNOWN_WITH_KEY : IN_DOUBT);
    if (!isStored) throw new StoreFault('didNotHappen', 'it was not stored');
    return { kind: 'stored' };
  }
}

function outOfTime(): StoreFault {
  return new StoreFault('didNotHappen', 'the time was over');
}
