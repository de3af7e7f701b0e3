import type { Report } from '../../client/bongsu-client.ts';
import { formatTable } from './output.ts';

/** Report records for people; the client's own reference last, because it can be long. */
export function reportTable(records: readonly Report[]): string {
  return formatTable(
    ['msgKey', 'type', 'code', 'outcome', 'carrier', 'parts', 'sent', 'reported', 'ref'],
    records.map(record => [
      record.msgKey,
      `${record.serviceType}/${record.msgType}`,
      record.reportCode,
      record.reportText,
      record.carrier ?? '-',
      record.resCnt ?? '-',
      record.sendTime ?? '-',
      record.reportTime,
      record.ref ?? '-',
    ]),
  );
}
