import type { ReportCode } from '../domain/reports/report-codes.ts';
import type { SubmitAnswer } from './carrier.ts';

/** The answer to a message that cannot be submitted. `reason`: of the carrier, where it refused a file of the message. */
export function refusedByUs(reportCode: ReportCode, reason?: string): SubmitAnswer {
  return { kind: 'permanent', reportCode, ...(reason !== undefined && { detail: reason }), isUnasked: true };
}
