/** What is answered to the calls for reports, whoever speaks HTTP: a poll, its acknowledgement, an inquiry. */
import type { Account } from '../../domain/account/account.ts';
import { parseReportId } from '../../domain/ids.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Reports } from '../../report/reports.ts';
import { successBody } from '../envelope.ts';

export const POLL_PATH = '/v1/report/polling';
export const ACKNOWLEDGE_PATH = `${POLL_PATH}/:id`;
export const INQUIRY_PATH = '/v1/report/inquiry/:id';

export type ReportCall =
  | { readonly kind: 'poll' }
  /** The id may be anything that a client wrote. */
  | { readonly kind: 'acknowledge' | 'inquire'; readonly id: string };

/** Resolves to the body of a success. */
export type AnswerReport = (account: Account, call: ReportCall) => Promise<string | Buffer | Problem>;

export function createAnswerReport(reports: Reports): AnswerReport {
  /** Bodies of batches that several pollers share, written once. */
  const rendered = new WeakMap<object, Buffer>();

  return async (account, call) => {
    if (call.kind === 'poll') return poll(account);
    if (call.kind === 'inquire') {
      return successBody({ data: { report: await reports.inquire(account, call.id) } });
    }
    // An id that cannot be ours is passed as empty: the store may not even accept its characters.
    return (await reports.acknowledge(account, parseReportId(call.id) ?? '')) ?? successBody();
  };

  async function poll(account: Account): Promise<string | Buffer | Problem> {
    const data = await reports.poll(account);
    if (data instanceof Problem) return data;
    if (!data.report) return successBody({ data });
    const bytes = rendered.get(data) ?? Buffer.from(successBody({ data }));
    rendered.set(data, bytes);
    return bytes;
  }
}
