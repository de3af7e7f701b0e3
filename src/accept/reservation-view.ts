/** A reservation as the APIs show it. */
import type { Reservation } from '../domain/reservation/reservation.ts';
import type { FormatTime } from '../platform/zoned-time.ts';

export type ReservationView = ReturnType<typeof reservationView>;

export function reservationView(reservation: Reservation, formatTime: FormatTime) {
  const { resvKey, name, status, sendAt, ref, groupKey, paymentCode, channels, isAdvertisement } =
    reservation;
  return {
    resvKey,
    resvName: name ?? null,
    status,
    resvSendTime: formatTime(sendAt),
    channels,
    adYn: isAdvertisement ? 'Y' : 'N',
    paymentCode: paymentCode ?? null,
    ref: ref ?? null,
    groupKey: groupKey ?? null,
    expectedCnt: reservation.expected,
    sentCnt: reservation.sent,
    successCnt: reservation.delivered,
    failCnt: reservation.failed,
    regDate: formatTime(reservation.createdAt),
    updateDate: formatTime(reservation.updatedAt),
  };
}
