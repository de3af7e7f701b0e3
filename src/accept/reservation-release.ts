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
import { msgKeyOf } from '../domain/ids.ts';
import { describeStep, type ReportRecord, reportedDetails } from '../domain/reports/report-record.ts';
import { Problem } from '../domain/request/problem.ts';
import type { RecipientList, Reservation } from '../domain/reservation/reservation.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Soon } from '../platform/soon.ts';
import type { EndedMessage, NewMessage, Store } from '../store/store.ts';
import type { Forms } from './forms.ts';
import type { SendGuards } from './guards.ts';
import { flowIn, type ReservedFlow, reservedFlow } from './reserved-flow.ts';

/** What only one node does at a time. */
const DUTY = 'reservations';
const IDLE_MS = 500;
/** While something is on its way: how soon there may be room in the queue again. */
const BUSY_MS = 25;
const BEGUN_AT_ONCE = 500;
/** Of one account that are looked at in a turn. */
const OF_EACH_ACCOUNT = 20;
/** Our choice: enough for a fast carrier until the next turn, and little beside the queue. */
const SHORT_QUEUE = 2_000;
/** Lists that are released together: so many that a commit is worth it, and so few that it is short. */
const LISTS_AT_ONCE = 4;
/** Of one reservation in a turn. */
const ROUNDS_A_TURN = 8;
/** One that failed is left alone for a while. */
const REST_MS = 5_000;
const COUNTED_AT_ONCE = 50;
const NO_LONGER_VALID = '90003';

export interface ReservationReleaser {
  start(): void;
  stop(): Promise<void>;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Pick<Events, 'accepted' | 'ended' | 'failed'>;
  readonly forms: Forms;
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

export function createReservationReleaser(deps: Deps): ReservationReleaser {
  const { store, clock, events, forms, guards, route, deadlines, node } = deps;
  let isStopped = true;
  let cancel: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();
  let hasDuty = false;
  /** When those that failed may be tried again. */
  const resting = new Map<string, number>();

  return {
    start() {
      isStopped = false;
      schedule(IDLE_MS);
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await running;
      await leaveDuty().catch(error => events.failed('reservations', error));
    },
  };

  function schedule(delayMs: number): void {
    if (isStopped) return;
    cancel = clock.schedule(delayMs, () => {
      running = turn()
        .catch((error: unknown) => {
          events.failed('reservations', error);
          return false;
        })
        .then(isBusy => schedule(isBusy ? BUSY_MS : IDLE_MS));
    });
  }

  /** True if something is on its way. */
  async function turn(): Promise<boolean> {
    if (deps.isDraining()) {
      await leaveDuty();
      return false;
    }
    const { reservations } = store;
    await reservations.count(clock.now(), COUNTED_AT_ONCE);
    if (!(await reservations.hasWork(clock.now()))) return false;
    hasDuty = await store.cluster.takeDuty(DUTY, node);
    if (!hasDuty) return false;
    while ((await reservations.begin(clock.now(), BEGUN_AT_ONCE)) === BEGUN_AT_ONCE && !isStopped);
    const underWay = await reservations.underWay(OF_EACH_ACCOUNT);
    const byAccount = Map.groupBy(underWay, ({ account }) => account);
    await Promise.all([...byAccount.values()].map(releaseOfAccount));
    return underWay.length > 0;
  }

  async function leaveDuty(): Promise<void> {
    if (!hasDuty) return;
    hasDuty = false;
    await store.cluster.leaveDuty(DUTY, node);
  }

  async function releaseOfAccount(list: readonly Reservation[]): Promise<void> {
    for (const reservation of list) {
      if (isStopped || deps.isQueueFull()) return;
      const { resvKey } = reservation;
      if ((resting.get(resvKey) ?? 0) > clock.monotonic()) continue;
      try {
        resting.delete(resvKey);
        for (let round = 0; round < ROUNDS_A_TURN; round++) {
          const outcome = await releaseSome(reservation);
          if (outcome === 'full') return;
          if (outcome === 'over') break;
        }
      } catch (error) {
        resting.set(resvKey, clock.monotonic() + REST_MS);
        events.failed('reservation', error);
      }
    }
  }

  /** The next lists of one. `full`: the account's queue is long enough. `over`: there is nothing more. */
  async function releaseSome({ resvKey, account: id }: Reservation): Promise<'more' | 'full' | 'over'> {
    if (isStopped) return 'full';
    const { reservations } = store;
    const name = { resvKey, account: undefined };
    const account = await store.accounts.find(id);
    if (!account || account.blocked) {
      await reservations.move(name, ['PROCESSING'], 'STOPPED', clock.now());
      return 'over';
    }
    const lists = await reservations.waitingLists(resvKey, LISTS_AT_ONCE);
    const reservation = lists.length > 0 ? await reservations.find(name) : undefined;
    if (!reservation?.source) {
      await reservations.move(name, ['PROCESSING'], 'COMPLETED', clock.now());
      return 'over';
    }
    const flow = await reservedFlow(account, reservation.source, { forms, guards });
    const to = lists[0]?.recipients[0]?.to;
    if (!(flow instanceof Problem) && to !== undefined && !(await hasRoom(account, flow, to))) return 'full';
    await Promise.all(lists.map(list => releaseList(account, reservation, list, flow)));
    return lists.length === LISTS_AT_ONCE ? 'more' : 'over';
  }

  async function hasRoom(account: Account, { flow: [first] }: ReservedFlow, to: string): Promise<boolean> {
    if (!first) return true;
    const { carrier } = route({ account: account.id, channel: first.channel, to });
    return (await store.reservations.ready(account.id, carrier, SHORT_QUEUE)) < SHORT_QUEUE;
  }

  async function releaseList(
    account: Account,
    reservation: Reservation,
    list: RecipientList,
    flow: ReservedFlow | Problem,
  ): Promise<void> {
    const { source, ref, groupKey, paymentCode, channels } = reservation;
    const { requestId, recipients } = list;
    // Of a flow that cannot be read any more its channels are known.
    const steps = flow instanceof Problem ? stepsOf(source, channels) : flow.flow;
    const [first] = steps;
    if (!first) return;
    const messages: NewMessage[] = [];
    const ended: EndedMessage[] = [];
    const now = clock.now();
    for (const { index, to, words, ref: own } of recipients) {
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
          isLast: true,
        },
      };
    }
  }
}

function stepsOf(source: Reservation['source'], channels: Reservation['channels']): Flow {
  const flow = source && flowIn(source);
  return flow && !(flow instanceof Problem) ? flow : channels.map(channel => ({ channel }) as Step);
}
