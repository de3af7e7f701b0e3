/**
 * Sends reservations whose time has come: their recipients go into the queue, list by list, while the account's queue is short.
 * So a million that are due at once neither fill the queue nor the memory, and others' messages find it as they would without.
 *
 * One node does it at a time. That is for order and economy: each list is made messages and marked in one transaction, so two
 * nodes at once, or one that dies in between, send nothing twice.
 *
 * The wall clock decides what is due, and is asked again twice a second: after a jump ahead everything up to it is due; after
 * a jump back what is on its way goes on.
 */
import type { Account } from '../domain/account/account.ts';
import { channelOf } from '../domain/channels/channel-table.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { Flow, Step } from '../domain/delivery/flow.ts';
import { type ChooseRoute, UNROUTED } from '../domain/delivery/routing.ts';
import { routedAt } from '../domain/delivery/settlement.ts';
import { msgKeyOf, type ResvKey } from '../domain/ids.ts';
import { describeStep, type ReportRecord, reportedDetails } from '../domain/reports/report-record.ts';
import { Problem } from '../domain/request/problem.ts';
import type { RecipientList, Reservation } from '../domain/reservation/reservation.ts';
import { type Background, backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Soon } from '../platform/soon.ts';
import type { EndedMessage, NewMessage, Store } from '../store/store.ts';
import type { Forms } from './forms.ts';
import type { SendGuards } from './guards.ts';
import { recipientTurns } from './recipient-turns.ts';
import { compiledIn, type ReservedFlow, reservedFlow } from './reserved-flow.ts';

/** What only one node does at a time. */
const DUTY = 'reservations';
/** While something is on its way: how soon there may be room in the queue again. */
const BUSY_MS = 25;
const BEGUN_AT_ONCE = 500;
/** Reservations of one account in a turn: the first ones, and as many of the others, which change from turn to turn. */
const OF_EACH_ACCOUNT = 20;
/** Our choice: enough for a fast carrier until the next turn, and little beside the queue. */
const SHORT_QUEUE = 2_000;
/** Lists that are released together: so many that a commit is worth it, and so few that it is short. */
const LISTS_AT_ONCE = 4;
/** Of one reservation in a turn. */
const ROUNDS_A_TURN = 8;
/** Reservations whose carrier is remembered. */
const MOST_REMEMBERED = 10_000;
/** One that failed, or has nothing left that can be read, is left alone for a while. */
const REST_MS = 5_000;
const COUNTED_AT_ONCE = 50;
const NO_LONGER_VALID = '90003';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Pick<Events, 'accepted' | 'ended' | 'failed'>;
  readonly forms: Forms;
  /** Without that of the route: a step without one waits in the queue, as every step does, for a node that has it. */
  readonly guards: SendGuards;
  readonly route: ChooseRoute;
  readonly deadlines: DeadlineSettings;
  readonly completeFlow: (account: Account, flow: Flow) => Soon<Flow>;
  readonly isQueueFull: () => boolean;
  /** The name of this node, and whether it is to send nothing more. */
  readonly node: string;
  readonly isDraining: () => boolean;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** Report records were written. */
  readonly onReports: (reports: readonly ReportRecord[]) => void;
}

export function createReservationReleaser(deps: Deps): Background {
  const { store, clock, events, forms, guards, route, deadlines, node } = deps;
  let isStopped = true;
  let hasDuty = false;
  /** When those that are left alone may be tried again. */
  const resting = new Map<ResvKey, number>();
  /** The carriers that they need, as it was when they were last looked at. */
  const carriers = new Map<string, string>();
  let countAgainAt = Number.NEGATIVE_INFINITY;
  /** How many of each account come before those that are looked at next beside the first. */
  let skipped = OF_EACH_ACCOUNT;

  const task = backgroundTask(deps, 'reservations', async nextIn => {
    if (await turn()) nextIn(BUSY_MS);
  });

  return {
    start() {
      isStopped = false;
      task.start();
    },
    async stop() {
      isStopped = true;
      await task.stop();
      await leaveDuty().catch(error => events.failed('reservations', error));
    },
  };

  /** True if something is on its way. */
  async function turn(): Promise<boolean> {
    if (deps.isDraining()) {
      await leaveDuty();
      return false;
    }
    const { reservations } = store;
    await count();
    const now = clock.trusted();
    if (now === undefined || !(await reservations.hasWork(now))) return false;
    hasDuty = await store.cluster.takeDuty(DUTY, node);
    if (!hasDuty) return false;
    while ((await reservations.begin(now, BEGUN_AT_ONCE)) === BEGUN_AT_ONCE && !isStopped);
    const first = await reservations.underWay(OF_EACH_ACCOUNT, 0);
    const others = await nextOthers();
    const byAccount = Map.groupBy([...first, ...others], ({ account }) => account);
    await Promise.all([...byAccount.values()].map(releaseOfAccount));
    return [...first, ...others].some(({ resvKey }) => !isResting(resvKey));
  }

  function isResting(resvKey: ResvKey): boolean {
    return (resting.get(resvKey) ?? 0) > clock.monotonic();
  }

  function rest(resvKey: ResvKey): void {
    resting.set(resvKey, clock.monotonic() + REST_MS);
  }

  /** Those behind the first of an account: all of the first may wait for a carrier that the others do not need. */
  async function nextOthers(): Promise<readonly Reservation[]> {
    const others = await store.reservations.underWay(OF_EACH_ACCOUNT, skipped);
    skipped = others.length > 0 ? skipped + OF_EACH_ACCOUNT : OF_EACH_ACCOUNT;
    return others;
  }

  /** Sums are for people: where they cannot be written, messages are sent all the same. */
  async function count(): Promise<void> {
    if (clock.monotonic() < countAgainAt) return;
    try {
      await store.reservations.count(clock.now(), COUNTED_AT_ONCE);
    } catch (error) {
      countAgainAt = clock.monotonic() + REST_MS;
      events.failed('count reservations', error);
    }
  }

  async function leaveDuty(): Promise<void> {
    if (!hasDuty) return;
    hasDuty = false;
    await store.cluster.leaveDuty(DUTY, node);
  }

  async function releaseOfAccount(list: readonly Reservation[]): Promise<void> {
    const full = new Set<string>();
    for (const reservation of list) {
      if (isStopped || deps.isQueueFull()) return;
      const { resvKey } = reservation;
      if (isResting(resvKey)) continue;
      try {
        resting.delete(resvKey);
        for (let round = 0; round < ROUNDS_A_TURN; round++) {
          if ((await releaseSome(reservation, full)) === 'over') break;
        }
      } catch (error) {
        rest(resvKey);
        events.failed('reservation', error);
      }
    }
  }

  /**
   * The next lists of one. `full`: carriers for which the account's queue is long enough. `over`: there is nothing more to do
   * for it in this turn.
   */
  async function releaseSome(
    { resvKey, account: id }: Reservation,
    full: Set<string>,
  ): Promise<'more' | 'over'> {
    const lastCarrier = carriers.get(resvKey);
    if (isStopped || (lastCarrier !== undefined && full.has(lastCarrier))) return 'over';
    const { reservations } = store;
    const name = { resvKey, account: undefined };
    const account = await store.accounts.find(id);
    if (!account || account.blocked) {
      await reservations.move(name, ['PROCESSING'], 'STOPPED', clock.now());
      return 'over';
    }
    const lists = await reservations.waitingLists(resvKey, LISTS_AT_ONCE);
    if (lists.length === 0) {
      if (!(await reservations.complete(resvKey, clock.now()))) rest(resvKey);
      return 'over';
    }
    const reservation = await reservations.find(name);
    // It waits until its text can be read again, or an operator decides.
    if (!reservation?.source) {
      rest(resvKey);
      return 'over';
    }
    const flow = await reservedFlow(account, reservation.source, { forms, guards });
    const carrier = flow instanceof Problem ? undefined : carrierOf(account, flow, lists);
    if (carrier !== undefined) {
      if (carriers.size >= MOST_REMEMBERED) carriers.clear();
      carriers.set(resvKey, carrier);
      if (full.has(carrier) || !(await hasRoom(account, carrier))) {
        full.add(carrier);
        return 'over';
      }
    }
    const turns = recipientTurns();
    await Promise.all(lists.map(list => releaseList(account, reservation, list, flow, turns)));
    return lists.length === LISTS_AT_ONCE ? 'more' : 'over';
  }

  /** That of the first recipient, which stands for all. */
  function carrierOf(
    account: Account,
    { flow: [first] }: ReservedFlow,
    [list]: readonly RecipientList[],
  ): string | undefined {
    const to = list?.recipients[0]?.to;
    if (!first || to === undefined) return undefined;
    return route({ account: account.id, channel: first.channel, to }).carrier;
  }

  async function hasRoom({ id }: Account, carrier: string): Promise<boolean> {
    return (await store.reservations.ready(id, carrier, SHORT_QUEUE)) < SHORT_QUEUE;
  }

  async function releaseList(
    account: Account,
    reservation: Reservation,
    list: RecipientList,
    flow: ReservedFlow | Problem,
    turns: ReturnType<typeof recipientTurns>,
  ): Promise<void> {
    const { source, ref, groupKey, traceparent, paymentCode, channels } = reservation;
    const { requestId, recipients } = list;
    // Of a flow that cannot be read any more its channels are known.
    const steps = flow instanceof Problem ? stepsOf(source, channels) : flow.flow;
    const [first] = steps;
    if (!first) return;
    const messages: NewMessage[] = [];
    const ended: EndedMessage[] = [];
    const now = clock.now();
    for (const { index, to, words, ref: own } of recipients) {
      const othersTurn = turns();
      if (othersTurn) await othersTurn;
      const msgKey = msgKeyOf(requestId, index);
      const problem = flow instanceof Problem ? flow : await flow.recipientProblem(to, words);
      if (problem) ended.push(endedMessage(problem, { msgKey, to, words, ref: own }));
      else
        messages.push({
          msgKey,
          to,
          words,
          ref: own,
          route: route({ account: account.id, channel: first.channel, to }),
        });
    }
    const completed = flow instanceof Problem ? steps : await deps.completeFlow(account, flow.flow);
    const isReleased = await store.reservations.release({
      resvKey: reservation.resvKey,
      request: {
        requestId,
        account: account.id,
        acceptedAt: now,
        ref,
        groupKey,
        traceparent,
        paymentCode,
        flow: completed,
        messages,
        deadlineAt: now + channelOf(first).deadlineMs(first, deadlines),
        isBulk: true,
        reportsLateDelivery: account.settings.lateReports,
        claim: undefined,
        idempotency: undefined,
      },
      ended,
      now,
    });
    if (!isReleased) return;
    if (messages.length > 0) {
      deps.wake();
      events.accepted(account.id, first.channel, messages);
    }
    const reports = ended.map(({ report }) => report);
    for (const report of reports) events.ended(report);
    if (reports.length > 0) deps.onReports(reports);

    function endedMessage({ code, result }: Problem, message: EndedMessage['message']): EndedMessage {
      const why = `${code}: ${result}`;
      const refusal = { at: now, step: 0, attempt: 0, event: 'refused', code: NO_LONGER_VALID, why } as const;
      return {
        message,
        history: [routedAt(0, { carrier: UNROUTED, why: 'its reserved time has come' }, now), refusal],
        report: {
          msgKey: message.msgKey,
          account: account.id,
          step: 0,
          ...describeStep(first as Step),
          sentAt: undefined,
          reportedAt: now,
          reportCode: NO_LONGER_VALID,
          ...reportedDetails({}),
          ref: message.ref ?? ref,
          groupKey,
          traceparent,
          isLast: true,
        },
      };
    }
  }
}

function stepsOf(source: Reservation['source'], channels: Reservation['channels']): Flow {
  const compiled = source && compiledIn(source);
  return compiled && !(compiled instanceof Problem)
    ? compiled.flow
    : channels.map(channel => ({ channel }) as Step);
}
