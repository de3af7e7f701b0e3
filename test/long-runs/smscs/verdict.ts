/** Compares what clients were told, what the SMSCs accepted, and what was reported. */
import type { PolledRecord } from '../pollers.ts';
import { allRecords, countsOf, DELIVERED, judgeAnswers, type Verdict } from '../verdict.ts';
import type { SentToSmsc } from './messages.ts';
import type { RecordingSmsc, TakenPart } from './recording-smsc.ts';

const UNDELIVERED = '23000';

type Smscs = readonly Pick<RecordingSmsc, 'taken'>[];

function taken(smscs: Smscs, recipient: string): [number, TakenPart][] {
  return smscs.flatMap(({ taken: all }) => [...(all.get(recipient) ?? [])]);
}

/** Some SMSC accepted every part of it. */
export function isWhole(smscs: Smscs, recipient: string): boolean {
  return smscs.some(({ taken: all }) => {
    const parts = all.get(recipient);
    const [first] = parts?.values() ?? [];
    return parts !== undefined && parts.size === first?.total;
  });
}

export function judge(
  sent: ReadonlyMap<string, SentToSmsc>,
  batches: ReadonlyMap<string, readonly PolledRecord[]>,
  smscs: Smscs,
): Verdict {
  const records = Map.groupBy(allRecords(batches), ({ ref = '' }) => ref);
  const lost: string[] = [];
  const doubled: string[] = [];
  const misreported: string[] = [];
  for (const [ref, { told, recipient, msgKey }] of sent) {
    const own = records.get(ref) ?? [];
    const [first] = own;
    if (told === 'accepted' && !own.some(record => record.msgKey === msgKey)) lost.push(ref);
    if (isTakenTwice(smscs, recipient)) doubled.push(`${ref} sent`);
    if (first && !isTruth(smscs, recipient, first.reportCode)) {
      misreported.push(`${ref} as ${first.reportCode}`);
    }
  }
  for (const [ref, { length }] of records) {
    if (length > 1) doubled.push(`${ref} reported`);
    if (!sent.has(ref)) misreported.push(`${ref}, which nobody sent`);
  }
  return {
    ...judgeAnswers(
      sent,
      (_, { recipient }) => taken(smscs, recipient).length > 0,
      ref => records.has(ref),
    ),
    lost,
    doubled,
    misreported,
    codes: countsOf(allRecords(batches).map(({ reportCode }) => reportCode)),
  };
}

function isTakenTwice(smscs: Smscs, recipient: string): boolean {
  const times = new Map<number, number>();
  for (const [index, part] of taken(smscs, recipient)) {
    times.set(index, (times.get(index) ?? 0) + part.times);
  }
  return [...times.values()].some(each => each > 1);
}

/** Every receipt was sent until it was acknowledged, so no record may contradict what the SMSCs know. */
function isTruth(smscs: Smscs, recipient: string, reportCode: string): boolean {
  // If a part was not accepted, the record may tell why.
  if (!isWhole(smscs, recipient)) return reportCode !== DELIVERED;
  const hasFailed = taken(smscs, recipient).some(([, { state }]) => state === 'UNDELIV');
  return reportCode === (hasFailed ? UNDELIVERED : DELIVERED);
}
