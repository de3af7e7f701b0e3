import { call, pathOf } from './call.ts';

export const RESERVATION_STATES = [
  'PENDING',
  'PROCESSING',
  'STOPPED',
  'HELD',
  'COMPLETED',
  'CANCELLED',
] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];
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

export const listReservations = (
  query: { account?: string; status?: string; cursor?: string },
  signal: AbortSignal,
) =>
  call<{ reservations: readonly Reservation[]; next: string | null }>('GET', '/reservations', {
    query,
    signal,
  });

export const listReserved = (resvKey: string, query: { cursor?: string }, signal: AbortSignal) =>
  call<{ recipients: readonly ReservedRecipient[]; next: string | null }>(
    'GET',
    pathOf('reservations', resvKey, 'recipients'),
    { query, signal },
  );

export const moveReservation = (resvKey: string, move: ReservationMove) =>
  call<Reservation>('POST', pathOf('reservations', resvKey, move));

export const changeReservation = (resvKey: string, resvSendTime: string) =>
  call<Reservation>('PATCH', pathOf('reservations', resvKey), { body: { resvSendTime } });
