/**
 * A report record as the contract writes it, member by member: what it holds, who gets it, and what the API document says
 * of it. Polling, inquiry, webhooks and the document (http/contract/report.openapi.ts) are made from this table.
 */
import type { AccountSettings } from '../domain/account/account.ts';
import { REPORT_CODES } from '../domain/reports/report-codes.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { FormatTime } from '../platform/zoned-time.ts';

/** Inquiry shows a little more than what is handed over by polling and webhook. */
type Occasion = 'handover' | 'inquiry';

type ValueOf<Value> = (record: ReportRecord, formatTime: FormatTime) => Value;

export type WireMember = {
  readonly meaning: string;
  readonly format?: 'date-time';
  readonly values?: readonly string[];
} & (
  | {
      readonly of: ValueOf<string>;
      readonly isOptional?: never;
      readonly isSpecOnly?: never;
      readonly isInquiryOnly?: never;
    }
  | {
      /** Without a value it is left out. */
      readonly of: ValueOf<string | undefined>;
      readonly isOptional: true;
      /** Left out for accounts with the legacy format. */
      readonly isSpecOnly?: true;
      readonly isInquiryOnly?: true;
    }
);

const WIRE_MEMBERS = {
  msgKey: { meaning: 'Key of the message.', of: ({ msgKey }) => msgKey },
  serviceType: { meaning: 'Channel, such as SMS or RCS.', of: ({ serviceType }) => serviceType },
  msgType: { meaning: 'Kind of message within the channel.', of: ({ msgType }) => msgType },
  sendTime: {
    meaning: 'When it was handed to the network.',
    of: ({ sentAt }, formatTime) => (sentAt === undefined ? undefined : formatTime(sentAt)),
    format: 'date-time',
    isOptional: true,
    isSpecOnly: true,
  },
  reportTime: {
    meaning: 'When its outcome was known.',
    of: ({ reportedAt }, formatTime) => formatTime(reportedAt),
    format: 'date-time',
  },
  /** The only kind of report seen on the wire. */
  reportType: { meaning: 'Always "0".', of: () => '0' },
  reportCode: {
    meaning: '10000 is delivered; everything else is a failure. See docs/report-codes.md.',
    of: ({ reportCode }) => reportCode,
  },
  reportText: { meaning: 'The code in words.', of: ({ reportCode }) => REPORT_CODES[reportCode] },
  carrier: {
    meaning: 'Code of the mobile network, where it is known.',
    of: ({ network }) => network,
    isOptional: true,
  },
  resCnt: {
    meaning: 'Parts of an international message.',
    of: ({ resCnt }) => resCnt,
    isOptional: true,
    isSpecOnly: true,
  },
  ref: { meaning: 'Reference given with the send.', of: ({ ref }) => ref, isOptional: true },
  groupKey: {
    meaning: 'Group given with the send.',
    of: ({ groupKey }) => groupKey,
    isOptional: true,
    isSpecOnly: true,
  },
  userType: {
    meaning: 'Brandmessage, basic form: F channel friend, N not.',
    of: ({ userType }) => userType,
    values: ['F', 'N'],
    isOptional: true,
    isSpecOnly: true,
    isInquiryOnly: true,
  },
} satisfies Readonly<Record<string, WireMember>>;

type Members = typeof WIRE_MEMBERS;
type Optional = {
  [Name in keyof Members]: Members[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Members];

export type WireReport = { readonly [Name in Exclude<keyof Members, Optional>]: string } & {
  readonly [Name in Optional]?: string;
};

/** The members that a record of an account may have. */
export function wireMembersFor(
  reportFormat: AccountSettings['reportFormat'],
  occasion: Occasion,
): readonly (readonly [name: string, member: WireMember])[] {
  return Object.entries<WireMember>(WIRE_MEMBERS).filter(
    ([, { isSpecOnly, isInquiryOnly }]) =>
      !(isSpecOnly && reportFormat !== 'spec') && !(isInquiryOnly && occasion !== 'inquiry'),
  );
}

const MEMBERS = {
  spec: { handover: wireMembersFor('spec', 'handover'), inquiry: wireMembersFor('spec', 'inquiry') },
  legacy: { handover: wireMembersFor('legacy', 'handover'), inquiry: wireMembersFor('legacy', 'inquiry') },
};

export function wireReport(
  record: ReportRecord,
  { reportFormat }: Pick<AccountSettings, 'reportFormat'>,
  formatTime: FormatTime,
  occasion: Occasion = 'handover',
): WireReport {
  const report: Record<string, string> = {};
  for (const [name, member] of MEMBERS[reportFormat][occasion]) {
    const value = member.of(record, formatTime);
    if (value !== undefined) report[name] = value;
  }
  return report as WireReport;
}
