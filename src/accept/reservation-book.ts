/** What is asked of reservations that are there: by the account that made them, and by operators. */
import type { Account } from '../domain/account/account.ts';
import { isBarredHour, reservedHourProblem } from '../domain/delivery/advertisement.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import {
  type AccountId,
  type MsgKey,
  parseMsgKey,
  parseResvKey,
  type RequestId,
  type ResvKey,
  recipientIndexOf,
  requestIdOf,
} from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import {
  type ListedRecipient,
  RESERVATION_MOVES,
  type Reservation,
  type ReservationMove,
} from '../domain/reservation/reservation.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { ReservationOutcome, ReservationQuery, Store } from '../store/store.ts';
import { recipientTurns } from './recipient-turns.ts';
import { compiledIn } from './reserved-flow.ts';

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;
/** Our choice. Each day of keys that are sent early has partitions of its own, which everybody's queries pass. */
const MOST_DAYS_EARLIER = 31;
/** Lists, two hundred recipients in all, that are checked when a new hour may refuse the send: the words of one send are alike. */
const LISTS_LOOKED_AT = 4;

export interface ReservationBook {
  /** The moment of a text, if a send can be reserved for it. */
  momentOf(sendTime: string): number | Problem;
  /** Why a flow of the account may not be reserved for this moment. */
  hourProblem(account: Account, flow: Flow, sendAt: number): Problem | undefined;
  /** Without an account, here and below: the operator asks. */
  find(account: AccountId | undefined, resvKey: string): Promise<Reservation | Problem>;
  list(query: ReservationQuery): Promise<readonly Reservation[]>;
  change(
    account: AccountId | undefined,
    resvKey: string,
    change: { readonly sendTime: string | undefined; readonly name: string | undefined },
  ): Promise<Reservation | Problem>;
  move(
    account: AccountId | undefined,
    resvKey: string,
    move: ReservationMove,
  ): Promise<Reservation | Problem>;
  /** A time as senders write it; undefined if it is none. */
  readTime(text: string): number | undefined;
  /** Takes a message out of the reservation in which it waits; undefined if it waits in none. */
  cancelMessage(account: AccountId, msgKey: MsgKey): Promise<'cancelled' | Problem | undefined>;
  /**
   * Takes out those of one request that wait, and resolves to them: all were taken out, or sent, before if there are none.
   * Undefined if the request is none of a reservation of the account.
   */
  cancelRequest(account: AccountId, requestId: RequestId): Promise<readonly MsgKey[] | Problem | undefined>;
  /** Whether a message is, or was, one of a reservation of the account. */
  hasMessage(account: AccountId, msgKey: MsgKey): Promise<boolean>;
  removeRecipient(
    account: AccountId | undefined,
    resvKey: string,
    msgKey: string,
  ): Promise<Problem | undefined>;
  recipients(
    account: AccountId | undefined,
    resvKey: string,
    page: { readonly after: MsgKey | undefined; readonly limit: number },
  ): Promise<readonly ListedRecipient[] | Problem>;
}

export function createReservationBook(deps: {
  readonly store: Pick<Store, 'reservations' | 'accounts'>;
  readonly clock: Clock;
  /** Both in the zone of the gateway. */
  readonly parseTime: (text: string) => number | undefined;
  readonly formatTime: FormatTime;
  /** How long before its time a send must be reserved. */
  readonly leadMs: number;
}): ReservationBook {
  const { store, clock, leadMs } = deps;

  return {
    momentOf,
    hourProblem,
    readTime: deps.parseTime,

    async find(account, given) {
      const resvKey = parseResvKey(given);
      const found = resvKey && (await store.reservations.find({ resvKey, account }));
      return found ?? unknownReservation();
    },

    list: query => store.reservations.list(query),

    async change(account, given, { sendTime, name }) {
      const resvKey = parseResvKey(given);
      if (!resvKey) return unknownReservation();
      const sendAt = sendTime === undefined ? undefined : momentOf(sendTime);
      if (sendAt instanceof Problem) return sendAt;
      const found = await store.reservations.find({ resvKey, account });
      if (!found) return unknownReservation();
      const problem = sendAt === undefined ? undefined : await newTimeProblem(found, sendAt);
      if (problem) return problem;
      const outcome = await store.reservations.change({ resvKey, account }, { sendAt, name }, clock.now());
      return shown(account, resvKey, outcome, 'only one that is PENDING or HELD can be changed');
    },

    async move(account, given, move) {
      const resvKey = parseResvKey(given);
      if (!resvKey) return unknownReservation();
      const { from, to } = RESERVATION_MOVES[move];
      const outcome = await store.reservations.move({ resvKey, account }, from, to, clock.now());
      const isRepeated = outcome === 'wrongState' && move === 'cancel' && (await isCancelled(resvKey));
      return shown(account, resvKey, isRepeated ? 'done' : outcome, `it must be ${from.join(' or ')}`);
    },

    cancelMessage,

    async cancelRequest(account, requestId) {
      const list = await store.reservations.listOf(requestId, account);
      if (!list) return undefined;
      const cancelled: MsgKey[] = [];
      for (const msgKey of list.waiting) {
        const outcome = await cancelMessage(account, msgKey);
        if (outcome instanceof Problem) return outcome;
        if (outcome === 'cancelled') cancelled.push(msgKey);
      }
      return cancelled;
    },

    async hasMessage(account, msgKey) {
      const list = await store.reservations.listOf(requestIdOf(msgKey), account);
      return list !== undefined && recipientIndexOf(msgKey) < list.size;
    },

    async removeRecipient(account, given, givenMsgKey) {
      const resvKey = parseResvKey(given);
      const msgKey = parseMsgKey(givenMsgKey);
      if (!resvKey) return unknownReservation();
      const isThere = await store.reservations.find({ resvKey, account });
      if (!isThere) return unknownReservation();
      const outcome = msgKey
        ? await store.reservations.removeRecipient({ resvKey, account }, msgKey, clock.now())
        : 'notFound';
      if (outcome === 'notFound') return new Problem('A823', 'The reservation has no such pending recipient');
      return problemOf(outcome, 'recipients can be removed only from one that is PENDING, STOPPED or HELD');
    },

    async recipients(account, given, page) {
      const resvKey = parseResvKey(given);
      if (!resvKey || !(await store.reservations.find({ resvKey, account }))) return unknownReservation();
      return store.reservations.recipients({ resvKey, account }, page);
    },
  };

  function momentOf(text: string): number | Problem {
    const at = deps.parseTime(text);
    if (at === undefined) return new Problem('A316', '"resvSendTime" is not a day and time of the calendar');
    const ahead = at - clock.now();
    if (ahead < leadMs) {
      const seconds = Math.ceil(leadMs / 1000);
      return new Problem('A316', `"resvSendTime" must be at least ${seconds} seconds from now`);
    }
    return ahead > YEAR_MS ? new Problem('A331', '"resvSendTime" must be within a year from now') : at;
  }

  /** The hour is that of the moment in the zone of the gateway, in whatever zone the client has written it. */
  function hourProblem({ settings }: Account, flow: Flow, sendAt: number): Problem | undefined {
    return reservedHourProblem(settings, flow, localTime(sendAt));
  }

  function localTime(at: number): string {
    return deps.formatTime(at).slice(11, 19);
  }

  async function newTimeProblem(
    { account: id, resvKey, source, keysAt }: Reservation,
    sendAt: number,
  ): Promise<Problem | undefined> {
    if (keysAt - sendAt > MOST_DAYS_EARLIER * DAY_MS) {
      return new Problem(
        'A316',
        `"resvSendTime" must be at most ${MOST_DAYS_EARLIER} days before the time that was first reserved`,
      );
    }
    const account = await store.accounts.find(id);
    if (!account || !source || !isBarredHour(account.settings, localTime(sendAt))) return undefined;
    const compiled = compiledIn(source);
    // What cannot be read any more, or has no account, is stopped when its time has come.
    if (compiled instanceof Problem) return undefined;
    const problem = hourProblem(account, compiled.flow, sendAt);
    if (problem || !compiled.isTemplate) return problem;
    // Those that are not looked at are refused one by one when they are submitted.
    const lists = await store.reservations.waitingLists(resvKey, LISTS_LOOKED_AT);
    const turns = recipientTurns();
    for (const { words } of lists.flatMap(({ recipients }) => recipients)) {
      const othersTurn = turns();
      if (othersTurn) await othersTurn;
      const flow = compiled.flowFor(words ?? {});
      const ownProblem = flow instanceof Problem ? undefined : hourProblem(account, flow, sendAt);
      if (ownProblem) return ownProblem;
    }
    return undefined;
  }

  async function cancelMessage(
    account: AccountId,
    msgKey: MsgKey,
  ): Promise<'cancelled' | Problem | undefined> {
    const found = await store.reservations.ofMessage(msgKey, account);
    if (!found) return undefined;
    const { resvKey } = found;
    const outcome = await store.reservations.removeRecipient({ resvKey, account }, msgKey, clock.now());
    // It went into the queue, or was taken out, a moment ago.
    if (outcome === 'notFound') return undefined;
    return problemOf(outcome, 'its messages are going into the queue; stop it first') ?? 'cancelled';
  }

  async function isCancelled(resvKey: ResvKey): Promise<boolean> {
    const found = await store.reservations.find({ resvKey, account: undefined });
    return found?.status === 'CANCELLED';
  }

  async function shown(
    account: AccountId | undefined,
    resvKey: ResvKey,
    outcome: ReservationOutcome,
    rule: string,
  ): Promise<Reservation | Problem> {
    const problem = problemOf(outcome, rule);
    if (problem) return problem;
    return (await store.reservations.find({ resvKey, account })) ?? unknownReservation();
  }
}

export function unknownReservation(): Problem {
  return new Problem('A823', 'There is no such reservation');
}

export function wrongState(rule: string): Problem {
  return new Problem('A824', `The state of the reservation does not allow it: ${rule}`);
}

function problemOf(outcome: ReservationOutcome, rule: string): Problem | undefined {
  switch (outcome) {
    case 'done':
      return undefined;
    case 'notFound':
      return unknownReservation();
    case 'wrongState':
      return wrongState(rule);
  }
}
