/** Reservations of all accounts, for operators. */
import type { ReservationBook } from '../accept/reservation-book.ts';
import { type ReservationView, reservationView } from '../accept/reservation-view.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { parseAccountId, parseMsgKey, parseResvKey } from '../domain/ids.ts';
import { readFields } from '../domain/request/fields.ts';
import { compileFlow } from '../domain/request/omni.ts';
import { maskNumber } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import { laterFields } from '../domain/reservation/parse-reservation.ts';
import {
  RESERVATION_STATES,
  type Reservation,
  type ReservationMove,
} from '../domain/reservation/reservation.ts';
import type { Sight } from '../operations/shapes.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import { maskFlow } from './masking.ts';

export type OperatorReservation = { readonly account: string } & ReservationView;

/** As given in a query. */
export interface ReservationFilters {
  readonly account?: string | undefined;
  readonly status?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface ReservationPage {
  readonly reservations: readonly OperatorReservation[];
  readonly next: string | null;
}

export interface RecipientPage {
  readonly recipients: readonly { readonly msgKey: string; readonly to: string; readonly sent: boolean }[];
  readonly next: string | null;
}

export interface OperatorReservations {
  list(filters: ReservationFilters, limit: number): Promise<ReservationPage | Problem>;
  /** `flow`: what is sent, null once its text is removed. */
  show(
    resvKey: string,
    sight: Sight,
  ): Promise<(OperatorReservation & { readonly flow: Flow | null }) | Problem>;
  recipients(
    resvKey: string,
    page: { readonly cursor: string | undefined; readonly limit: number },
    sight: Sight,
  ): Promise<RecipientPage | Problem>;
  /** `body`: resvSendTime, resvName, or both. */
  change(resvKey: string, body: unknown): Promise<OperatorReservation | Problem>;
  move(resvKey: string, move: ReservationMove): Promise<OperatorReservation | Problem>;
}

export function createOperatorReservations(deps: {
  readonly book: ReservationBook;
  readonly formatTime: FormatTime;
}): OperatorReservations {
  const { book, formatTime } = deps;
  const viewOf = (reservation: Reservation): OperatorReservation => ({
    account: reservation.account,
    ...reservationView(reservation, formatTime),
  });
  const shown = (found: Reservation | Problem) => (found instanceof Problem ? found : viewOf(found));

  return {
    async list({ account: givenAccount, status: givenStatus, cursor }, limit) {
      const account = givenAccount === undefined ? undefined : parseAccountId(givenAccount);
      if (givenAccount !== undefined && !account) {
        return new Problem('A300', '"account" must be the id of an account');
      }
      const status = RESERVATION_STATES.find(each => each === givenStatus);
      if (givenStatus !== undefined && !status) {
        return new Problem('A300', `"status" must be one of ${RESERVATION_STATES.join(', ')}`);
      }
      const before = cursor === undefined ? undefined : parseResvKey(cursor);
      if (cursor !== undefined && !before) return noCursor();
      const found = await book.list({ account, status, sendFrom: undefined, before, limit: limit + 1 });
      const page = found.slice(0, limit);
      return {
        reservations: page.map(viewOf),
        next: found.length > limit ? (page.at(-1)?.resvKey ?? null) : null,
      };
    },
    async show(resvKey, sight) {
      const found = await book.find(undefined, resvKey);
      if (found instanceof Problem) return found;
      const flow = flowOf(found);
      return { ...viewOf(found), flow: flow && sight === 'masked' ? maskFlow(flow) : flow };
    },
    async recipients(resvKey, { cursor, limit }, sight) {
      const after = cursor === undefined ? undefined : parseMsgKey(cursor);
      if (cursor !== undefined && !after) return noCursor();
      const found = await book.recipients(undefined, resvKey, { after, limit: limit + 1 });
      if (found instanceof Problem) return found;
      const page = found.slice(0, limit);
      return {
        recipients: page.map(({ msgKey, to, isSent }) => {
          return { msgKey, to: sight === 'masked' ? maskNumber(to) : to, sent: isSent };
        }),
        next: found.length > limit ? (page.at(-1)?.msgKey ?? null) : null,
      };
    },
    async change(resvKey, body) {
      const change = readFields(laterFields, body);
      if (change instanceof Problem) return change;
      const { resvSendTime: sendTime, resvName: name } = change;
      if (sendTime === undefined && name === undefined) {
        return new Problem('A300', '"resvSendTime" or "resvName" is required');
      }
      return shown(await book.change(undefined, resvKey, { sendTime, name }));
    },
    move: async (resvKey, move) => shown(await book.move(undefined, resvKey, move)),
  };
}

function flowOf({ source }: Reservation): Flow | null {
  if (!source) return null;
  if ('flow' in source) return source.flow;
  const compiled = compileFlow(source.entries);
  return compiled instanceof Problem ? null : compiled.flow;
}

function noCursor(): Problem {
  return new Problem('A300', '"cursor" must be the "next" of an earlier answer');
}
