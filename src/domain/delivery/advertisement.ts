/**
 * Advertisements, and the hours in which they may not go out. Korean law bars them from 21:00 to 08:00; the guard begins
 * ten minutes early, because what is sent at 20:59 may arrive later. Marking a message is up to the sender; the
 * guard is for accounts with `adGuard`.
 */

import { channelOf } from '../channels/channel-table.ts';
import type { ChannelFamily, ReportCode } from '../reports/report-codes.ts';
import type { Step } from './flow.ts';

const QUIET_FROM = '20:50';
const QUIET_UNTIL = '08:00';

/** The report code of an advertisement that was refused in these hours. */
const QUIET_HOURS_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23029',
  rcs: '33029',
  messenger: '63022',
};

/** Why an advertisement must not go out at this local time (`HH:mm`), undefined when it may. */
export function quietHoursCode(step: Step, localTime: string): ReportCode | undefined {
  const isQuiet = localTime >= QUIET_FROM || localTime < QUIET_UNTIL;
  const { family, isAdvertisement } = channelOf(step);
  return isQuiet && isAdvertisement(step) ? QUIET_HOURS_CODE[family] : undefined;
}
