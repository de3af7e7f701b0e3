/**
 * `command_status`: what an answer to a submit means for the message. Those that are not in the table are refusals of
 * the message for good: to try again what we do not understand risks a loop, to report it does not.
 *
 *   ok         taken
 *   throttle   we send faster than it takes; says nothing about the message
 *   full       its queue is full: it takes nothing for a moment; says nothing about the message
 *   account    our account or configuration with the carrier is wrong; says nothing about the message
 *   temporary  surely not taken, another try may succeed
 *   permanent  surely not taken, another try will not help
 */
import type { ReportCode } from '../../domain/reports/report-codes.ts';

/** Statuses that the session itself speaks. */
export const STATUS = {
  ok: 0x00,
  invalidMessageLength: 0x01,
  invalidCommandLength: 0x02,
  invalidCommandId: 0x03,
  alreadyBound: 0x05,
  systemError: 0x08,
  invalidDestination: 0x0b,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  invalidSystemId: 0x0f,
  queueFull: 0x14,
  throttled: 0x58,
  temporaryAppError: 0x64,
  permanentAppError: 0x65,
  invalidOptionalPart: 0xc0,
} as const;

export type StatusClass = 'ok' | 'throttle' | 'full' | 'account' | 'temporary' | 'permanent';

export interface StatusMeaning {
  readonly name: string;
  readonly class: StatusClass;
  /** The code of the report if the message ends with this status. */
  readonly reportCode: ReportCode;
}

type Row = readonly [status: number, name: string, statusClass: StatusClass, reportCode: ReportCode];

export const STATUS_TABLE: readonly Row[] = [
  [0x00, 'ESME_ROK', 'ok', '10000'],
  [0x01, 'ESME_RINVMSGLEN', 'permanent', '23009'],
  [0x02, 'ESME_RINVCMDLEN', 'permanent', '23009'],
  [0x03, 'ESME_RINVCMDID', 'account', '23011'],
  [0x04, 'ESME_RINVBNDSTS', 'account', '23011'],
  [0x05, 'ESME_RALYBND', 'account', '23011'],
  [0x06, 'ESME_RINVPRTFLG', 'account', '23011'],
  [0x07, 'ESME_RINVREGDLVFLG', 'account', '23011'],
  [0x08, 'ESME_RSYSERR', 'temporary', '23011'],
  [0x0a, 'ESME_RINVSRCADR', 'permanent', '23023'],
  [0x0b, 'ESME_RINVDSTADR', 'permanent', '23003'],
  [0x0c, 'ESME_RINVMSGID', 'permanent', '23014'],
  [0x0d, 'ESME_RBINDFAIL', 'account', '23011'],
  [0x0e, 'ESME_RINVPASWD', 'account', '23011'],
  [0x0f, 'ESME_RINVSYSID', 'account', '23011'],
  [0x11, 'ESME_RCANCELFAIL', 'permanent', '23014'],
  [0x13, 'ESME_RREPLACEFAIL', 'permanent', '23014'],
  [0x14, 'ESME_RMSGQFUL', 'full', '23011'],
  [0x15, 'ESME_RINVSERTYP', 'account', '23011'],
  [0x33, 'ESME_RINVNUMDESTS', 'permanent', '23003'],
  [0x34, 'ESME_RINVDLNAME', 'permanent', '23003'],
  [0x40, 'ESME_RINVDESTFLAG', 'permanent', '23009'],
  [0x42, 'ESME_RINVSUBREP', 'permanent', '23009'],
  [0x43, 'ESME_RINVESMCLASS', 'permanent', '23009'],
  [0x44, 'ESME_RCNTSUBDL', 'permanent', '23003'],
  [0x45, 'ESME_RSUBMITFAIL', 'permanent', '23000'],
  [0x48, 'ESME_RINVSRCTON', 'permanent', '23023'],
  [0x49, 'ESME_RINVSRCNPI', 'permanent', '23023'],
  [0x50, 'ESME_RINVDSTTON', 'permanent', '23003'],
  [0x51, 'ESME_RINVDSTNPI', 'permanent', '23003'],
  [0x53, 'ESME_RINVSYSTYP', 'account', '23011'],
  [0x54, 'ESME_RINVREPFLAG', 'permanent', '23009'],
  [0x55, 'ESME_RINVNUMMSGS', 'permanent', '23009'],
  [0x58, 'ESME_RTHROTTLED', 'throttle', '23011'],
  [0x61, 'ESME_RINVSCHED', 'permanent', '23009'],
  [0x62, 'ESME_RINVEXPIRY', 'permanent', '23009'],
  [0x63, 'ESME_RINVDFTMSGID', 'permanent', '23009'],
  [0x64, 'ESME_RX_T_APPN', 'temporary', '23011'],
  [0x65, 'ESME_RX_P_APPN', 'permanent', '23014'],
  [0x66, 'ESME_RX_R_APPN', 'permanent', '23013'],
  [0x67, 'ESME_RQUERYFAIL', 'permanent', '23014'],
  [0xc0, 'ESME_RINVOPTPARSTREAM', 'permanent', '23009'],
  [0xc1, 'ESME_ROPTPARNOTALLWD', 'permanent', '23009'],
  [0xc2, 'ESME_RINVPARLEN', 'permanent', '23009'],
  [0xc3, 'ESME_RMISSINGOPTPARAM', 'permanent', '23009'],
  [0xc4, 'ESME_RINVOPTPARAMVAL', 'permanent', '23009'],
  [0xfe, 'ESME_RDELIVERYFAILURE', 'permanent', '23000'],
  [0xff, 'ESME_RUNKNOWNERR', 'temporary', '23011'],
  // SMPP 5.0
  [0x100, 'ESME_RSERTYPUNAUTH', 'account', '23011'],
  [0x101, 'ESME_RPROHIBITED', 'permanent', '23013'],
  [0x102, 'ESME_RSERTYPUNAVAIL', 'temporary', '23011'],
  [0x103, 'ESME_RSERTYPDENIED', 'permanent', '23013'],
  [0x104, 'ESME_RINVDCS', 'permanent', '23022'],
  [0x105, 'ESME_RINVSRCADDRSUBUNIT', 'permanent', '23009'],
  [0x106, 'ESME_RINVDSTADDRSUBUNIT', 'permanent', '23009'],
];

const MEANING_OF_STATUS: ReadonlyMap<number, StatusMeaning> = new Map(
  STATUS_TABLE.map(([status, name, statusClass, reportCode]) => [
    status,
    { name, class: statusClass, reportCode },
  ]),
);

export function meaningOf(status: number): StatusMeaning {
  return (
    MEANING_OF_STATUS.get(status) ?? { name: hexadecimal(status), class: 'permanent', reportCode: '23014' }
  );
}

/** For people: `ESME_RTHROTTLED (0x58)`. */
export function describeStatus(status: number): string {
  const known = MEANING_OF_STATUS.get(status);
  return known ? `${known.name} (${hexadecimal(status)})` : hexadecimal(status);
}

function hexadecimal(status: number): string {
  return `0x${status.toString(16).padStart(2, '0')}`;
}
