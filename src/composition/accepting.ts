/** Puts accept/ together: accounts' access, sends with their checks, forms, files and the registry. */
import { availableParallelism } from 'node:os';
import { type Access, createAccess } from '../accept/access.ts';
import { createEndOptedOut } from '../accept/end-opted-out.ts';
import { createFileCheck } from '../accept/file-check.ts';
import type { Files } from '../accept/files.ts';
import { createForms, type Forms } from '../accept/forms.ts';
import { createSendGuards } from '../accept/guards.ts';
import { createOnce } from '../accept/idempotency.ts';
import { createKnownAddresses } from '../accept/known-addresses.ts';
import type { OptOutLists } from '../accept/opt-out-lists.ts';
import { createOptOuts, type OptOuts } from '../accept/opt-outs.ts';
import { createPasswordCheck } from '../accept/password-check.ts';
import { createRegistry, type Registry } from '../accept/registry.ts';
import { createReservationBook } from '../accept/reservation-book.ts';
import { createReservationReleaser } from '../accept/reservation-release.ts';
import { createReservations, type Reservations } from '../accept/reservations.ts';
import { createSend, type Dispatch, type SendOperation } from '../accept/send.ts';
import type { Config } from '../config/config.ts';
import type { Settle } from '../deliver/settle.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { ChooseRoute } from '../domain/delivery/routing.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { Problem } from '../domain/request/problem.ts';
import type { Background } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { FairQueue } from '../platform/fair-queue.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { Randomness } from '../platform/randomness.ts';
import { restWhileBusy } from '../platform/rest-while-busy.ts';
import { zonedTimeFormatter, zonedTimeParser } from '../platform/zoned-time.ts';
import type { QueueDepth, Store } from '../store/store.ts';

const TOKEN_BURST_SECONDS = 4;
/**
 * At most half of the threads that Node has for such work; files and names need the others. On two processors one at a time:
 * while a hash has one, the system leaves the threads that answer requests on the other.
 */
const PASSWORD_HASHES = { atOnce: availableParallelism() > 2 ? 2 : 1, waiting: 64 };

/** From which an account has proved itself. */
const ADDRESSES_OF_AN_ACCOUNT = 64;

export interface Accepting {
  readonly access: Access;
  readonly send: SendOperation;
  readonly forms: Forms;
  readonly registry: Registry;
  readonly optOuts: OptOuts;
  readonly reservations: Reservations;
  readonly reservationReleaser: Background;
}

export function composeAccepting(
  config: Pick<
    Config,
    | 'publicUrl'
    | 'queueLimit'
    | 'reservationLeadMs'
    | 'storeTimeoutMs'
    | 'timeZone'
    | 'tokenLifetimeMs'
    | 'tokenRate'
    | 'tokensPerAccount'
  >,
  deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly random: Randomness;
    readonly limiter: Limiter;
    /** Limits of guesses at passwords. */
    readonly guesses: Limiter;
    readonly events: Events;
    readonly files: Files;
    readonly pieces: Pieces;
    readonly route: ChooseRoute;
    readonly deadlines: DeadlineSettings;
    readonly optOutLists: OptOutLists;
    readonly settle: Settle;
    readonly dispatch: Dispatch;
    /** The queue as it was a moment ago. */
    readonly queueDepth: () => QueueDepth;
    /** Living nodes, this one included. */
    readonly nodes: () => number;
    /** The name of this node. */
    readonly node: string;
    /** An operator has told this node to send nothing more. */
    readonly isDraining: () => boolean;
    /** Report records were written. */
    readonly onReports: (reports: readonly ReportRecord[]) => void;
    /** Why nothing more can be reserved: the disk is nearly full. */
    readonly roomProblem: () => Problem | undefined;
  },
): Accepting {
  const { store, clock, random, limiter, guesses, events, files, route, deadlines, dispatch, queueDepth } =
    deps;
  const { queueLimit, storeTimeoutMs, tokenLifetimeMs, tokenRate, tokensPerAccount } = config;
  const registry = createRegistry({ store, clock });
  const { checkFlow, completeFlow } = registry;
  const checks = [checkFlow, createFileCheck({ files, completeFlow, publicUrl: config.publicUrl })];
  const isQueueFull = () => queueLimit > 0 && queueDepth().ready >= queueLimit;
  const once = createOnce({ store, clock, storeTimeoutMs });
  const guards = createSendGuards({ route, limiter, checks, isQueueFull });
  const forms = createForms({ store, clock, random, guards });
  const send = createSend({
    store,
    clock,
    random,
    events,
    forms,
    guards,
    route,
    deadlines,
    completeFlow,
    endOptedOut: createEndOptedOut({ lists: deps.optOutLists, settle: deps.settle, events }),
    dispatch,
    once,
    storeTimeoutMs,
  });
  const reservations = createReservations({
    ...{ store, clock, random, events, forms, guards, once, roomProblem: deps.roomProblem },
    book: createReservationBook({
      ...{ store, clock },
      parseTime: zonedTimeParser(config.timeZone),
      formatTime: zonedTimeFormatter(config.timeZone),
      leadMs: config.reservationLeadMs,
    }),
  });
  const { node, isDraining, onReports } = deps;
  const reservationReleaser = createReservationReleaser({
    ...{ store, clock, events, forms, route, deadlines, completeFlow, isQueueFull },
    ...{ node, isDraining, onReports },
    guards: createSendGuards({ route, limiter, checks, isQueueFull, mayBeUnrouted: true }),
    wake: () => dispatch.wake(),
  });
  const checkPassword = createPasswordCheck({
    clock,
    limiter: guesses,
    hashing: new FairQueue({ ...PASSWORD_HASHES, rest: restWhileBusy() }),
    addresses: createKnownAddresses({ store, clock, events, keptPerOwner: ADDRESSES_OF_AN_ACCOUNT }),
  });
  const access = createAccess({
    store,
    clock,
    random,
    limiter,
    events,
    checkPassword,
    tokenLifetimeMs,
    tokenRate: { ratePerSecond: tokenRate, burst: tokenRate * TOKEN_BURST_SECONDS },
    tokensPerAccount,
    nodes: deps.nodes,
  });
  const optOuts = createOptOuts({ store, clock, pieces: deps.pieces, note: deps.optOutLists.note });
  return { access, send, forms, registry, optOuts, reservations, reservationReleaser };
}
