import { read, readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';
import type { Step } from './steps.ts';

export type ReservationState = 'PENDING' | 'PROCESSING' | 'STOPPED' | 'HELD' | 'COMPLETED' | 'CANCELLED';
export type ReservationMove = 'cancel' | 'stop' | 'resume' | 'release';

export interface Reservation {
  readonly account: string;
  readonly resvKey: string;
  readonly resvName: string | null;
  readonly status: ReservationState;
  readonly resvSendTime: string;
  readonly channels: readonly string[];
  readonly expectedCnt: number;
  readonly sentCnt: number;
  readonly successCnt: number;
  readonly failCnt: number;
}

export interface ReservedRecipient {
  readonly msgKey: string;
  readonly to: string;
  readonly sent: boolean;
}

export const listReservations = (query: { readonly account: string; readonly status: string }) =>
  readList<Reservation>('/reservations', 'reservations', query);

/** What is sent; null once its text is removed. */
export const readReserved = (resvKey: string) =>
  read<{ readonly flow: readonly Step[] | null }>(pathOf('reservations', resvKey));

export const listReserved = (resvKey: string) =>
  readList<ReservedRecipient>(pathOf('reservations', resvKey, 'recipients'), 'recipients');

export const moveReservation = (resvKey: string, move: ReservationMove) =>
  call<Reservation>('POST', pathOf('reservations', resvKey, move));

export const changeReservation = (resvKey: string, resvSendTime: string) =>
  call<Reservation>('PATCH', pathOf('reservations', resvKey), { body: { resvSendTime } });
