/** Report records as receipts. Codes are of our own family and pass unchanged. */
import { REPORT_CODES, type ReportCode } from '../../domain/reports/report-codes.ts';
import type { CarrierReceipt } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { parseRef, type ReportedRef } from './references.ts';

export interface ReadRecords {
  readonly receipts: readonly CarrierReceipt[];
  /** Where the references came back: what the service does with them. */
  readonly places: ReadonlySet<ReportedRef['place']>;
  /** Records of messages that are not ours. */
  readonly foreign: number;
  /** Records without a key or a code, and codes that are in no table. */
  readonly unreadable: number;
  readonly unknownCodes: ReadonlySet<string>;
}

/** The code of a failure that is in no table. */
const UNKNOWN_FAILURE: ReportCode = '99999';
const LONGEST_KEY = 200;

export function readRecords(records: readonly unknown[]): ReadRecords {
  const receipts: CarrierReceipt[] = [];
  const places = new Set<ReportedRef['place']>();
  const unknownCodes = new Set<string>();
  let foreign = 0;
  let unreadable = 0;
  for (const record of records) {
    const msgKey = textAt(record, 'msgKey', LONGEST_KEY);
    const code = textAt(record, 'reportCode', 10);
    if (msgKey === undefined || code === undefined) {
      unreadable++;
      continue;
    }
    const given = textAt(record, 'ref', 300);
    const ref = given === undefined ? undefined : parseRef(given);
    // We name every send, so a record with another's name is another's. One without a name may have lost it.
    if (given !== undefined && !ref) {
      foreign++;
      continue;
    }
    if (ref) places.add(ref.place);
    if (!isReportCode(code)) unknownCodes.add(code);
    receipts.push({
      ref: msgKey,
      ...(ref && 'attemptId' in ref && { attemptId: ref.attemptId }),
      reportCode: isReportCode(code) ? code : UNKNOWN_FAILURE,
      ...detailsOf(record),
    });
  }
  return { receipts, places, foreign, unreadable, unknownCodes };
}

function detailsOf(record: unknown): Pick<CarrierReceipt, 'network' | 'userType' | 'resCnt'> {
  const network = textAt(record, 'carrier', 20);
  const userType = textAt(record, 'userType', 1);
  const resCnt = textAt(record, 'resCnt', 3);
  return {
    ...(network !== undefined && { network }),
    ...(userType !== undefined && /^[FN]$/.test(userType) && { userType }),
    ...(resCnt !== undefined && /^\d+$/.test(resCnt) && { resCnt }),
  };
}

/** Text that is too long is none: cut, it would be another's. */
function textAt(record: unknown, name: string, longest: number): string | undefined {
  const text = textOf(memberOf(record, name));
  return text === undefined || text.length > longest ? undefined : cleanText(text, longest) || undefined;
}

function isReportCode(text: string): text is ReportCode {
  return Object.hasOwn(REPORT_CODES, text);
}
