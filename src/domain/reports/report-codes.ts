/**
 * Report codes: why a channel message ended as it did. 10000 is delivered, everything else is a failure.
 * The codes and their texts are in report-code-table.ts; docs/report-codes.md shows them all.
 */
import {
  FINAL_ENDINGS,
  GENERAL,
  MESSENGER,
  RCS_CARRIERS,
  RCS_HUB,
  RCS_PLATFORM,
  SECOND_MESSENGER,
  TEMPORARY_ENDINGS,
  TEXT_ONLY,
} from './report-code-table.ts';

/** Channels share the codes of their family. */
export type ChannelFamily = 'text' | 'rcs' | 'messenger';

const CODES_OF = {
  text: { ...withPrefix('22', TEMPORARY_ENDINGS), ...withPrefix('23', FINAL_ENDINGS), ...TEXT_ONLY },
  rcs: {
    ...withPrefix('32', TEMPORARY_ENDINGS),
    ...withPrefix('33', FINAL_ENDINGS),
    ...RCS_HUB,
    ...RCS_PLATFORM,
    ...RCS_CARRIERS,
  },
  messenger: { ...MESSENGER, ...SECOND_MESSENGER },
} as const satisfies Readonly<Record<ChannelFamily, Readonly<Record<string, string>>>>;

export const REPORT_CODES = {
  ...GENERAL,
  ...CODES_OF.text,
  ...CODES_OF.rcs,
  ...CODES_OF.messenger,
} as const;

export type ReportCode = keyof typeof REPORT_CODES;

export const DELIVERED: ReportCode = '10000';
/** Given by the gateway itself. */
export const CANCELLED: ReportCode = '90001';

/** A failure that a carrier may report; the codes from 90000 to 90003 are the gateway's own. */
export function isCarriersFailure(code: unknown): code is ReportCode {
  if (typeof code !== 'string' || !Object.hasOwn(REPORT_CODES, code)) return false;
  return code !== DELIVERED && !code.startsWith('9000');
}

/** `temporary`: a later attempt may succeed. */
export type ReportClass = 'delivered' | 'temporary' | 'failed';

export function classOf(code: ReportCode): ReportClass {
  if (code === DELIVERED) return 'delivered';
  return code.startsWith('22') || code.startsWith('32') ? 'temporary' : 'failed';
}

/** Whether a message on a channel of the family can end with the code. */
export function isCodeOf(family: ChannelFamily, code: ReportCode): boolean {
  return Object.hasOwn(GENERAL, code) || Object.hasOwn(CODES_OF[family], code);
}

/** The code of a step that stayed silent past its deadline. */
export const SILENCE_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '22000',
  rcs: '32000',
  messenger: '60600',
};

/** The code of a step that no carrier serves. */
export const NO_ROUTE_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23015',
  rcs: '33015',
  messenger: '60600',
};

type WithPrefix<Prefix extends string, Endings> = {
  readonly [Ending in keyof Endings & string as `${Prefix}${Ending}`]: Endings[Ending];
};

function withPrefix<const Prefix extends string, Endings extends Readonly<Record<string, string>>>(
  prefix: Prefix,
  endings: Endings,
): WithPrefix<Prefix, Endings> {
  const rows = Object.entries(endings).map(([ending, text]) => [`${prefix}${ending}`, text]);
  return Object.fromEntries(rows) as WithPrefix<Prefix, Endings>;
}
